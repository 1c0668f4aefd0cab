#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests trees: sums over all projective trees (compared with brute force), derivatives, crossing arcs, and sentences excluded from
training.

    python3 weights/train/test_trees.py        seconds
"""
import contextlib
import io
import itertools
import os
import tempfile
import types
import unittest
from unittest import mock

import numpy as np
import torch

from data import treebank
from models.tree import golden, soften, trees
from models.tree.model import Config, Tree
from models.tree.task import Sentences


def all_trees(n):
    for heads in itertools.product(range(n + 1), repeat=n):
        if any(head == m for m, head in enumerate(heads, 1)) or not trees.projective(heads):
            continue
        if all(reaches(heads, m) for m in range(1, n + 1)):
            yield heads


def reaches(heads, m):
    """Returns whether the path of heads from word m leads to the root."""
    for _ in heads:
        m = heads[m - 1] if m else 0
    return m == 0


class Trees(unittest.TestCase):
    def test_all_trees_by_hand(self):
        torch.manual_seed(1)
        scores, lengths = torch.randn(6, 6, 6, dtype=torch.double), torch.tensor([5, 3, 1, 4, 2, 5])
        scores[5, 1, 2] = scores[5, 2, 1] = -torch.inf           # impossible arcs
        log_z, marginals = trees.sums(scores, lengths)
        best = trees.best(scores, lengths)
        for b, n in enumerate(lengths.tolist()):
            every = list(all_trees(n))
            self.assertEqual(len(every), [1, 2, 7, 30, 143][n - 1])
            totals = torch.stack([sum(scores[b, h, m] for m, h in enumerate(t, 1)) for t in every])
            expected = torch.zeros(6, 6, dtype=torch.double)
            for t, p in zip(every, torch.softmax(totals, 0)):
                for m, h in enumerate(t, 1):
                    expected[h, m] += p
            self.assertAlmostEqual(float(log_z[b]), float(torch.logsumexp(totals, 0)), places=9)
            self.assertLess(float((marginals[b] - expected).abs().max()), 1e-9)
            self.assertEqual(tuple(best[b, :n].tolist()), every[int(totals.argmax())])

    def test_the_derivative_is_the_marginals(self):
        torch.manual_seed(2)
        scores, lengths = torch.randn(2, 5, 5, dtype=torch.double, requires_grad=True), torch.tensor([4, 3])
        self.assertTrue(torch.autograd.gradcheck(lambda s: trees.log_z(s, lengths), (scores,)))

    def test_projective(self):
        self.assertTrue(trees.projective([2, 0, 2]))
        self.assertFalse(trees.projective([3, 4, 0, 3]))         # 3 -> 1 and 4 -> 2 cross
        self.assertFalse(trees.projective([0, 0]))
        self.assertFalse(trees.projective([3, 0, 2, 1]))         # the arc 1 -> 4 passes over the word that is attached to the root

    def test_neighbours_and_lengths(self):
        """Values after the end of a sentence in a batch do not change the sentence's result."""
        model = Tree(Config(features=40, width=3, embedding_length=16, feed_forward_length=24, block_count=2, head_count=2, reach=4)).eval()
        golden.randomise(model, 3)
        ids, lengths = torch.randint(0, 40, (2, 7, 3)), torch.tensor([4, 7])
        alone = model(ids[:1, :4], lengths[:1])
        self.assertLess(float((model(ids, lengths)[:1, :5, :5] - alone).abs().max()), 1e-4)


class Soften(unittest.TestCase):
    def test_the_nats_of_every_factor(self):
        """The nats that soften.py measures for a factor are the same as the nats of a model that is exported with this factor."""
        task = golden.cases()[0].task
        model = Tree(Config(task.s.features, task.s.width, task.s.embedding_length, task.s.feed_forward_length, task.s.block_count, task.s.head_count,
                            task.s.reach))
        golden.randomise(model, 1)
        rng, lengths = np.random.default_rng(2), [5, 1, 9]
        heads = [np.array([2, 0, 2, 2, 4]), np.array([0]), np.array([0, 1, 1, 1, 1, 1, 1, 1, 1])]
        valid = Sentences([[]] * 3, [rng.integers(0, task.s.features, (n, task.s.width)) for n in lengths], [heads])
        stand_in = types.SimpleNamespace(load=lambda split: split, encode=lambda examples, _: {"validation": valid}[examples])
        with mock.patch.object(soften, "load_average", lambda run: (stand_in, model, None)), contextlib.redirect_stdout(io.StringIO()) as said, \
                mock.patch("sys.argv", ["soften.py", "parents-en"]):
            soften.main()
        printed = {float(line.split()[0]): float(line.split()[1]) for line in said.getvalue().splitlines()}
        model.eval()
        for softened in (0.5, 1.0):
            task.s.softened = softened
            with torch.no_grad():
                nats = float(task.folded(model).nats(*valid.take(slice(0, 3))[:3]).sum())
            self.assertAlmostEqual(printed[softened], nats / sum(lengths), 3)
        self.assertEqual(len(printed), 10)


class Treebank(unittest.TestCase):
    def test_a_folder_of_conllu(self):
        block = "1\tA\t_\tDET\t_\t_\t2\tdet\t_\t_\n2\tdog\t_\tNOUN\t_\t_\t0\troot\t_\t_\n\n"
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "en-train.conllu"), "w") as f:
                f.write(block * 100)
            words, tags, heads, relations = treebank.read(folder, "train")
        self.assertEqual((words[0], tags[0], heads[0], relations[0]), (["A", "dog"], ["DET", "NOUN"], [2, 0], ["det", "root"]))
        self.assertEqual(len(words), 100)


if __name__ == "__main__":
    unittest.main()
