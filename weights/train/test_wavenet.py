# SPDX-License-Identifier: MIT
"""Tests WaveNet. Growing a model does not change its outputs, and the loss has an additional term for the decision to end."""
import unittest

import numpy as np
import torch

from data.fsdd import word
from models.wavenet.model import Config
from models.wavenet.task import TASK


class Grow(unittest.TestCase):
    def test_layers_that_are_added_give_nothing_yet(self):
        small = Config(dilations=(1, 2, 4), residual_length=8, gate_length=8, skip_length=12, head_length=8, classes=3, speakers=2, rate=8000)
        torch.manual_seed(1)
        old, new = TASK.of(small), TASK.of(Config(**dict(vars(small), dilations=(1, 2, 4, 8, 16))))
        before, after = old.model(), new.model()
        with torch.no_grad():
            new.grow(after, before.state_dict())
            x, label, speaker = torch.randint(0, 256, (2, 60)), torch.tensor([1, -1]), torch.tensor([0, 1])
            self.assertTrue(torch.equal(before(x, label, speaker), after(x, label, speaker)))
        after.nats(x, label, speaker).sum().backward()
        for name in ("blk.2.mix.weight", "blk.3.mix.weight", "blk.4.mix.weight"):
            self.assertGreater(float(after.get_parameter(name).grad.abs().max()), 0, name)

    def test_units_and_channels_that_are_added_give_nothing_yet(self):
        small = Config(dilations=(1, 2, 4), residual_length=8, gate_length=4, skip_length=12, head_length=8, classes=3, speakers=2, rate=8000)
        torch.manual_seed(1)
        for more in (dict(residual_length=16), dict(gate_length=8), dict(residual_length=12, gate_length=8, skip_length=32, head_length=12, dilations=(1, 2, 4, 8))):
            old, new = TASK.of(small), TASK.of(Config(**dict(vars(small), **more)))
            before, after = old.model(), new.model()
            with torch.no_grad():
                new.grow(after, before.state_dict())
                x, label, speaker = torch.randint(0, 256, (2, 60)), torch.tensor([1, -1]), torch.tensor([0, 1])
                self.assertLess(float((before(x, label, speaker) - after(x, label, speaker)).abs().max()), 1e-5, more)


class Gain(unittest.TestCase):
    def test_the_file_has_the_class_louder_and_the_model_in_training_does_not(self):
        task = TASK.of(Config(dilations=(1, 2), residual_length=8, gate_length=8, skip_length=8, head_length=8, rate=8000, classes=3, speakers=2))
        task.s.class_gain = 1.25
        model = task.model()
        before = {name: p.detach().clone() for name, p in model.state_dict().items()}
        for name, p in task.folded(model).state_dict().items():
            self.assertTrue(torch.equal(p, before[name] * (1.25 if ".class." in name else 1)), name)
            self.assertTrue(torch.equal(model.state_dict()[name], before[name]), name)


class Word(unittest.TestCase):
    def test_a_click_behind_the_last_whole_frame_is_left_as_it_is(self):
        self.assertEqual(len(word(np.eye(1, 430, 429)[0])), 430)
        self.assertEqual(len(word(np.concatenate([np.zeros(800), np.ones(800), np.zeros(800)]))), 800 + 4 * 80)


class Ends(unittest.TestCase):
    def test_the_chance_of_an_end_is_that_of_its_id(self):
        torch.manual_seed(1)
        task = TASK.of(Config(dilations=(1, 2), residual_length=8, gate_length=8, skip_length=8, head_length=8, rate=8000))
        model, x = task.model(), torch.tensor([[3, 200, 256, -1], [128, 128, 7, 256]])
        each, ends = model.each_and_ends(x)
        self.assertTrue(torch.allclose(each, model.each(x), atol=1e-5))
        p = model(x.clamp(min=0)).softmax(-1)[..., 256]
        self.assertTrue(torch.allclose(ends[1], -torch.log(torch.where(x[1] == 256, p[1], 1 - p[1])), atol=1e-5))
        self.assertTrue(float(ends[0, 3]) == float(each[0, 3]) == 0)
        task.s.end_weight = 20.0
        self.assertTrue(torch.allclose(task.nats(model, x), (each + 20 * ends).sum(1)))
        self.assertTrue(torch.allclose(task.nats(model.eval(), x), each.sum(1), atol=1e-5))      # measurements use the plain likelihood


if __name__ == "__main__":
    unittest.main()
