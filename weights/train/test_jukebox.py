# SPDX-License-Identifier: MIT
"""Tests Jukebox: convolutions match their definition, codebook vectors move towards the inputs that they represent, and priors get the
correct inputs."""
import unittest

import numpy as np
import torch
import torch.nn.functional as F

from models.jukebox.model import Down, Three, Unit, Up
from models.jukebox.task import DECAY, Codes, JukeboxTask, Settings, Sounds, convergence

TINY = dict(top_strides=(2, 4), top_widths=(8, 8), bottom_strides=(4,), bottom_widths=(8,), unit_count=1, code_length=8, top_codes=6, bottom_codes=7, embedding_length=16,
            feed_forward_length=16, head_count=2, key_length=8, top_blocks=1, bottom_blocks=1, top_stride=4, bottom_stride=4, top_length=40, crop=64)


class Convolutions(unittest.TestCase):
    def test_layers_are_convolutions_and_transposed_ones(self):
        torch.manual_seed(1)
        x = torch.randn(2, 24, 3)
        taps = lambda conv, out, into: conv.weight.view(out, -1, into).transpose(1, 2)
        three, down, unit, up = Three(5, 3), Down(5, 3, 4), Unit(3, 2), Up(5, 3, 4)
        close = lambda a, b: self.assertLess(float((a - b.transpose(1, 2)).abs().max()), 1e-5)
        close(three(x), F.conv1d(x.transpose(1, 2), taps(three.conv, 5, 3), three.conv.bias, padding=1))
        close(down(x), F.conv1d(x.transpose(1, 2), taps(down.conv, 5, 3), down.conv.bias, stride=4, padding=2))
        inner = F.conv1d(torch.relu(x).transpose(1, 2), taps(unit.conv, 3, 3), unit.conv.bias, padding=2, dilation=2)
        close(unit(x), x.transpose(1, 2) + unit.mix(torch.relu(inner).transpose(1, 2)).transpose(1, 2))
        # Output k of a block uses tap 4 + k of the previous vector and tap k of the next one.
        w = up.conv.weight.view(4, 5, 2, 3)
        kernel = torch.cat([w[:, :, 1], w[:, :, 0]]).permute(2, 1, 0)
        torch.nn.init.zeros_(up.conv.bias)
        close(up(x), F.conv_transpose1d(x.transpose(1, 2), kernel, stride=4, padding=2))


class Books(unittest.TestCase):
    def test_vectors_follow_the_mean_of_what_they_replace_and_begin_anew_where_nothing_does(self):
        task = JukeboxTask(Settings(**TINY))
        model = task.model()
        task.ready(model, model, "cpu")
        book = task.book("top")
        h = torch.randn(200, 8)
        ids = torch.randint(0, 5, (200,))                # the last code is never used
        for _ in range(600):
            task.follow("top", h, ids)
        for k in range(5):
            self.assertLess(float((book[k] - h[ids == k].mean(0)).abs().max()), 0.05 + 10 * (1 - DECAY))
        self.assertLess(float((h - book[5]).pow(2).sum(1).min()), 1.0)       # the unused vector was replaced by an input, and may have moved
        self.assertEqual(model.codebook.top.nearest(book).tolist(), list(range(6)))


class Shown(unittest.TestCase):
    def test_priors_see_codes_their_end_and_nothing_behind(self):
        task = JukeboxTask(Settings(part="priors", **TINY))
        model = task.model()
        rng = np.random.default_rng(1)
        sounds = Sounds([rng.integers(0, 256, n).astype(np.uint8) for n in (61, 130, 64)], [0, 1, 2], [0, 0, 1], 64)
        codes = Codes(model, sounds, 1, 1)
        self.assertEqual(sorted(codes.lengths.tolist()), [9, 9, 18])
        top, bottom, label, _ = codes.take(slice(None), "cpu")
        for row, below, y in zip(top, bottom, label):
            n = {0: 8, 1: 17, 2: 8}[int(y)]
            self.assertEqual((int(row[n]), int((row >= 0).sum()), int((below >= 0).sum())), (6, n + 1, 2 * n))
        above = task.above(top)
        self.assertEqual(int((above >= 0).sum()), 33)
        # A padded sequence in a batch has the same nats as on its own.
        with torch.no_grad():
            together = task.nats(model.eval(), *codes.take(slice(None), "cpu"))
            alone = torch.cat([task.nats(model, *codes.take(slice(i, i + 1), "cpu")) for i in range(3)])
        self.assertLess(float((together - alone).abs().max()), 1e-3)

    def test_the_longest_sound_has_all_codes_and_an_end(self):
        task = JukeboxTask(Settings(part="priors", **TINY))
        model = task.model()
        codes = Codes(model, Sounds([np.arange(400).astype(np.uint8)], [0], [0], 64), 1, 1)
        top, bottom, _, _ = batch = codes.take(slice(None), "cpu")
        self.assertEqual((int((top >= 0).sum()), int((bottom >= 0).sum()), int(top[0, 40])), (41, 80, 6))
        with torch.no_grad():
            self.assertTrue(bool(task.nats(model, *batch).isfinite().all()))

    def test_convergence_is_nought_decibels_of_silence(self):
        x = torch.randn(2, 2000)
        self.assertLess(float(convergence(x, 1e-4 * x).abs().max()), 0.1)
        self.assertLess(float(convergence(x, 0.9 * x).max()), -19.9)


if __name__ == "__main__":
    unittest.main()
