#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Self-checks of PixelCNN and gated PixelCNN, and of training black and white digits:  python3 weights/train/test_pixelcnn.py  (seconds; no data)"""
import itertools
import os
import sys
import tempfile
import unittest
from dataclasses import replace

import numpy as np
import torch

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from common import gguf, recipes
from common.export import export
from data import binarised_mnist
from data.label_binarised_mnist import likeliest
from models.gated_pixelcnn.golden import randomise
from models.gated_pixelcnn.model import Config as GatedConfig
from models.gated_pixelcnn.model import GatedPixelCNN
from models.gated_pixelcnn.task import TASK as GATED
from models.image_transformer.grow import grow
from models.image_transformer.model import Config as TransformerConfig
from models.image_transformer.model import ImageTransformer
from models.pixelcnn.model import Config, PixelCNN
from models.pixelcnn.task import TASK

PLAIN = Config(height=5, width=6, levels=2, block_count=6, embedding_length=16, input_kernel=3, kernel=3, head_length=8)
DEEP = GatedConfig(height=5, width=6, levels=2, block_count=6, embedding_length=8, input_kernel=3, kernel=3, head_length=8, classes=3)


def model_of(c, seed=1):
    model = (GatedPixelCNN if isinstance(c, GatedConfig) else PixelCNN)(c)
    randomise(model, seed)
    return model.double().eval()


def depends(model, label=None):
    """Returns a bool matrix [predicted, changed] that is true where changing one pixel changes the prediction of another pixel in at least
    one picture"""
    n, found = model.c.n, None
    for seed in range(6):
        x = torch.from_numpy(np.random.default_rng(seed).integers(0, 2, (1, n)))
        changed = x.repeat(n, 1)
        changed[torch.arange(n), torch.arange(n)] ^= 1
        moved = (model(changed, label) - model(x, label)).abs().sum(-1).t() > 1e-12
        found = moved if found is None else found | moved
    return found


class Models(unittest.TestCase):
    def test_causal_and_the_blind_spot(self):
        before = torch.ones(PLAIN.n, PLAIN.n).tril(-1).bool()
        with torch.no_grad():
            plain, gated = depends(model_of(PLAIN)), depends(model_of(DEEP), torch.tensor([1]))
            narrow = depends(model_of(replace(DEEP, own_row=False)), torch.tensor([1]))
        self.assertFalse((plain & ~before).any() or (gated & ~before).any())
        self.assertTrue((before & ~plain).any())
        self.assertTrue(torch.equal(gated, before))
        self.assertTrue((before & ~narrow).any())        # this is why the vertical stack has taps in its own row

    def test_convolutions_are_the_gathered_taps(self):
        x = torch.from_numpy(np.random.default_rng(3).integers(0, 2, (2, PLAIN.n)))
        with torch.no_grad():
            for c in (PLAIN, DEEP):
                model = model_of(c)
                exact = model(x)
                self.assertLess(float((model.float()(x).double() - exact).abs().max()), 1e-5)

    def test_probabilities_of_all_pictures_sum_to_one(self):
        x = torch.tensor(list(itertools.product((0, 1), repeat=9)))
        with torch.no_grad():
            for c in (replace(PLAIN, height=3, width=3), replace(DEEP, height=3, width=3)):
                self.assertAlmostEqual(float(torch.exp(-model_of(c).nats(x)).sum()), 1, places=6)

    def test_no_class_is_zeros(self):
        model, x = model_of(DEEP), torch.zeros(1, DEEP.n, dtype=torch.long)
        with torch.no_grad():
            alone, told = model(x, torch.tensor([-1])), model(x, torch.tensor([2]))
            for layer in (model.input, *model.blk):
                layer.get_submodule("class").weight.zero_()
            self.assertTrue(torch.equal(model(x, torch.tensor([2])), alone))
        self.assertFalse(torch.equal(alone, told))

    def test_files_round_trip(self):
        for task, c in ((TASK, PLAIN), (GATED, DEEP)):
            one = task.of(c)
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "m.gguf")
                export(path, one, model_of(c).float(), gguf.F32, dict(name="m"))
                metadata, tensors = gguf.read_raw(path)
                own = task.settings_of(metadata, {k: torch.empty(v.shape) for k, v in tensors.items()})
                self.assertEqual({k: own[k] for k in ("height", "levels", "block_count", "kernel", "output")},
                                 {k: getattr(c, k) for k in ("height", "levels", "block_count", "kernel", "output")})


class Beginnings(unittest.TestCase):
    def test_own_row_begins_as_nothing(self):
        narrow = replace(DEEP, own_row=False)
        old, x = model_of(narrow), torch.from_numpy(np.random.default_rng(4).integers(0, 2, (2, DEEP.n)))
        new = GATED.of(DEEP).model()
        GATED.of(DEEP).grow(new, {k: v.float() for k, v in old.state_dict().items()})
        with torch.no_grad():
            self.assertLess(float((new.double()(x) - old(x)).abs().max()), 1e-5)

    def test_two_levels_of_sixteen(self):
        c = TransformerConfig(height=4, width=4, levels=16, block_count=1, embedding_length=8, feed_forward_length=8, head_count=2, key_length=4, classes=3)
        large, small = ImageTransformer(c), ImageTransformer(replace(c, levels=2, output="bernoulli", classes=0))
        grow(small, large.state_dict(), c.key_length)
        x = torch.from_numpy(np.random.default_rng(5).integers(0, 2, (2, 16)))
        with torch.no_grad():
            grey, one = large.double()(15 * x, torch.tensor([-1, -1])), small.double()(x)
        self.assertLess(float((grey[..., 15] - grey[..., 0] - one[..., 0]).abs().max()), 1e-6)


class Labels(unittest.TestCase):
    def test_a_picture_is_told_by_its_grey_one(self):
        rng = np.random.default_rng(6)
        grey = rng.random((30, 100)) ** 4
        bits = rng.random((30, 100)) < grey
        self.assertGreater((likeliest(bits.astype(np.uint8), grey) == np.arange(30)).mean(), 0.8)

    def test_counts(self):
        self.assertEqual(sum(binarised_mnist.COUNTS.values()), 70000)

    def test_recipes_are_there(self):
        for name in ("pixelcnn-digits", "gated-pixelcnn-digits", "image-transformer-digits-bw"):
            self.assertEqual(recipes.find(name).settings["levels"], 2)


if __name__ == "__main__":
    unittest.main()
