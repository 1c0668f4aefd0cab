# SPDX-License-Identifier: MIT
"""The discriminator, of training only: D(x, y) = w . h(x) + e_y . h(x) with h the sum over places [Miyato and Koyama 2018], spectrally normalised.

    conv 3x3, ReLU, conv 4x4 stride 2, beside it mean 2x2, conv 1x1 -> attention at half size -> blocks, each half as wide -> a block as wide -> ReLU, sum
"""
import torch
import torch.nn.functional as F
from torch import nn

from models.sagan.layers import Attention, Conv, Linear


class Down(nn.Module):
    def __init__(self, into, out, first=False, stride=2, normed=True):
        super().__init__()
        self.first, self.stride = first, stride
        middle = out // 2 if first else into
        self.conv_0 = Conv(into, middle, normed=normed)
        self.conv_1 = Conv(middle, out, 4 if stride == 2 else 3, stride, normed=normed)
        self.skip = Conv(into, out, 1, normed=normed) if into != out else None

    def forward(self, x):
        h = self.conv_1(F.relu(self.conv_0(x if self.first else F.relu(x))))
        x = F.avg_pool2d(x, 2) if self.stride == 2 else x
        return h + (self.skip(x) if self.skip else x)


class Discriminator(nn.Module):
    def __init__(self, channels, classes, attention, normed=True):
        super().__init__()
        widths = (3,) + tuple(channels)
        self.blk = nn.ModuleList(Down(a, b, i == 0, normed=normed) for i, (a, b) in enumerate(zip(widths, channels)))
        self.attn = Attention(channels[0], channels[0] // 8, channels[0] // 2, True, normed) if attention else None
        self.last = Down(channels[-1], channels[-1], stride=1, normed=normed)
        self.real = Linear(1, channels[-1], normed=normed)
        self.kind = Linear(classes, channels[-1], bias=False, normed=normed)

    def forward(self, x, label):
        """(B, 3, H, W) in -1..1, (B,) -> (B,)"""
        for i, block in enumerate(self.blk):
            x = block(x)
            if i == 0 and self.attn:
                x = self.attn(x)
        h = F.relu(self.last(x)).float().sum((2, 3))
        with torch.autocast("cpu", enabled=False):
            return self.real(h)[:, 0] + (self.kind.matrix()[label] * h).sum(1)
