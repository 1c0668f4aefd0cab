#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests data/letters.py (generated words and their splits), vocabularies of single characters, and GPT-2.

    python3 weights/train/test_words.py        seconds
"""
import unittest
from dataclasses import replace

import torch

import data
from common import bpe, recipes
from data import letters
from data.texts import split_of
from models.gpt2 import golden
from models.gpt2.model import GPT2, PADDING
from models.gpt2.task import TASK, Lines


def model():
    m = GPT2(golden.TINY).double().eval()
    golden.randomise(m, 5)
    return m


class Letters(unittest.TestCase):
    def tearDown(self):
        data._forbidden = False

    def test_words_and_their_split(self):
        train, answers = letters.load("", "train")
        valid = letters.load("", "validation")[0]
        self.assertEqual([word[::-1] for word in train], answers)
        self.assertTrue(all(1 <= len(word) <= letters.LONGEST and set(word) <= set(letters.LETTERS) for word in train))
        self.assertTrue(all(split_of(word) == "train" for word in train[:500]) and all(split_of(word) == "validation" for word in valid[:500]))
        test = letters.load_test_for_evaluation("")[0]
        self.assertFalse(set(train) & set(valid) or set(train) & set(test) or set(valid) & set(test))
        self.assertEqual(letters.words(50), letters.words(50))

    def test_training_cannot_read_what_is_held_out(self):
        data.forbid_test_set()
        with self.assertRaises(data.TestSetError):
            letters.load_test_for_evaluation("")


class Signs(unittest.TestCase):
    def test_signs_and_nothing_else(self):
        words = bpe.Signs("abc=")
        self.assertEqual(words.encode("cab=a?"), [3, 1, 2, 4, 1])
        self.assertEqual(words.decode([3, 1, 2]), "cab")
        self.assertEqual((len(words), words.metadata()["tokenizer.ggml.tokens"], words.metadata()["tokenizer.ggml.merges"]), (5, ["<end>", "a", "b", "c", "="], []))


class GPT(unittest.TestCase):
    def test_no_place_sees_a_later_one(self):
        m, ids = model(), torch.randint(1, 257, (1, 12), generator=torch.Generator().manual_seed(1))
        other = ids.clone()
        other[0, 7] = (other[0, 7] + 1) % 257
        a, b = m(ids)[0], m(other)[0]
        self.assertTrue(torch.equal(a[:7], b[:7]))
        self.assertFalse(torch.allclose(a[7], b[7]))

    def test_only_the_answer_counts(self):
        recipe = recipes.find("opened-decoder")
        task = TASK(TASK.Settings(**{k: v for k, v in recipe.settings.items()}))
        lines = Lines(["stop", "a"], ["pots", "a"], task)
        ids, begins = lines.take(slice(0, 2), "cpu")
        self.assertEqual(begins.tolist(), [5, 2])
        self.assertEqual(task.tokenizer.decode(ids[0, :9].tolist()), "stop=pots")
        self.assertEqual(ids[0, 9].item(), 0)
        self.assertTrue((ids[0, 10:] == PADDING).all())
        m = task.model().double().eval()
        each = m.each(ids)
        self.assertTrue(torch.allclose(task.nats(m, ids, begins), torch.stack([each[0, 4:9].sum(), each[1, 1:3].sum()])))

    def test_the_inside_ends_in_its_own_logits(self):
        m = model()
        ids = torch.randint(1, 257, (1, 9), generator=torch.Generator().manual_seed(2))
        found = golden.inside(m, ids, None)
        self.assertTrue(torch.allclose(found["logits"], m(ids[:, :-1])[0]))
        self.assertTrue(torch.allclose(found["odds"].sum(1), torch.ones(8, dtype=torch.float64)))
        self.assertTrue((found["dec.0.self.0.mask"].triu(1)[0, 1:] == -float("inf")).all())

    def test_heads_share_nothing(self):
        """A head's output depends only on the head's own columns of the queries, keys and values."""
        m = GPT2(replace(golden.TINY, block_count=1)).double().eval()
        golden.randomise(m, 3)
        ids = torch.randint(1, 257, (1, 6), generator=torch.Generator().manual_seed(3))
        before = golden.inside(m, ids, None)
        with torch.no_grad():
            m.blk[0].attn_qkv.weight[:8] += 1                # changes the queries of head 0
        after = golden.inside(m, ids, None)
        self.assertFalse(torch.allclose(before["dec.0.self.0.output"], after["dec.0.self.0.output"]))
        self.assertTrue(torch.equal(before["dec.0.self.1.output"], after["dec.0.self.1.output"]))


if __name__ == "__main__":
    unittest.main()
