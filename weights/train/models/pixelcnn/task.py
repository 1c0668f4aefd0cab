# SPDX-License-Identifier: MIT
"""The task of PixelCNN: greyscale pictures, likelihood (with and without the class if the model has classes), sample sheets and metadata
keys."""
from dataclasses import dataclass, fields

import numpy as np
import torch

from common import gguf
from common.png import mosaic
from common.settings import Settings as Common
from common.task import Task, picks, spread
from data.pictures import to_bytes, to_levels
from models.pixelcnn.model import Config, PixelCNN


@dataclass
class Settings(Config, Common):
    dataset: str = "binarised_mnist"


class Levels:
    """Pictures (N, n) as levels, and their labels."""

    def __init__(self, images, labels, levels, device):
        self.x = torch.from_numpy(to_levels(images, levels).reshape(len(images), -1)).to(device)
        self.y = torch.from_numpy(np.array(labels)).to(device)

    def __len__(self):
        return len(self.x)

    def take(self, pick, device):
        pick = pick if isinstance(pick, slice) else torch.from_numpy(np.asarray(pick)).to(self.x.device)
        return self.x[pick].to(device).long(), self.y[pick].to(device).long()


class PixelCNNTask(Task):
    Settings, Config, Model = Settings, Config, PixelCNN
    architecture = "pixelcnn"
    slow_sheet = True

    @staticmethod
    def smoke(settings):
        return dict(Task.smoke(settings), block_count=2, embedding_length=32, head_length=32)

    @property
    def prefix(self):
        return self.architecture + "."

    def model(self):
        return self.Model(self.Config(**{f.name: getattr(self.s, f.name) for f in fields(self.Config)}))

    def encode(self, examples, model, device="cpu"):
        return Levels(*examples, self.s.levels, device)

    def batch(self, train, step, device):
        return train.take(picks(self.s.seed, step, self.s.batch, len(train)), device)

    def matrices(self, model):
        return [p for name, p in model.named_parameters() if name.endswith(".weight") and self.product(name)]

    @staticmethod
    def product(name):
        """Returns whether a matrix is a factor of a product rather than a table of rows to add."""
        return name not in ("input.weight", "input.vertical.weight", "input.horizontal.weight") and ".class." not in name

    @property
    def shape(self):
        return self.s.height, self.s.width, self.s.channels

    @property
    def elements(self):
        return self.s.height * self.s.width

    def sheet(self, model, valid, path, autocast, device, final):
        """Draws samples; if the model has classes, each column has samples of one class. Below the samples, draws pictures and completions
        of the pictures' upper halves."""
        s, generator = self.s, torch.Generator().manual_seed(0)
        x, label = valid.take(spread(len(valid), 10), "cpu")
        classes, half = getattr(s, "classes", 0), s.height // 2 * s.width
        model = model.cpu()
        with autocast():
            drawn = model.generate((torch.arange(10) % classes if classes else torch.full((10,), -1)).repeat(4 if final else 2), None, 1.0, generator)
            done = model.generate(torch.full((10,), -1), x[:, :half], 1.0, generator)
        model.to(device)
        given = to_bytes(x.numpy(), s.levels)
        given[:, half:] = 128
        tiles = np.concatenate([to_bytes(drawn.numpy(), s.levels), to_bytes(x.numpy(), s.levels), given, to_bytes(done.numpy(), s.levels)])
        mosaic(path, tiles.astype(np.uint8).reshape(-1, 10, s.height, s.width, 1))

    def metadata(self, model):
        c, a = model.c, self.prefix
        return {a + "image.height": c.height, a + "image.width": c.width, a + "image.channels": c.channels, a + "image.levels": c.levels,
                a + "block_count": c.block_count, a + "embedding_length": c.embedding_length, a + "input_kernel": c.input_kernel,
                a + "kernel": c.kernel, a + "head_length": c.head_length, a + "output.type": c.output}

    def type_of(self, name, x, kind):
        """Returns the requested type for matrices that `product` selects. Tables and vectors get F32. If a quantised type is requested, a
        matrix whose width is not a multiple of 32 gets F32, too."""
        if x.ndim != 2 or not self.product(name) or kind in (gguf.Q4_0, gguf.Q8_0) and x.shape[1] % 32:
            return gguf.F32
        return gguf.Q8_0 if kind == gguf.Q4_0 and name == "output.weight" else kind

    @classmethod
    def settings_of(cls, metadata, tensors):
        prefix = cls.architecture + "."
        m = {key[len(prefix):]: v for key, v in metadata.items() if key.startswith(prefix)}
        found = {key.split(".")[-1]: v for key, v in m.items() if key.split(".")[-1] in Config.__dataclass_fields__}
        found.update(output=m["output.type"])
        return found


TASK = PixelCNNTask
