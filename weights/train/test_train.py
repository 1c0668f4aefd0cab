#!/usr/bin/env python3
"""Self-checks of the recipes:  python3 weights/train/test_train.py   (seconds; needs no data set)"""
import os
import tempfile
import unittest

import numpy as np
import torch

import data
import golden
import gguf_writer as gguf
from export import export
from model import Config, ImageTransformer

LOCAL = golden.TINY[1][1]                # 3 channels, local-1d, a short last query block


def tiny(c=LOCAL):
    model = ImageTransformer(c).eval()
    golden.randomise(model, 1)
    return model


class Model(unittest.TestCase):
    def test_causal(self):
        model, x = tiny(), torch.randint(0, 256, (1, LOCAL.n))
        other = x.clone()
        other[0, 30] = (x[0, 30] + 1) % 256
        with torch.no_grad():
            change = (model(x, torch.tensor([1])) - model(other, torch.tensor([1]))).abs().amax(-1)[0]
        self.assertEqual(float(change[:31].max()), 0.0)
        self.assertGreater(float(change[31]), 0.0)

    def test_cached_step_is_the_full_forward(self):
        model, y = tiny(), torch.tensor([1, -1])
        x = model.generate(y, None, 1e-6, torch.Generator().manual_seed(3))      # temperature 1e-6: the most likely level
        with torch.no_grad():
            self.assertTrue(torch.equal(model(x, y).argmax(-1), x))

    def test_blocks_equal_one_dense_mask(self):
        """Query block by query block = softmax over a dense (n, n) mask: j <= i and j >= l_q*floor(i/l_q) - l_m."""
        c, model = LOCAL, tiny()
        h = torch.randn(1, c.n, c.embedding_length)
        i, j = torch.arange(c.n)[:, None], torch.arange(c.n)[None]
        dense = torch.zeros(c.n, c.n).masked_fill(~((j <= i) & (j >= i // c.query_block * c.query_block - c.memory_block)), -np.inf)
        with torch.no_grad():
            a, b = model.blk[0](h, model.masks), model.blk[0](h, [(0, c.n, 0, dense)])
        self.assertLess(float((a - b).abs().max()), 1e-5)


class File(unittest.TestCase):
    def test_export_reads_back(self):
        c = Config(height=4, width=4, embedding_length=32, feed_forward_length=64, head_count=1, block_count=1, classes=2)
        with tempfile.TemporaryDirectory() as folder:
            for kind in (gguf.F32, gguf.F16, gguf.Q8_0):
                export(os.path.join(folder, "a.gguf"), tiny(c), kind, dict(name="test"))       # asserts inside

    def test_levels(self):
        for levels in (2, 4, 16, 256):
            v = np.arange(256)
            self.assertTrue((data.to_levels(v, levels) == np.floor(v * (levels - 1) / 255 + 0.5)).all())
            l = np.arange(levels)
            self.assertTrue((data.to_levels(data.to_bytes(l, levels), levels) == l).all())


class TestSet(unittest.TestCase):
    def test_training_code_cannot_read_it(self):
        for name in data.FILES[2:]:
            with self.assertRaises(data.TestSetError):
                data.read_idx(os.path.join("anywhere", name))
        with self.assertRaises(data.TestSetError):
            data.load("anywhere", "test", 16)
        data.forbid_test_set()
        try:
            with self.assertRaises(data.TestSetError):
                data.load_test_for_evaluation("anywhere")
        finally:
            data._forbidden = False


if __name__ == "__main__":
    unittest.main()
