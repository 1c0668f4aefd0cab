#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Self-checks of Sparse Transformers:  python3 weights/train/test_sparse.py  (seconds; no data)"""
import os
import sys
import tempfile
import unittest
from dataclasses import replace

import numpy as np
import torch

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from common import gguf, native
from common.export import export
from models.sparse_transformer.golden import PICTURE, TEXT, randomise
from models.sparse_transformer.model import FAR, NEAR, PREVIOUS, Block, Config, SparseTransformer, Swish, dense, seen, turn
from models.sparse_transformer.start import look_around
from models.sparse_transformer.task import TASK


class Patterns(unittest.TestCase):
    def test_strided_by_transposing(self):
        """The n = r l positions form an (r, l) grid. In the far set, a position sees itself and the earlier positions of its column."""
        c = Config(context_length=24, pattern="strided", stride=6)
        column = torch.arange(24).view(4, 6).t().flatten()
        block = torch.ones(4, 4).tril().bool()
        transposed = torch.block_diag(*[block] * 6).bool()
        self.assertTrue(torch.equal(seen(c, FAR, 24)[column][:, column], transposed))

    def test_members(self):
        c = Config(context_length=24, pattern="strided", stride=6)
        self.assertEqual(int(seen(c, NEAR, 24).sum(1).max()), 6)
        c = replace(c, pattern="fixed", summary=2)
        self.assertEqual(seen(c, FAR, 24).any(1).tolist(), [False] * 4 + [True] * 20)

    def test_blocks_are_row_column_and_previous_row(self):
        c, at = Config(context_length=24, pattern="blocks", stride=6), 15         # row 2, column 3
        found = {which: seen(c, which, 24)[at].nonzero()[:, 0].tolist() for which in (NEAR, FAR, PREVIOUS)}
        self.assertEqual(found, {NEAR: [12, 13, 14, 15], FAR: [3, 9, 15], PREVIOUS: [6, 7, 8, 9, 10, 11]})
        self.assertEqual([turn("blocks", i) for i in range(4)], [NEAR, FAR, PREVIOUS, NEAR])
        self.assertEqual(seen(c, PREVIOUS, 24).any(1).tolist(), [False] * 6 + [True] * 18)

    def test_two_layers(self):
        eye = torch.eye(24)
        for pattern, order, residual, all_of_it in (("strided", (NEAR, FAR), 0, True), ("strided", (FAR, NEAR), 0, True), ("fixed", (NEAR, FAR), 1, True),
                                                    ("fixed", (FAR, NEAR), 1, False), ("fixed", (NEAR, FAR), 0, False)):
            c = Config(context_length=24, pattern=pattern, stride=6, summary=2)
            first, second = (seen(c, which, 24).float() + residual * eye for which in order)
            self.assertEqual(torch.equal(second @ first > 0, torch.ones(24, 24).tril().bool()), all_of_it)


class Models(unittest.TestCase):
    def test_causal(self):
        for c in (PICTURE, TEXT, replace(TEXT, combine="merged"), replace(PICTURE, combine="heads"), replace(TEXT, pattern="blocks", block_count=3)):
            model = SparseTransformer(replace(c, levels=5)).double().eval()
            randomise(model, 1)
            model.double()
            x = torch.from_numpy(np.random.default_rng(1).integers(0, 5, (1, c.n)))
            before = model(x)
            for at in (7, 20):
                y = x.clone()
                y[0, at] = (y[0, at] + 1) % 5
                moved = (model(y) - before).abs().sum(-1)[0] > 1e-12
                first = at if c.text else at + 1
                self.assertFalse(moved[:first].any())
                self.assertTrue(moved[first])

    def test_empty_sets_gather_nothing(self):
        block = Block(replace(TEXT, block_count=2), 1).double()
        qkv = torch.randn(1, 16, 3 * 16, dtype=torch.float64)
        out = block.gathered(FAR, qkv, 2)
        self.assertTrue((out[0, :6] == 0).all() and (out[0, 6:] != 0).all())

    def test_fast_is_plain(self):
        if not native.usable(torch.zeros(1)):
            self.skipTest("no native functions here")
        torch.manual_seed(1)
        for pattern, stride, summary, n in (("strided", 28, 0, 784), ("strided", 20, 0, 400), ("fixed", 64, 8, 512), ("fixed", 64, 64, 448), ("blocks", 32, 0, 256)):
            block = Block(Config(context_length=n, pattern=pattern, stride=stride, summary=summary, embedding_length=64, head_count=2), 0)
            for which in (NEAR | FAR,) if dense(block.c, FAR) else (NEAR, FAR, PREVIOUS)[:3 if pattern == "blocks" else 2]:
                plain = torch.randn(2, n, 192, requires_grad=True)
                fast = plain.detach().to(torch.bfloat16).requires_grad_()
                a, b = block.gathered(which, plain, 2), block.gathered_fast(which, fast, 2)
                g = torch.randn_like(a)
                a.backward(g), b.backward(g.to(torch.bfloat16))
                self.assertLess((a - b).abs().max(), 0.03)
                self.assertLess((plain.grad - fast.grad).abs().max(), 0.01 * plain.grad.abs().max())

    def test_swish(self):
        x = torch.randn(3, 4, dtype=torch.float64, requires_grad=True)
        self.assertTrue(torch.autograd.gradcheck(Swish.apply, (x,)))
        self.assertTrue(torch.allclose(Swish.apply(x), x * torch.sigmoid(1.702 * x)))

    def test_begins_aimed(self):
        """The first head of the first block attends to the position that carries the value of the pixel above."""
        c = Config(height=8, width=8, stride=8, embedding_length=64, head_count=2, key_length=16)
        torch.manual_seed(1)
        model = SparseTransformer(c)
        look_around(model)
        y = model.blk[0].attn_norm(model.embedded(torch.zeros(1, 64, dtype=torch.long)))
        q, k = (part(y)[0, :, :16] for part in (model.blk[0].attn_q, model.blk[0].attn_k))
        self.assertEqual(int((q[36] @ k.t()).masked_fill(~seen(c, NEAR, 64)[36], -1e9).argmax()), 29)

    def test_file(self):
        for c in (PICTURE, TEXT, replace(TEXT, combine="heads"), replace(PICTURE, levels=2, output="bernoulli", combine="merged")):
            task = TASK.of(c)
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "a.gguf")
                export(path, task, task.model(), gguf.F32, dict(name="a"))
                metadata, tensors = gguf.read(path)
                found = TASK.settings_of(metadata, {k: x for k, (x, _) in tensors.items()})
            for key in ("levels", "output", "pattern", "stride", "combine", "block_count", "key_length", "height", "context_length"):
                expected = c.n if key == "context_length" else getattr(c, key)
                self.assertEqual(found.get(key, getattr(Config, key)), expected, key)


if __name__ == "__main__":
    unittest.main()
