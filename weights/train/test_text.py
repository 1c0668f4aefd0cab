#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests the parts of language models: byte-pair vocabularies, the reading and splitting of texts, and the Llama model.

    python3 weights/train/test_text.py        seconds; with data/stories it also retrains the shipped vocabulary (test_train.py runs it too)
"""
import collections
import contextlib
import io
import itertools
import lzma
import os
import tempfile
import unittest

import numpy as np
import torch

import data
from common import bpe, export, gguf, recipes
from data import stories, texts
from models.llama.model import Config, Llama
from models.llama.task import TASK, VOCABULARIES, Windows

TALE = "Once upon a time there was a king who had a golden bird.\n'It's mine,' said he; \"we've 1,000 more!\"  They\u00e6 went \u2013 \u738b home.\n" * 3


def slow_merges(words, count):
    """Trains a vocabulary in the simplest way: counts all pairs again for each merge."""
    parts, found = {w: [bytes([b]) for b in w.encode()] for w in words}, []
    for _ in range(count):
        pairs = collections.Counter()
        for w, n in words.items():
            for pair in zip(parts[w], parts[w][1:]):
                pairs[pair] += n
        if not pairs:
            break
        best = min(pairs, key=lambda pair: (-pairs[pair], pair))
        found.append(best)
        for w in words:
            parts[w] = bpe.merged(parts[w], best)
    return found


class BytePairs(unittest.TestCase):
    def test_words_lose_nothing(self):
        for text in (TALE, "", " ", "a  b\n\n c", "it's we'll 'tis _x_ 3.14", "\u00a0\u2003x\U0001f600\u0301"):
            self.assertEqual("".join(bpe.WORD.findall(text)), text)
        self.assertEqual(bpe.WORD.findall("It's  two-\n\nfold 12"), ["It", "'s", " ", " two", "-", "\n", "\n", "fold", " 12"])

    def test_training_is_the_definition(self):
        words = collections.Counter(bpe.WORD.findall(TALE))
        for count in (1, 20, 60, 10000):
            self.assertEqual(bpe.train([TALE], count), slow_merges(words, count), count)

    def test_encoding_is_the_merges_in_their_order(self):
        vocabulary = bpe.Vocabulary(bpe.train([TALE], 50))
        for word in set(bpe.WORD.findall(TALE)) | {"zebra", "kingking", "\u738b"}:
            parts = [bytes([b]) for b in word.encode()]
            for pair in vocabulary.merges:               # applies each merge in order, over the whole word
                parts = bpe.merged(parts, pair)
            self.assertEqual([vocabulary.tokens[i] for i in vocabulary.word(word)], parts)
        for text in (TALE, "\u738b\u0000\ufffd", ""):
            self.assertEqual(vocabulary.decode(vocabulary.encode(text)), text)
        self.assertNotIn(0, vocabulary.encode("<|endoftext|>"))

    def test_files_come_back(self):
        with tempfile.TemporaryDirectory() as folder:
            path, first = os.path.join(folder, "v.txt"), bpe.Vocabulary(bpe.train([TALE], 40))
            bpe.save(path, first)
            again = bpe.load(path)
        self.assertEqual((again.merges, again.tokens), (first.merges, first.tokens))
        self.assertEqual(bpe.hidden(bpe.shown(bytes(range(256)))), bytes(range(256)))
        self.assertEqual(bpe.shown(b" a\n"), "\u0120a\u010a")

    def test_the_shipped_vocabulary_is_what_training_gives(self):
        if not os.path.exists(os.path.join(stories.DEFAULT_DIR, stories.MARK)):
            self.skipTest("no data/stories")
        shipped = bpe.load(os.path.join(VOCABULARIES, "stories.txt"))
        books, short = stories.load(stories.DEFAULT_DIR, "train")
        self.assertEqual(bpe.train(books + short, len(shipped.merges)), shipped.merges)

    def test_the_shipped_file_has_the_shipped_vocabulary(self):
        path = os.path.join(recipes.SHIPPED, "stories.gguf")
        if not os.path.exists(path):
            self.skipTest("no weights/stories.gguf")
        metadata, expected = gguf.read_raw(path)[0], bpe.load(os.path.join(VOCABULARIES, "stories.txt")).metadata()
        self.assertEqual({key: metadata[key] for key in expected}, expected)


class Texts(unittest.TestCase):
    def tearDown(self):
        data._forbidden = False

    def test_books_and_stories_are_split(self):
        sizes = {"Book %d" % i: 1000 for i in range(50)}
        sizes.update({"Grimm's one": 1000, "Household Tales by Grimm": 1000})
        part = stories.split_of_books(sizes)
        self.assertEqual(part, stories.split_of_books(dict(reversed(sizes.items()))))
        self.assertEqual(part["Grimm's one"], part["Household Tales by Grimm"])
        of = lambda name: sum(sizes[title] for title in sizes if part[title] == name) / sum(sizes.values())
        self.assertTrue(0.08 <= of("test") < 0.13 and 0.01 < of("validation") < 0.08, (of("test"), of("validation")))
        with tempfile.TemporaryDirectory() as folder:
            for name, text in zip(stories.FILES, ("".join("\f%s\nTale of %s.\n" % (title, title) for title in sizes),
                                                  "".join("Story %d.\n<|endoftext|>\n" % i for i in range(500)))):
                with lzma.open(os.path.join(folder, name), "wt", encoding="utf-8") as f:
                    f.write(text)
            parts = [stories.load(folder, "train"), stories.load(folder, "validation"), stories.load_test_for_evaluation(folder)]
        for kind, count in ((0, 52), (1, 500)):
            self.assertEqual(len(set(itertools.chain(*(p[kind] for p in parts)))), count)
            self.assertEqual(sum(len(p[kind]) for p in parts), count)

    def test_held_out_texts_are_forbidden(self):
        for read in (stories.load, texts.read):
            with self.assertRaises(data.TestSetError):
                read("anywhere", "test")
        data.forbid_test_set()
        with self.assertRaises(data.TestSetError):
            stories.load_test_for_evaluation("anywhere")
        with self.assertRaises(data.TestSetError):
            texts.read("anywhere", "test", evaluation=True)

    def test_texts_of_ones_own(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "a.txt"), "w", encoding="utf-8") as f:
                f.writelines("Line %d of a tale that goes on.\n" % i for i in range(9000))
            parts = [texts.read(folder, split, True) for split in ("train", "validation", "test")]
            self.assertEqual(sum(text.count("\n") + 1 for p in parts for text in p[1]), 9000)
            self.assertTrue(all(len(p[1]) for p in parts))
            with open(os.path.join(folder, "b.txt"), "wb") as f:
                f.write(b"\xff\xfe")
            self.assertEqual(texts.read(folder, "train"), parts[0])         # an empty file is skipped (test_data.py)


class Model(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(3)
        self.model = Llama(Config(values=300, context_length=128, head_count=4, head_count_kv=2)).double().eval()
        self.ids = torch.randint(300, (2, 129))

    def test_causal(self):
        changed = self.ids.clone()
        changed[:, 60] = (changed[:, 60] + 1) % 300
        one, two = self.model(self.ids), self.model(changed)
        self.assertTrue(torch.equal(one[:, :60], two[:, :60]))
        self.assertGreater(float((one[:, 60:] - two[:, 60:]).abs().max()), 0)

    def test_positions_count_only_by_their_distance(self):
        """A rotary score depends only on i - j: the same queries and keys, both shifted, give the same scores."""
        c = self.model.c
        q, k = torch.randn(2, 1, 20, 2, c.key_length, dtype=torch.float64)
        cosine, sine = self.model.angles(50, q)
        from models.llama.model import turned
        score = lambda at: (turned(q, cosine[at:at + 20], sine[at:at + 20]).transpose(1, 2)
                            @ turned(k, cosine[at:at + 20], sine[at:at + 20]).permute(0, 2, 3, 1))
        self.assertLess(float((score(0) - score(30)).abs().max()), 1e-12)

    def test_attention_in_c(self):
        from common import native
        if not native.usable(torch.zeros(1)):
            self.skipTest("native.c does not work here")
        model, grads = self.model.float(), []
        for enabled in (True, False):
            native.enabled = enabled
            model.zero_grad()
            with torch.autocast("cpu", torch.bfloat16):
                nats = model.nats(self.ids).mean()
            nats.backward()
            grads.append((float(nats), model.blk[0].attn_k.weight.grad.clone()))
        native.enabled = True
        self.assertLess(abs(grads[0][0] / grads[1][0] - 1), 1e-3)
        self.assertLess(float((grads[0][1] - grads[1][1]).norm() / grads[1][1].norm()), 0.05)

    def test_batches_depend_on_seed_and_step_only(self):
        task = TASK(TASK.Settings(context_length=16, batch=4, values=4096))
        stream = Windows(np.arange(3000), 16, "cpu")
        count = len(stream) // 4
        self.assertTrue(torch.equal(task.batch(stream, 7, "cpu")[0], task.batch(stream, 7, "cpu")[0]))
        for epoch in (0, 1):             # each window occurs once per epoch, and epochs start at different offsets
            seen = torch.cat([task.batch(stream, epoch * count + i, "cpu")[0] for i in range(count)])
            self.assertEqual(len({tuple(w.tolist()) for w in seen}), 4 * count)
        self.assertFalse(torch.equal(task.batch(stream, 0, "cpu")[0], task.batch(stream, count, "cpu")[0]))

    def test_a_file_has_the_tokenizer_and_the_same_loss(self):
        task = TASK(TASK.Settings(block_count=1, embedding_length=32, feed_forward_length=64, head_count=2, head_count_kv=1, context_length=16, values=4096))
        model = task.model()
        ids = torch.tensor([[0] + task.tokenizer.encode("Once upon a time")])
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
            path = os.path.join(folder, "a.gguf")
            export.export(path, task, model, gguf.F32, dict(name="a"))
            metadata = gguf.read_raw(path)[0]
            again = TASK(TASK.Settings(**dict(TASK.settings_of(metadata, {}))))
            other = again.model()
            again.grow(other, again.stored(path))
        self.assertEqual(metadata["tokenizer.ggml.tokens"][metadata["tokenizer.ggml.eos_token_id"]], "<|endoftext|>")
        with torch.no_grad():
            self.assertTrue(torch.allclose(model.nats(ids), other.nats(ids), rtol=1e-6))


if __name__ == "__main__":
    unittest.main()
