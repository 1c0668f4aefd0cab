#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests the GAN: attention, spectral normalisation, and the weights in a file, which are already normalised.

    python3 weights/train/test_sagan.py        a second
"""
import unittest

import torch

from data import emoji_kinds
from frechet import differing
from models.sagan.augment import augment
from models.sagan.discriminator import Discriminator, deviation
from models.sagan.layers import Attention, Linear
from models.sagan.model import Config, Folded, Generator
from models.sagan.task import SaganTask, Settings

SMALL = Config(height=16, latent_length=8, channels=(16, 16, 16), classes=3, attention_size=8, attention_key=4, attention_value=8)


def random(module, seed=1):
    torch.manual_seed(seed)
    with torch.no_grad():
        for p in module.parameters():
            p.normal_()
    return module


class Sagan(unittest.TestCase):
    def test_gamma_nought_is_the_identity(self):
        attention = random(Attention(16, 4, 8, True))
        x = torch.randn(2, 16, 8, 8)
        self.assertGreater((attention(x) - x).abs().max(), 0.1)
        with torch.no_grad():
            attention.gain.zero_()
        self.assertTrue(torch.equal(attention(x), x))

    def test_attention_adds_up_to_one_over_keys(self):
        for pool, keys in ((True, 16), (False, 64)):
            weights = random(Attention(16, 4, 8, pool)).weights(torch.randn(2, 16, 8, 8))
            self.assertEqual(weights.shape, (2, 64, keys))
            self.assertTrue(torch.allclose(weights.sum(2), torch.ones(2, 64), atol=1e-5))

    def test_without_pooling_places_that_change_places_change_the_result_so(self):
        attention, x, order = random(Attention(16, 4, 8, False)).eval(), torch.randn(2, 16, 8, 8), torch.randperm(64)
        moved = lambda x: x.flatten(2)[:, :, order].reshape(x.shape)
        self.assertTrue(torch.allclose(attention(moved(x)), moved(attention(x)), atol=1e-4))

    def test_the_largest_singular_value_becomes_one(self):
        layer = random(Linear(40, 30))
        with torch.no_grad():
            for _ in range(60):
                W = layer.matrix()
        self.assertAlmostEqual(float(torch.linalg.matrix_norm(W, 2)), 1, delta=1e-3)
        self.assertAlmostEqual(float(torch.linalg.matrix_norm(layer.folded(), 2)), 1, delta=1e-5)

    def test_folded_is_unfolded(self):
        model = random(Generator(SMALL))
        with torch.no_grad():
            model.settle(3)
            folded = Folded(SMALL)
            folded.load_state_dict(model.folded())
            z, label = torch.randn(4, 8), torch.tensor([0, 1, 2, 1])
            self.assertTrue(torch.allclose(model.eval()(z, label), folded.eval()(z, label), atol=1e-4))

    def test_deviation_is_that_of_pictures_of_a_group(self):
        x, group = torch.randn(5, 3, 2, 2), torch.tensor([0, 2, 0, 2, 0])
        apart = deviation(x, group, 4)
        for g in (0, 2):
            mine = group == g
            self.assertTrue(torch.allclose(apart[mine], x[mine].std(0, unbiased=False).expand(int(mine.sum()), -1, -1, -1), atol=1e-3))

    def test_pictures_that_are_alike_are_told_from_pictures_that_differ(self):
        critic = random(Discriminator((8, 8), 2, False, 4)).eval()
        one, label, drawn = torch.randn(1, 3, 16, 16), torch.tensor([0, 1]), torch.ones(2, dtype=torch.long)
        alike = critic(one.repeat(2, 1, 1, 1), label * 0, drawn)[0][0]
        alone = critic(torch.cat([one, torch.randn(1, 3, 16, 16)]), label * 0, drawn)[0][0]
        apart = critic(torch.cat([one, torch.randn(1, 3, 16, 16)]), label, drawn)[0][0]
        self.assertGreater((alike - alone).abs(), 1e-4)
        self.assertAlmostEqual(float(apart), float(alike), places=3)  # a picture that is alone in its class does not deviate from anything

    def test_a_run_begins_with_both_nets_of_another_one(self):
        small = dict(height=16, latent_length=8, channels=(16, 16, 16), critic=(16, 16), classes=3, attention_key=4, attention_value=8, recalled=4)
        first, then = SaganTask(Settings(**small, attention_size=0)), SaganTask(Settings(**small, attention_size=8))
        before, model, average = random(first.model()), then.model(), then.model()
        first.ready(before, before, "cpu")
        then.first = dict(model=before.state_dict(), average=before.state_dict(), beside=first.beside())
        then.begin(model, None)
        then.ready(model, average, "cpu")
        z, label = torch.randn(3, 8), torch.tensor([0, 1, 2])
        with torch.no_grad():
            self.assertTrue(torch.equal(before.eval()(z, label), model.eval()(z, label)))
            self.assertTrue(torch.equal(before(z, label), average.eval()(z, label)))
        self.assertTrue(torch.equal(first.critic.last.conv_0.weight, then.critic.last.conv_0.weight))

    def test_kinds(self):
        self.assertEqual([emoji_kinds.kind_of(codes) for codes in ("1f600", "1f468-1f3fd", "1f44b", "1f1eb-1f1f7", "2764-fe0f", "1f468-200d-1f373", "1f1eb")],
                         [0, 1, 3, 7, 4, -1, -1])

    def test_of_pictures_that_are_near_one_counts(self):
        x = torch.tensor([[0.0], [0.1], [5.0], [5.05], [9.0]])
        self.assertEqual(differing(torch.cdist(x, x), 1.0), 3)

    def test_augmentation_has_a_gradient_and_follows_from_its_noise(self):
        x = torch.rand(3, 3, 16, 16, requires_grad=True)
        one, same, other = (augment(x, torch.Generator().manual_seed(seed)) for seed in (1, 1, 2))
        self.assertTrue(torch.equal(one, same))
        self.assertFalse(torch.equal(one, other))
        one.sum().backward()
        self.assertGreater(x.grad.abs().sum(), 0)


if __name__ == "__main__":
    unittest.main()
