# SPDX-License-Identifier: MIT
"""Gated PixelCNN (van den Oord, Kalchbrenner, Vinyals, Espeholt, Graves and Kavukcuoglu 2016, "Conditional Image Generation with PixelCNN
Decoders") for greyscale pictures. The modules correspond to the layers of the C engine. Taps and shapes are as in models/pixelcnn/model.py.
"""
import math
from dataclasses import dataclass

import torch
from torch import nn

from models.pixelcnn.model import Config as PixelCNNConfig
from models.pixelcnn.model import Pixels, Table, Taps


@dataclass
class Config(PixelCNNConfig):
    block_count: int = 9
    embedding_length: int = 32           # C, width of both stacks
    kernel: int = 5
    classes: int = 0
    # True if a layer of the vertical stack also reads that stack's values in the pixel's own row. False is only for the beginning of
    # training, because the engine does not support it.
    own_row: bool = True


def gate(fg):
    """Computes tanh of the first half times sigmoid of the second: (..., 2C) -> (..., C)"""
    f, g = fg.chunk(2, -1)
    return torch.tanh(f) * torch.sigmoid(g)


class Layer(nn.Module):
    """A layer of both stacks. v is the output of the vertical stack, h that of the horizontal stack, and c is the class:

        p  = W_vertical * v + V_v c              floor(k/2) + 1 rows of k taps                  v' = gate(p)
        q  = W_horizontal * h + W_link p + V_h c     the pixel and floor(k/2) left of it        h' = h + W_output gate(q)

    The input layer reads the picture. Its vertical taps cover the floor(k/2) rows above the pixel's row, so v depends only on whole rows
    above. Later layers may therefore read v in the pixel's own row, even right of the pixel, which removes the blind spot. The horizontal
    taps of the input layer end before the pixel (mask A), and this layer has no h to add.
    """

    def __init__(self, c, first=False):
        super().__init__()
        C, k, self.first = c.embedding_length, c.input_kernel if first else c.kernel, first
        kind, channels, half = Table if first else Taps, c.levels if first else C, k // 2
        own = k if c.own_row and not first else 0
        self.vertical = kind(channels, 2 * C, k, half, own, -half if own else 0)
        self.horizontal = kind(channels, 2 * C, k, 0, half if first else half + 1, int(first), bias=False)
        self.link = nn.Linear(2 * C, 2 * C)
        self.output = nn.Linear(C, C)
        if c.classes:
            self.add_module("class", nn.Embedding(c.classes, 4 * C))     # [V_v | V_h]
        with torch.no_grad():
            if not first:
                for layer in (self.vertical, self.horizontal):
                    nn.init.normal_(layer.weight, std=1.5 / math.sqrt(layer.in_features))
                nn.init.zeros_(self.vertical.bias)
            nn.init.normal_(self.link.weight, std=math.sqrt(0.5 / self.link.in_features))
            nn.init.normal_(self.output.weight, std=(1.5 if first else 1.0) / math.sqrt(self.output.in_features))
            nn.init.zeros_(self.link.bias), nn.init.zeros_(self.output.bias)
            if c.classes:
                nn.init.normal_(self.get_submodule("class").weight, std=0.05)

    def condition(self, label):
        """Looks up the class vector of each label, (B,) -> (B, 1, 1, 4C). The vector is zero where the label is -1; the result is None if
        all labels are -1."""
        if label is None or not hasattr(self, "class") or bool((label < 0).all()):
            return None
        return (self.get_submodule("class")(label.clamp(min=0)) * (label >= 0)[:, None])[:, None, None]

    def forward(self, v, h, label=None):
        p, q, condition = self.vertical(v), self.horizontal(h), self.condition(label)
        if condition is not None:
            of_v, of_h = condition.chunk(2, -1)
            p, q = p + of_v, q + of_h
        o = self.output(gate(q + self.link(p)))
        return gate(p), o if self.first else h + o


class GatedPixelCNN(Pixels):
    def __init__(self, c):
        super().__init__()
        self.c = c
        self.input = Layer(c, first=True)
        self.blk = nn.ModuleList(Layer(c) for _ in range(c.block_count))
        self.ends(c)

    def forward(self, x, label=None, rows=None):
        """Maps pictures to logits, like PixelCNN. label (B,): classes, -1 for no class."""
        v = h = self.one_hot(x)[:, :rows]
        for layer in (self.input, *self.blk):
            v, h = layer(v, h, label)
        return self.last(h)
