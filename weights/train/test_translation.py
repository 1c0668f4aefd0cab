#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests the parts of translation models: reading and splitting sentence pairs, BLEU, random segmentations, and the Transformer.

    python3 weights/train/test_translation.py        seconds; with data/multi30k it also retrains the shipped vocabulary
"""
import contextlib
import io
import json
import lzma
import math
import os
import random
import tempfile
import unittest
from dataclasses import replace

import numpy as np
import torch

import data
from common import bleu, bpe, export, gguf, native, recipes
from data import german, multi30k, pairs, swaps, tatoeba
from models.transformer import golden
from models.transformer.model import PADDING, Attention, Config, Transformer, dropped, sinusoid
from models.transformer.task import TASK, VOCABULARIES, Epoch, Pairs, arranged, lengths, padded

FIXTURE = os.path.join(recipes.HERE, "..", "..", "tests", "js", "bleu.json")


def model_of(**changes):
    """Returns a model in double precision. Its random weights are so large that attention is far from uniform."""
    model = Transformer(replace(golden.BASE, **changes)).double().eval()
    golden.randomise(model, 5)
    return model


def ids(*shape, seed=1):
    return torch.from_numpy(np.random.default_rng(seed).integers(1, golden.BASE.values, shape))


class Bleu(unittest.TestCase):
    def setUp(self):
        with open(FIXTURE, encoding="utf-8") as f:
            self.fixture = json.load(f)

    def test_corpora(self):
        for case in self.fixture["corpora"]:
            self.assertLessEqual(abs(bleu.corpus(case["translations"], case["references"]) - case["bleu"]), case["within"], case["source"])

    def test_counts(self):
        for case in self.fixture["counts"]:
            found = bleu.of(case["correct"], case["total"], case["length"], case["reference_length"])
            self.assertLessEqual(abs(found - case["bleu"]), case["within"], case["source"])

    def test_words(self):
        for case in self.fixture["words"]:
            self.assertEqual(bleu.words(case["text"]), case["words"])

    def test_a_translation_for_each_reference(self):
        with self.assertRaises(ValueError):
            bleu.corpus(["a"], [])


class Cuts(unittest.TestCase):
    TEXT = "Ein gro\u00dfer Hund l\u00e4uft, und zwei kleine Hunde laufen. \U0001f600"

    def setUp(self):
        self.vocabulary = bpe.Vocabulary(bpe.train([self.TEXT * 3], 60))

    def test_they_are_the_same_text(self):
        rng, seen = random.Random(1), set()
        for _ in range(50):
            found = self.vocabulary.sampled(self.TEXT, 0.3, rng)
            self.assertEqual(self.vocabulary.decode(found), self.TEXT)
            seen.add(tuple(found))
        self.assertGreater(len(seen), 20)
        self.assertEqual(self.vocabulary.sampled(self.TEXT, 0.3, random.Random(2)), self.vocabulary.sampled(self.TEXT, 0.3, random.Random(2)))

    def test_without_dropout_they_are_the_encoding_and_with_all_of_it_bytes(self):
        self.assertEqual(self.vocabulary.sampled(self.TEXT, 0.0, random.Random(1)), self.vocabulary.encode(self.TEXT))
        self.assertEqual(self.vocabulary.sampled(self.TEXT, 1.0, random.Random(1)), [b + 1 for b in self.TEXT.encode()])


class Grown(unittest.TestCase):
    TEXT = "Ein gro\u00dfer Hund l\u00e4uft, und zwei kleine Hunde laufen."

    def test_a_grown_vocabulary_keeps_its_ids_and_cuts_no_word_finer(self):
        few = bpe.Vocabulary(bpe.train([self.TEXT * 3], 20))
        more = bpe.Vocabulary(bpe.train([self.TEXT * 3], 40, few.merges))
        self.assertEqual(more.merges[:20], few.merges)
        self.assertEqual(more.merges, bpe.train([self.TEXT * 3], 40))  # training in two parts gives the same merges as training at once
        self.assertLess(len(more.encode(self.TEXT)), len(few.encode(self.TEXT)))

    def test_what_is_new_begins_as_the_mean_of_its_sides(self):
        few, more = bpe.Vocabulary(bpe.train([self.TEXT], 20)), bpe.Vocabulary(bpe.train([self.TEXT], 24))
        small = Config(values=len(few), context_length=40, block_count=1, encoder_block_count=1, embedding_length=16, feed_forward_length=16, head_count=2)
        old, new = TASK.of(small), TASK.of(replace(small, values=len(more)))
        old.words, new.words = few, more
        before, after = old.model(), new.model()
        new.grow(after, before.state_dict())
        table = after.state_dict()["token_embd.weight"]
        self.assertTrue(torch.equal(table[:len(few)], before.state_dict()["token_embd.weight"]))
        for id, (a, b) in enumerate(more.merges[20:], len(few)):
            self.assertTrue(torch.allclose(table[id], (table[more.ids[a]] + table[more.ids[b]]) / 2))


class Data(unittest.TestCase):
    def tearDown(self):
        data._forbidden = False

    def test_splits_are_files(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("train", "val", "test_2016_flickr"):
                for language in ("de", "en"):
                    with lzma.open(os.path.join(folder, "%s.%s.xz" % (name, language)), "wt", encoding="utf-8") as f:
                        f.writelines(" %s\u00a0 %s\t%d. \n" % (name, language, i) for i in range(3))
            self.assertEqual(multi30k.load(folder, "train"), (["train de %d." % i for i in range(3)], ["train en %d." % i for i in range(3)]))
            self.assertEqual(data.load("multi30k", folder, "validation", None)[1][2], "val en 2.")
            self.assertEqual(multi30k.load_test_for_evaluation(folder)[0][0], "test_2016_flickr de 0.")
            self.assertEqual(data.load("multi30k", folder, "test", None), multi30k.load_test_for_evaluation(folder))
            with lzma.open(os.path.join(folder, "val.en.xz"), "wt") as f:
                f.write("one\n")
            with self.assertRaises(SystemExit):
                multi30k.load(folder, "validation")
        with self.assertRaises(SystemExit):
            multi30k.load(folder, "train")

    def test_daily_life_is_split_by_the_english_sentence_and_what_is_asked_is_in_no_split(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("tatoeba", "multi30k"):
                os.mkdir(os.path.join(folder, name))
            with open(tatoeba.EVERYDAY, encoding="utf-8") as f:
                asked = [(line.split("\t")[0], "An answer.") for line in f] + [("guten morgen", "Morning.")]
            self.assertEqual(len(asked), 21)
            with lzma.open(os.path.join(folder, "tatoeba", tatoeba.MARK), "wt", encoding="utf-8") as f:
                f.writelines("%s\t%s\n" % pair for pair in [("Satz %d %d." % (i, k), "Sentence %d." % i) for i in range(300) for k in range(2)] + asked)
            for name in ("train", "val", "test_2016_flickr"):
                for language in ("de", "en"):
                    with lzma.open(os.path.join(folder, "multi30k", "%s.%s.xz" % (name, language)), "wt") as f:
                        f.write("%s\n" % language)
            parts = {split: tatoeba.read(os.path.join(folder, "tatoeba"), split, evaluation=split == "test") for split in ("train", "validation", "test")}
            self.assertEqual(sum(len(part[0]) for part in parts.values()), 600)
            of = {split: set(part[1]) for split, part in parts.items()}
            self.assertFalse(of["train"] & of["validation"] | of["train"] & of["test"] | of["validation"] & of["test"])
            self.assertTrue(all(of.values()))
            both = german.load(folder, "train")
            self.assertEqual([len(side) for side in both], 2 * [len(both[0])])
            self.assertEqual(both[0].count("de"), german.CAPTIONS)
            self.assertTrue(set(parts["train"][0]) <= set(both[0]))
            self.assertEqual(data.load("german", folder, "train", None), both)
            self.assertEqual(len(german.load(folder, "validation")[0]), 1 + len(parts["validation"][0]))

    def test_other_names_and_numbers_on_both_sides(self):
        rng = random.Random(1)
        for pair, forms in ((("Tom ist in Boston.", "Tom is in Boston."), r"(\w+) ist in (\w+)\.\|(\w+) is in (\w+)\."), (("Das ist Toms Hund.", "This is Tom's dog."), r"Das ist (\w+)s Hund\.\|This is \1's dog\."),
                            (("Er ist zwölf.", "He is twelve."), r"Er ist (\w+)\.\|He is (\w+)\."), (("Ich bin 19 Jahre alt.", "I'm 19 years old."), r"Ich bin (\d\d) Jahre alt\.\|I'm \1 years old\."),
                            (("Vierzig Leute kamen.", "Forty people came."), None), (("Es ist halb drei.", "It's half past two."), None), (("Tom und Tom.", "Tom and Tom."), None)):
            found = {swaps.swapped(*pair, rng) for _ in range(50)}
            if forms is None:
                self.assertEqual(found, {None})
                continue
            found.discard(None)
            self.assertGreater(len(found), 3)
            for other in found:
                self.assertRegex("|".join(other), "^%s$" % forms)
        german_of = {english: german for german, english in swaps.CLASSES["small"]}
        for german, english in ({swaps.swapped("Er ist zwölf.", "He is twelve.", rng) for _ in range(50)}):
            self.assertEqual(german_of[english[6:-1]], german[7:-1])

    def test_held_out_pairs_are_forbidden(self):
        for read in (multi30k.load, multi30k.read, pairs.read, tatoeba.load, tatoeba.read):
            with self.assertRaises(data.TestSetError):
                read("anywhere", "test")
        data.forbid_test_set()
        for read in (multi30k.load_test_for_evaluation, lambda folder: pairs.read(folder, "test", evaluation=True),
                     lambda folder: data.load("multi30k", folder, "test", None)):
            with self.assertRaises(data.TestSetError):
                read("anywhere")

    def test_pairs_of_ones_own(self):
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(os.path.join(folder, "more"))
            with open(os.path.join(folder, "more", "a.tsv"), "w", encoding="utf-8-sig") as f:
                f.writelines("Satz %d  .\tSentence %d.\n\n" % (i, i) for i in range(500))
            parts = [data.load("multi30k", folder, split, None) for split in ("train", "validation", "test")]
            self.assertEqual(sorted(s for part in parts for s in part[0]), sorted("Satz %d ." % i for i in range(500)))
            self.assertTrue(all(len(part[0]) > 20 for part in parts))
            self.assertTrue(all(s[5:-2] == t[9:-1] for part in parts for s, t in zip(*part)))
            for wrong in (b"only one side\n", b"a\tb\tc\n", b"\tb\n", b"\xff\xfe\n"):
                with open(os.path.join(folder, "b.tsv"), "wb") as f:
                    f.write(wrong)
                again = pairs.read(folder, "train")
                # other lines are skipped (test_data.py)
                self.assertEqual(len(again[0]) - len(parts[0][0]), wrong == b"a\tb\tc\n" and pairs.split_of("a") == "train")

    def test_the_shipped_vocabulary_is_what_training_gives(self):
        if not os.path.exists(os.path.join(multi30k.DEFAULT_DIR, multi30k.MARK)):
            self.skipTest("no data/multi30k")
        shipped = bpe.load(os.path.join(VOCABULARIES, "multi30k.txt"))
        sources, targets = multi30k.load(multi30k.DEFAULT_DIR, "train")
        self.assertEqual(bpe.train(sources + targets, len(shipped.merges)), shipped.merges)

    def test_the_grown_vocabulary_begins_with_the_other(self):
        few, more = (bpe.load(os.path.join(VOCABULARIES, name + ".txt")) for name in ("multi30k", "german"))
        self.assertEqual((len(few), len(more)), (8000, 10000))
        self.assertEqual(more.merges[:len(few.merges)], few.merges)

    def test_the_shipped_file_has_the_shipped_vocabulary(self):
        path = os.path.join(recipes.SHIPPED, "de-en.gguf")
        if not os.path.exists(path):
            self.skipTest("no weights/de-en.gguf")
        metadata, expected = gguf.read_raw(path)[0], bpe.load(os.path.join(VOCABULARIES, "german.txt")).metadata()
        self.assertEqual({key: metadata[key] for key in expected}, expected)


class Batches(unittest.TestCase):
    def setUp(self):
        self.task = TASK(TASK.Settings(context_length=40, batch=8, values=257, vocabulary=""))
        rng = np.random.default_rng(1)
        some = lambda: "A" * int(rng.integers(1, 60)) + "."
        self.examples = [some() for _ in range(300)], [some() for _ in range(300)]
        self.train = self.task.encode(self.examples, None)

    def test_sentences_end_and_padding_follows(self):
        source, target = self.train.take(slice(4), "cpu")
        for side, texts in ((source, self.examples[0]), (target, self.examples[1])):
            for row, text in zip(side.tolist(), texts):
                wanted = ([b + 1 for b in text.encode()][:39] + [0])
                self.assertEqual(row, wanted + [PADDING] * (side.shape[1] - len(wanted)))
        self.assertEqual(padded([[1], [2, 3]]).tolist(), [[1, PADDING], [2, 3]])

    def test_an_epoch_has_each_pair_once_and_like_lengths_together(self):
        sizes = lengths(self.train.ids)
        for epoch in (0, 1):
            batches = arranged(sizes, 3, epoch, 8)
            self.assertEqual(batches.shape, (37, 8))
            self.assertEqual(len(set(batches.flatten().tolist())), 37 * 8)
            longest = sizes.max(0)[batches]
            self.assertLess(np.ptp(longest, axis=1).mean(), np.ptp(longest) / 8)
            means = longest.mean(1)                      # the batches have a random order
            self.assertLess(abs(np.corrcoef(means[1:], means[:-1])[0, 1]), 0.5)
        self.assertFalse((arranged(sizes, 3, 0, 8) == arranged(sizes, 3, 1, 8)).all())

    def test_they_depend_on_seed_and_step_only(self):
        self.task.s.merge_dropout = self.task.s.lower = self.task.s.unstopped = 0.5
        one = [self.task.batch(self.train, step, "cpu") for step in (40, 3)]
        other = TASK(self.task.s)
        two = [other.batch(self.train, step, "cpu") for step in (3, 40)][::-1]
        for a, b in zip(one, two):
            self.assertTrue(all(torch.equal(x, y) for x, y in zip(a, b)))
        self.assertIs(Epoch(self.train, TASK.Settings(batch=8), 0).ids, self.train.ids)

    def test_changed_sources(self):
        train = Pairs(["Ein Hund.", "Wer?"], ["A dog.", "Who?"], self.task.tokenizer, 40)
        text = lambda row: bytes(t - 1 for t in row[:-1]).decode()
        for settings, expected in ((dict(), "Ein Hund."), (dict(lower=1.0), "ein hund."), (dict(unstopped=1.0), "Ein Hund"),
                                   (dict(lower=1.0, unstopped=1.0), "ein hund")):
            source, target = train.varied(TASK.Settings(**settings), random.Random(1))
            self.assertEqual(text(source[0]), expected)
            self.assertEqual(text(source[1]).lower(), "wer?")
            self.assertEqual([text(row) for row in target], ["A dog.", "Who?"])
            self.assertTrue(all(row[-1] == 0 for row in source + target))
        kept = sum(text(train.varied(TASK.Settings(lower=0.25), random.Random(i))[0][0]) == "Ein Hund." for i in range(400))
        self.assertTrue(270 < kept < 330, kept)


class Model(unittest.TestCase):
    def test_positions_are_the_papers(self):
        table = sinusoid(50, 16)
        for p in (0, 1, 49):
            for i in range(8):
                angle = p / 10000 ** (2 * i / 16)
                self.assertAlmostEqual(float(table[p, 2 * i]), math.sin(angle), 12)
                self.assertAlmostEqual(float(table[p, 2 * i + 1]), math.cos(angle), 12)

    def test_causal(self):
        for norm in ("post", "pre"):
            model, source, target = model_of(norm=norm), ids(2, 9), ids(2, 12, seed=2)
            one, maps = model(source, target), ([], [], [])
            changed = target.clone()
            changed[:, 7] = changed[:, 7] % 200 + 1
            two = model(source, changed, maps)
            self.assertTrue(torch.equal(one[:, :8], two[:, :8]))         # position 7 predicts id 7, which it has not read
            self.assertGreater(float((one[:, 8:] - two[:, 8:]).abs().max()), 1e-3)
            self.assertEqual([len(m) for m in maps], [3, 2, 2])
            self.assertEqual(float(maps[1][0].triu(1).abs().max()), 0)
            for weights in sum(maps, []):
                self.assertTrue(torch.allclose(weights.sum(-1), torch.ones(1, dtype=torch.float64)))

    def test_padding_changes_nothing(self):
        for changes in (dict(), dict(norm="pre", position="learned"), dict(position="none", attention_bias=True)):
            model, source, target = model_of(**changes), ids(1, 6), ids(1, 8, seed=2)
            more = torch.nn.functional.pad(source, (0, 5), value=PADDING), torch.nn.functional.pad(target, (0, 3), value=PADDING)
            many = [torch.cat([side, ids(1, side.shape[1], seed=9)]) for side in more]     # the pair is in a batch with a longer sentence
            maps = [], [], []
            logits = model(*many, maps)
            self.assertLess(float((logits[:1, :8] - model(source, target)).abs().max()), 1e-12)
            self.assertEqual(float(maps[2][0][0, :, :, 6:].abs().max()), 0)
            self.assertAlmostEqual(float(model.nats(*many)[0]), float(model.nats(source, target)), 10)
            self.assertEqual(float(model.each(*many)[0, 8:].abs().max()), 0)

    def test_without_positions_order_is_not_seen(self):
        source = ids(1, 10)
        order = torch.from_numpy(np.random.default_rng(3).permutation(10))
        for position in ("none", "sinusoidal", "learned"):
            model = model_of(position=position)
            difference = float((model.encode(source[:, order])[0] - model.encode(source)[0][:, order]).abs().max())
            self.assertTrue(difference < 1e-12 if position == "none" else difference > 1e-2, (position, difference))

    def test_heads_are_runs_of_their_own(self):
        """A layer with two heads whose weights are disjoint gives the same results as two separate layers of half the width."""
        torch.manual_seed(1)
        c, k = replace(golden.BASE, embedding_length=16, head_count=2), 8
        part = lambda d: {name: torch.nn.Linear(d, d, bias=False).double() for name in ("q", "k", "v", "output")}
        whole, halves = part(16), [part(8), part(8)]
        with torch.no_grad():
            for name, layer in whole.items():
                layer.weight.copy_(torch.block_diag(*(half[name].weight for half in halves)))
        x, memory = torch.randn(1, 5, 16, dtype=torch.float64), torch.randn(1, 7, 16, dtype=torch.float64)

        def run(c, parts, x, memory):
            attention = Attention(c, parts)
            return attention.mix(attention.project("q", x)[0], *attention.project("kv", memory), None, False, None)
        one = [run(replace(c, embedding_length=8, head_count=1), half, x[..., i * k:][..., :k], memory[..., i * k:][..., :k]) for i, half in enumerate(halves)]
        self.assertLess(float((run(c, whole, x, memory) - torch.cat(one, -1)).abs().max()), 1e-12)

    def test_one_word_at_a_time_is_the_full_forward(self):
        for changes in (dict(), dict(norm="pre", position="learned"), dict(position="none", attention_bias=True)):
            model, source = model_of(**changes), ids(5, 9)
            source[1, 4:] = PADDING
            end = int(model.translate(source, -5)[0, 3])                 # an end token that the translation reaches
            found = model.translate(source, end)
            logits = model(source, found)
            self.assertTrue(torch.equal(logits.argmax(-1)[found >= 0], found[found >= 0]))
            for row in found.tolist():
                length = row.index(end) + 1 if end in row else len(row)
                self.assertTrue(all(t == PADDING for t in row[length:]))

    def test_label_smoothing(self):
        model, source, target = model_of(), ids(2, 5), ids(2, 7, seed=2)
        log_p = model(source, target).log_softmax(-1)
        right = log_p.gather(2, target[..., None])[..., 0]
        self.assertTrue(torch.allclose(model.each(source, target), -right))
        self.assertTrue(torch.allclose(model.each(source, target, 0.1), -0.9 * right - 0.1 * log_p.mean(-1)))
        task = TASK.of(model.c)
        self.assertTrue(torch.allclose(task.nats(model, source, target), -right.sum(1)))
        self.assertTrue(torch.allclose(task.nats(model.train(), source, target), (-0.9 * right - 0.1 * log_p.mean(-1)).sum(1)))

    def test_dropout(self):
        torch.manual_seed(1)
        x = torch.ones(333, 301, requires_grad=True)
        y = dropped(x, 0.3)
        self.assertAlmostEqual(float((y == 0).float().mean()), 0.3, 2)
        self.assertAlmostEqual(float(y.max()), 256 / (256 - 77), 5)
        y.sum().backward()
        self.assertTrue(torch.equal(x.grad, y.detach()))
        self.assertIs(dropped(x, 0.0), x)

    def test_what_is_in_c(self):
        """Compares loss and gradients in bf16 with those in double precision, once with the C code for norms, feed-forward network and
        output layer, and once without it."""
        if not native.usable(torch.zeros(1)):
            self.skipTest("native.c does not work here")
        source, target = ids(6, 11), ids(6, 13, seed=2)
        source[0, 5:] = target[1, 6:] = PADDING
        for changes in (dict(), dict(norm="pre", attention_bias=True, position="learned")):
            model = model_of(embedding_length=64, **changes).train()

            def gradients(model, **how):
                model.zero_grad()
                with torch.autocast("cpu", torch.bfloat16, **how):
                    nats = model.each(source, target, 0.1)
                nats.sum().backward()
                return nats.detach(), torch.cat([p.grad.flatten() for p in model.parameters()])
            exact = gradients(model, enabled=False)
            model, found = model.float(), []
            for native.enabled in (True, False):
                found.append(gradients(model))
            native.enabled = True
            errors = [float((g.double() - exact[1]).norm() / exact[1].norm()) for _, g in found]
            self.assertLess(errors[0], 1.2 * errors[1] + 1e-3)           # the error is no larger than that of PyTorch
            self.assertLess(errors[0], 0.1)
            self.assertLess(float((found[0][0] - exact[0]).abs().max()), 0.1)
            self.assertFalse(torch.equal(found[0][1], found[1][1]))      # the two results come from different implementations

    def test_cross_entropy_in_c(self):
        if not native.usable(torch.zeros(1)):
            self.skipTest("native.c does not work here")
        torch.manual_seed(1)
        for V in (8, 37, 640):
            h, table, target = torch.randn(50, 16).bfloat16().requires_grad_(), torch.randn(V, 16, requires_grad=True), torch.randint(V, (50,))
            weight = torch.rand(50)
            found = native.CrossEntropy.apply(h, table, target, 0.1)
            (found * weight).sum().backward()
            g_h, g_table = h.grad.float(), table.grad
            exact_h, exact_table = h.detach().float().requires_grad_(), table.detach().bfloat16().float().requires_grad_()
            logits = exact_h @ exact_table.t()
            exact = torch.nn.functional.cross_entropy(logits + (logits.bfloat16().float() - logits).detach(), target, reduction="none", label_smoothing=0.1)
            (exact * weight).sum().backward()
            self.assertLess(float((found - exact).abs().max()), 1e-3)
            self.assertLess(float((g_h - exact_h.grad).norm() / exact_h.grad.norm()), 0.02)
            self.assertLess(float((g_table - exact_table.grad).norm() / exact_table.grad.norm()), 0.02)


class File(unittest.TestCase):
    def test_a_file_has_the_settings_the_tokenizer_and_the_same_loss(self):
        source, target = ids(2, 6), ids(2, 9, seed=2)
        for changes in (dict(), dict(norm="pre", position="learned", attention_bias=True), dict(position="none", encoder_block_count=1)):
            model = model_of(**changes).float()
            task = TASK.of(model.c)
            task.s.vocabulary = ""
            with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
                path = os.path.join(folder, "a.gguf")
                export.export(path, task, model, gguf.F32, dict(name="a", languages=["de", "en"]))
                metadata, tensors = gguf.read_raw(path)
                again = TASK(TASK.Settings(**TASK.settings_of(metadata, tensors)))
                other = again.model()
                again.grow(other, again.stored(path))
            self.assertEqual(set(tensors), set(model.state_dict()))
            self.assertEqual(metadata["general.languages"], ["de", "en"])
            self.assertEqual(metadata["tokenizer.ggml.tokens"][metadata["tokenizer.ggml.eos_token_id"]], "<|endoftext|>")
            with torch.no_grad():
                self.assertTrue(torch.allclose(model.nats(source, target), other.eval().nats(source, target), rtol=1e-6))

    def test_golden_models_are_what_their_file_says(self):
        """The models give the numbers that are stored in the engine's golden files."""
        for case in golden.cases():
            path = os.path.join(recipes.HERE, "..", "..", "tests", "golden", case.name)
            kept = {k: torch.from_numpy(x).double() for k, (x, _) in gguf.read(path + ".golden.gguf")[1].items()}
            model = case.task.model()
            model.load_state_dict(case.task.stored(path + ".gguf"))
            with torch.no_grad():
                logits, nats = golden.outputs(model.double().eval(), kept["source"].long()[None], kept["values"].long()[None])
            self.assertLess(float((logits - kept["logits"]).abs().max()), 1e-4)
            self.assertLess(float((nats - kept["nats"]).abs().max()), 1e-4)


if __name__ == "__main__":
    unittest.main()
