# SPDX-License-Identifier: MIT
"""The task of the FVSBN. An example is a picture with two grey levels."""
from dataclasses import dataclass

import numpy as np
import torch

from common import gguf
from common.png import mosaic
from common.settings import Settings as Common
from common.task import Task, picks, spread
from models.fvsbn.model import FVSBN, Config


@dataclass
class Settings(Config, Common):
    dataset: str = "binarised_mnist"
    bf16: bool = False                   # off: the model has only two small products, which bf16 in the C code would not speed up
    precision: float = 0.0               # precision of the Gaussian prior of a weight between pixels at distance 1; 0: no prior
    precision_power: float = 1.0         # the precision grows with this power of the distance, because distant pixels matter little


class Bits:
    """Pictures (N, n) with values 0 and 1."""

    def __init__(self, images, device):
        self.x = torch.from_numpy((images.reshape(len(images), -1) > 127).astype(np.uint8)).to(device)

    def __len__(self):
        return len(self.x)

    def take(self, pick, device):
        pick = pick if isinstance(pick, slice) else torch.from_numpy(np.asarray(pick)).to(self.x.device)
        return (self.x[pick].to(device).float(),)


class FVSBNTask(Task):
    Settings = Settings
    architecture = "fvsbn"
    penalty = None                       # (n, n) precisions of the prior

    def model(self):
        return FVSBN(Config(self.s.height, self.s.width))

    def encode(self, examples, model, device="cpu"):
        return Bits(examples[0], device)

    def batch(self, train, step, device):
        return train.take(picks(self.s.seed, step, self.s.batch, len(train)), device)

    def matrices(self, model):
        return [model.fvsbn.weight]

    def prior(self, model):
        """Returns the prior of the weights W: the sum over all j < i of (precision / 2) |i - j|^power W_ij^2, where |i - j| is the distance
        of the pixels i and j"""
        if not self.s.precision:
            return None
        w = model.fvsbn.weight
        if self.penalty is None:
            place = torch.arange(len(w), device=w.device)
            row, column = place // self.s.width, place % self.s.width
            distance = ((row[:, None] - row) ** 2 + (column[:, None] - column) ** 2).sqrt()
            self.penalty = self.s.precision / 2 * distance ** self.s.precision_power
        return (self.penalty * w * w).sum()

    @property
    def shape(self):
        return self.s.height, self.s.width, 1

    @property
    def elements(self):
        return self.s.height * self.s.width

    def sheet(self, model, valid, path, autocast, device, final):
        """Draws a sheet with four parts, from top to bottom: samples, validation pictures, the upper halves of these pictures, and
        completions of the halves."""
        (x,), model, generator = valid.take(spread(len(valid), 10), "cpu"), model, torch.Generator().manual_seed(0)
        half = self.s.height // 2 * self.s.width
        given = x.clone()
        given[:, half:] = 0.5
        rows = [model.cpu().generate(40, None, generator), x, given, model.generate(10, x[:, :half], generator)]
        model.to(device)
        mosaic(path, (255 * torch.cat(rows)).numpy().astype(np.uint8).reshape(-1, 10, self.s.height, self.s.width, 1))

    def metadata(self, model):
        a = "fvsbn.image."
        return {a + "height": self.s.height, a + "width": self.s.width, a + "channels": 1, a + "levels": 2}

    def type_of(self, name, x, kind):
        """Returns F16 for a matrix unless F32 is requested. The quantised types are impossible, because a row does not consist of whole
        blocks of 32 values."""
        return gguf.F32 if x.ndim == 1 or kind == gguf.F32 else gguf.F16

    @staticmethod
    def settings_of(metadata, tensors):
        return {key: metadata["fvsbn.image." + key] for key in ("height", "width")}


TASK = FVSBNTask
