# SPDX-License-Identifier: MIT
"""PixelCNN (van den Oord, Kalchbrenner and Kavukcuoglu 2016, "Pixel Recurrent Neural Networks") for greyscale pictures, and the code that
it shares with gated PixelCNN (models/gated_pixelcnn).

The modules correspond to the layers of the C engine.  Module names are chosen so that `state_dict()` gives the tensor names of the weight
file; export.py copies them unchanged. A convolution's weight has the shape (out, taps * in), as in the file. The taps are those that the
mask allows, in raster order:

    mask A    a pixel sees the rows above and the pixels to its left in its own row; used by the first layer
    mask B    a pixel also sees itself; used by all later layers, because their values at a pixel depend only on earlier pixels

The first layer reads one-hot ids: its weight is a table with one row per tap and value, (taps * V, out). A tap outside the picture adds
nothing, whereas a pixel of value 0 adds a row of the table. Activations are (B, H, W, channels).
"""
import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import nn

from common import distributions


@dataclass
class Config:
    """Hyper-parameters, named as in the weight file's metadata."""
    height: int = 28
    width: int = 28
    channels: int = 1
    levels: int = 2                      # V
    block_count: int = 12
    embedding_length: int = 64           # 2h, the width between blocks
    input_kernel: int = 7                # side of the first convolution's kernel, odd
    kernel: int = 3                      # side of all other kernels, odd
    head_length: int = 64                # width of the layer before the output
    output: str = "bernoulli"            # distribution of a pixel or id: bernoulli (V = 2) | categorical

    @property
    def n(self):
        return self.height * self.width


class Taps(nn.Linear):
    """A convolution over the taps that a mask allows: the `above` rows of k taps directly above the pixel's row, and `left` taps in the
    pixel's own row. The last of these taps is `shift` pixels left of the pixel, or the pixel itself if shift = 0. With left = k and shift =
    -floor(k/2), the taps cover the whole row."""

    def __init__(self, channels, out, k, above, left, shift, bias=True):
        super().__init__((above * k + left) * channels, out, bias)
        self.channels, self.k, self.above, self.left, self.shift = channels, k, above, left, shift

    def places(self):
        """Returns the offset (rows down, columns right) of each tap, in the order in which the weight stores the taps."""
        half = self.k // 2
        return ([(r - self.above, c - half) for r in range(self.above) for c in range(self.k)]
                + [(0, c + 1 - self.left - self.shift) for c in range(self.left)])

    def gathered(self, x):
        """Gathers the taps of each pixel: (B, H, W, channels) -> (B, H, W, taps * channels), zeros outside the picture"""
        H, W = x.shape[1:3]
        edge = self.k + self.left + self.shift
        padded = F.pad(x, (0, 0, edge, edge, self.above, 0))
        return torch.cat([padded[:, self.above + r:self.above + r + H, edge + c:edge + c + W] for r, c in self.places()], -1)

    def forward(self, x):
        """Applies the convolution: (B, H, W, channels) -> (B, H, W, out)"""
        if x.dtype == torch.float64:
            return F.linear(self.gathered(x), self.weight, self.bias)
        # a convolution over the whole rectangle of taps, with zeros for the masked taps, gives the same result
        half = self.k // 2
        w = self.weight.view(-1, self.above * self.k + self.left, self.channels)
        if self.left and self.above:
            w, rows, columns = F.pad(w, (0, 0, 0, self.k - self.left)), self.above + 1, self.k
            edges = (half, half, self.above, 0)
        elif self.above:
            rows, columns, edges = self.above, self.k, (half, half, self.above, 0)
        else:
            rows, columns, edges = 1, self.left, (self.left - 1 + self.shift, 0, 0, 0)
        w = w.view(-1, rows, columns, self.channels).permute(0, 3, 1, 2)
        y = F.conv2d(F.pad(x.permute(0, 3, 1, 2), edges), w.contiguous(memory_format=torch.channels_last), self.bias)
        return y.permute(0, 2, 3, 1)[:, :x.shape[1], :x.shape[2]]


class Table(Taps):
    """A convolution like `Taps`, but over ids: weight (taps * V, out)"""

    def __init__(self, levels, out, k, above, left, shift, bias=True):
        super().__init__(levels, out, k, above, left, shift, bias)
        self.weight = nn.Parameter(torch.empty(self.in_features, out))
        nn.init.normal_(self.weight, std=math.sqrt(levels / self.in_features))
        if bias:
            nn.init.zeros_(self.bias)

    def forward(self, x):
        """Applies the convolution to one-hot ids: (B, H, W, V) -> (B, H, W, out)"""
        return F.linear(self.gathered(x), self.weight.t(), self.bias)


class Pixels(nn.Module):
    """Base class of PixelCNN and gated PixelCNN: one-hot encoding of ids, the last layers, likelihoods and sampling."""

    def ends(self, c):
        self.head = nn.ModuleList([nn.Linear(c.embedding_length, c.head_length)])
        self.output = nn.Linear(c.head_length, c.levels if c.output == "categorical" else 1)
        for layer, std in ((self.head[0], math.sqrt(2.0 / c.embedding_length)), (self.output, 0.02)):
            nn.init.normal_(layer.weight, std=std), nn.init.zeros_(layer.bias)

    def one_hot(self, x):
        """Encodes ids (B, n) as one-hot vectors (B, H, W, V)"""
        c = self.c
        return F.one_hot(x.view(-1, c.height, c.width), c.levels).to(self.output.weight.dtype)

    def last(self, h):
        """Maps the last activations (B, H, W, embedding_length) to the outputs (B, n, P)"""
        return self.output(torch.relu(self.head[0](torch.relu(h)))).flatten(1, 2)

    def nats(self, x, label=None):
        """Returns a tensor of shape (B,): -log p(x | label)"""
        return self.each(x, label).sum(1)

    def each(self, x, label=None):
        """Returns a tensor of shape (B, n): -log p(x_i | x_<i, label)"""
        out = self(x, label)
        return distributions.nats(self.c, out if out.dtype == torch.float64 else out.float(), x)

    @torch.no_grad()
    def generate(self, label, prefix=None, temperature=1.0, generator=None):
        """Completes prefix (B, m) to (B, n), given label (B,). The whole picture is recomputed for each pixel, so this function is only for
        sample sheets."""
        x = torch.zeros(len(label), self.c.n, dtype=torch.long)
        m = 0 if prefix is None else prefix.shape[1]
        if m:
            x[:, :m] = prefix
        for i in range(m, self.c.n):
            rows = min(self.c.height, i // self.c.width + 1)
            x[:, i] = distributions.sample(self.c, self(x, label, rows)[:, i].float(), temperature, generator)
        return x


class Block(nn.Module):
    """Residual block h + W_expand relu(W_conv * relu(W_reduce relu(h))): W_reduce is 1x1 and halves the width, W_conv is k x k with mask B,
    and W_expand is 1x1"""

    def __init__(self, c):
        super().__init__()
        d, half = c.embedding_length, c.embedding_length // 2
        self.reduce = nn.Linear(d, half)
        self.conv = Taps(half, half, c.kernel, c.kernel // 2, c.kernel // 2 + 1, 0)
        self.expand = nn.Linear(half, d)

    def forward(self, h):
        return h + self.expand(torch.relu(self.conv(torch.relu(self.reduce(torch.relu(h))))))


class PixelCNN(Pixels):
    def __init__(self, c):
        super().__init__()
        self.c, half = c, c.input_kernel // 2
        self.input = Table(c.levels, c.embedding_length, c.input_kernel, half, half, 1)
        self.blk = nn.ModuleList(Block(c) for _ in range(c.block_count))
        self.ends(c)
        with torch.no_grad():
            for layer in [layer for b in self.blk for layer in (b.reduce, b.conv, b.expand)]:
                nn.init.normal_(layer.weight, std=math.sqrt(2.0 / layer.in_features)), nn.init.zeros_(layer.bias)
            for b in self.blk:
                b.expand.weight.mul_(1.0 / math.sqrt(c.block_count))

    def forward(self, x, label=None, rows=None):
        """Predicts each pixel: x (B, n) levels -> (B, n, P). rows: computes only the first rows."""
        h = self.input(self.one_hot(x)[:, :rows])
        for block in self.blk:
            h = block(h)
        return self.last(h)
