"""WaveNet: a grown model begins as the one that it is grown from."""
import unittest

import torch

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


if __name__ == "__main__":
    unittest.main()
