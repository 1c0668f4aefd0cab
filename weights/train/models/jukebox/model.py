# SPDX-License-Identifier: MIT
"""A small Jukebox (Dhariwal, Jun, Payne, Kim, Radford and Sutskever 2020, "Jukebox: A Generative Model for Music"). It has three parts:

    a VQ-VAE (van den Oord, Vinyals and Kavukcuoglu 2017), which encodes a sound as two levels of codes
    the top prior, which generates the codes of the top level
    the bottom prior, which generates the codes of the bottom level, given the codes of the top level

The modules mirror the C engine layer by layer. Module names are chosen so that `state_dict()` gives the tensor names of the weight file.
Each level has its own encoder, codebook and decoder. s is a stride and C a width. Activations have the shape (B, T, C); they are zero
before the beginning and after the end.

    encoder, for each stride    x_i = W [the 2 s samples around block i] + b;  then residual units; at the end W [h_{i-1}; h_i; h_{i+1}] + b
    a residual unit             x + W_mix relu(W_conv relu[x_{t-d}; x_t; x_{t+d}])  d = 1, 3, 9, ... in the encoder, reversed in the decoder
    the code of h               argmin_k |e_k|^2 / 2 - h e_k                        the lowest id in a tie
    decoder                     W [e_{i-1}; e_i; e_{i+1}] + b, then, for each stride from the last to the first, residual units and
                                s outputs between the centres of x_{j-1} and x_j: W [x_{j-1}; x_j] + b

The layers that change the length are convolutions with kernel size 2 s, stride s and padding s/2, and the corresponding transposed
convolutions.
"""
import math
from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from data.fsdd import expand
from models.sparse_transformer.model import Block, turn

LEVELS = ("top", "bottom")


@dataclass
class Config:
    """Hyper-parameters, named as in the weight file's metadata."""
    rate: int = 8000
    top_strides: tuple = (4, 4, 4)       # strides of the convolutions; their product is the number of samples per code
    top_widths: tuple = (32, 64, 96)     # width after each of these convolutions
    bottom_strides: tuple = (4, 4)
    bottom_widths: tuple = (32, 64)
    unit_count: int = 3                  # residual units per stride
    code_length: int = 64                # width of a codebook vector
    top_codes: int = 512
    bottom_codes: int = 512
    classes: int = 10
    speakers: int = 6
    # priors
    top_length: int = 128                # maximum number of codes of the top level
    embedding_length: int = 128          # d
    feed_forward_length: int = 256
    head_count: int = 4
    key_length: int = 32
    top_blocks: int = 4                  # number of blocks of the top prior; 0: no priors yet
    bottom_blocks: int = 6
    pattern: str = "blocks"              # pattern of attention (models/sparse_transformer/model.py): blocks | strided
    top_stride: int = 16                 # stride l of the pattern on the top level
    bottom_stride: int = 32
    conditioner_units: int = 3           # residual units of the network that reads the top-level codes
    layer_norm_epsilon: float = 1e-5

    def level(self, name):
        return SimpleNamespace(strides=getattr(self, name + "_strides"), widths=getattr(self, name + "_widths"), units=self.unit_count,
                               codes=getattr(self, name + "_codes"), width=self.code_length)

    def hop(self, name):
        return math.prod(getattr(self, name + "_strides"))

    @property
    def ratio(self):
        """Returns the number of codes of the bottom level per code of the top level."""
        return self.hop("top") // self.hop("bottom")

    def prior(self, name):
        """Returns a configuration for the blocks of a Sparse Transformer."""
        class Sets(SimpleNamespace):
            def sets(self, index):
                return [(turn(self.pattern, index), self.head_count)]
        return Sets(embedding_length=self.embedding_length, feed_forward_length=self.feed_forward_length, head_count=self.head_count, key_length=self.key_length,
                    layer_norm_epsilon=self.layer_norm_epsilon, pattern=self.pattern, stride=getattr(self, name + "_stride"), summary=0, block_count=getattr(self, name + "_blocks"))


def linear(rows, cols, gain=1.0):
    layer = nn.Linear(cols, rows)
    nn.init.normal_(layer.weight, std=gain / math.sqrt(cols)), nn.init.zeros_(layer.bias)
    return layer


def three(x, d):
    """Gathers the three taps of each position: (B, T, C) -> (B, T, 3 C): [x_{t-d}; x_t; x_{t+d}]"""
    T = x.shape[1]
    y = F.pad(x, (0, 0, d, d))
    return torch.cat([y[:, :T], x, y[:, 2 * d:]], -1)


class Three(nn.Module):
    """A convolution of 3 taps: (B, T, in) -> (B, T, out)"""

    def __init__(self, out, into):
        super().__init__()
        self.conv = linear(out, 3 * into)

    def forward(self, x):
        return self.conv(three(x, 1))


class Unit(nn.Module):
    """A residual unit with dilation d"""

    def __init__(self, width, d):
        super().__init__()
        self.d = d
        self.conv = linear(width, 3 * width, 1.4)
        self.mix = linear(width, width, 0.3)

    def forward(self, x):
        return x + self.mix(torch.relu(self.conv(three(torch.relu(x), self.d))))


class Down(nn.Module):
    """A convolution of 2 s taps with stride s: (B, n s, in) -> (B, n, out)"""

    def __init__(self, out, into, s):
        super().__init__()
        self.s = s
        self.conv = linear(out, 2 * s * into)

    def forward(self, x):
        B, T, C = x.shape
        y = F.pad(x, (0, 0, self.s // 2, self.s // 2)).reshape(B, T // self.s + 1, self.s * C)
        return self.conv(torch.cat([y[:, :-1], y[:, 1:]], -1))


class Up(nn.Module):
    """A transposed convolution of 2 s taps with stride s: (B, n, in) -> (B, n s, out); each of the s outputs has its own bias"""

    def __init__(self, out, into, s):
        super().__init__()
        self.s = s
        self.conv = linear(s * out, 2 * into)

    def forward(self, x):
        y = F.pad(x, (0, 0, 1, 1))
        y = self.conv(torch.cat([y[:, :-1], y[:, 1:]], -1)).reshape(len(x), (x.shape[1] + 1) * self.s, -1)
        return y[:, self.s // 2:y.shape[1] - self.s // 2]


class Stack(nn.Module):
    def __init__(self, layers):
        super().__init__()
        self.blk = nn.ModuleList(layers)

    def forward(self, x, there=None):
        """Applies the layers. `there` (B, T, 1) is a mask of the positions where x is defined; elsewhere, x stays zero. Only the last layer
        of a stack changes the length"""
        for layer in self.blk:
            x = layer(x if there is None else x * there)
        return x


def encoder(l):
    """Makes the encoder of a level: (B, T, 1) -> (B, T / hop, width)"""
    ins, layers = (1,) + tuple(l.widths), []
    for i, s in enumerate(l.strides):
        layers += [Down(ins[i + 1], ins[i], s)] + [Unit(ins[i + 1], 3 ** j) for j in range(l.units)]
    return Stack(layers + [Three(l.width, ins[-1])])


def decoder(l):
    """Makes the decoder of a level: (B, n, width) -> (B, n hop, 1)"""
    outs, layers = (1,) + tuple(l.widths), [Three(l.widths[-1], l.width)]
    for i in reversed(range(len(l.strides))):
        layers += [Unit(outs[i + 1], 3 ** j) for j in reversed(range(l.units))] + [Up(outs[i], outs[i + 1], l.strides[i])]
    return Stack(layers)


class Codebook(nn.Module):
    """The vectors of a codebook. Each vector follows the mean of the inputs nearest to it; no gradient trains the vectors."""

    def __init__(self, l):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(l.codes, l.width), requires_grad=False)

    def nearest(self, h):
        """Finds the id of the nearest codebook vector: (..., width) -> (...), with products in full precision"""
        h, e = h.to(self.weight.dtype), self.weight
        with torch.autocast(h.device.type, enabled=False):
            return ((e * e).sum(1) / 2 - h @ e.T).argmin(-1)


def given(prior, label, speaker):
    """Returns the sum of the class vector and the speaker vector, (B, 1, d). An id of -1 contributes zero"""
    total = 0
    for name, ids in (("class_embd", label), ("speaker_embd", speaker)):
        if hasattr(prior, name):
            total = total + (getattr(prior, name)(ids.clamp(min=0)) * (ids >= 0)[:, None])[:, None]
    return total


class Conditioner(Stack):
    """Maps the codes of the top level to vectors that are added to the embedding of each position of the bottom level."""

    def __init__(self, c):
        d = c.embedding_length
        super().__init__([Three(d, d)] + [Unit(d, 3 ** j) for j in range(c.conditioner_units)] + [Up(d, d, c.ratio)])
        self.token_embd = nn.Embedding(c.top_codes, d)
        nn.init.normal_(self.token_embd.weight, std=0.5)
        self.norm = nn.LayerNorm(d, eps=c.layer_norm_epsilon)

    def forward(self, top):
        """Maps ids (B, n) to (B, n * ratio, d). Shorter sequences are padded with -1"""
        return self.norm(super().forward(self.token_embd(top.clamp(min=0)), (top >= 0)[..., None]).to(self.norm.weight.dtype))


class Prior(nn.Module):
    """The prior of one level. Position p reads the code at p - 1 (position 0 reads none) and predicts the code at p."""

    def __init__(self, c, name):
        super().__init__()
        self.c, self.name, d = c, name, c.embedding_length
        self.p = c.prior(name)
        n = c.top_length if name == "top" else c.top_length * c.ratio
        self.values = c.top_codes + 1 if name == "top" else c.bottom_codes           # the top level has an end token
        self.token_embd = nn.Embedding(self.values, d)
        self.position_row, self.position_col = nn.Embedding(-(-(n + (name == "top")) // self.p.stride), d), nn.Embedding(self.p.stride, d)
        for kind, count in (("class_embd", c.classes), ("speaker_embd", c.speakers)):
            if count:
                self.add_module(kind, nn.Embedding(count, d))
        if name == "bottom":
            self.cond = Conditioner(c)
        self.blk = nn.ModuleList(Block(self.p, i) for i in range(self.p.block_count))
        self.output_norm = nn.LayerNorm(d, eps=c.layer_norm_epsilon)
        self.output = nn.Linear(d, self.values)
        self.dropout = 0.0               # probability of dropout, in training only
        with torch.no_grad():
            for key, p in self.blk.named_parameters():
                if p.dim() == 2:
                    nn.init.normal_(p, std=1 / math.sqrt(p.shape[1]))
                    if "attn_output" in key or "ffn_down" in key:
                        p.mul_(1 / math.sqrt(2 * self.p.block_count))
                elif key.endswith(".bias"):
                    nn.init.zeros_(p)
            nn.init.normal_(self.token_embd.weight, std=0.5)
            for table in [self.position_row, self.position_col] + [getattr(self, kind) for kind in ("class_embd", "speaker_embd") if hasattr(self, kind)]:
                nn.init.normal_(table.weight, std=0.3)
            nn.init.zeros_(self.output.weight), nn.init.zeros_(self.output.bias)

    def dropped(self, f):
        return F.dropout(f, self.dropout) if self.dropout and self.training else f

    def forward(self, x, label, speaker, above=None):
        """Predicts each id: x (B, n) ids, above: output of the conditioner -> (B, n, values) logits"""
        h = F.pad(self.token_embd(x[:, :-1]), (0, 0, 1, 0))
        i = torch.arange(x.shape[1], device=x.device)
        h = h + self.position_row.weight[i // self.p.stride] + self.position_col.weight[i % self.p.stride] + given(self, label, speaker)
        h = self.dropped(h if above is None else h + above[:, :x.shape[1]])
        for block in self.blk:
            h = block(h, self.dropped)
        return self.output(self.output_norm(h))

    def each(self, x, label, speaker, top=None):
        """Returns a tensor of shape (B, n): -log p of each id; 0 where x is -1"""
        out = self(x.clamp(min=0), label, speaker, None if top is None else self.cond(top))
        out = out if out.dtype == torch.float64 else out.float()
        return F.cross_entropy(out.flatten(0, 1), x.flatten(), ignore_index=-1, reduction="none").view(x.shape)


class Levels(nn.Module):
    def __init__(self, make):
        super().__init__()
        for name in LEVELS:
            self.add_module(name, make(name))


class Jukebox(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.c = c
        self.level = nn.Module()         # table that maps a mu-law level to a sample
        self.level.weight = nn.Parameter(torch.from_numpy(expand(np.arange(256)).astype(np.float32)), requires_grad=False)
        self.enc, self.codebook, self.dec = (Levels(lambda name: kind(c.level(name))) for kind in (encoder, Codebook, decoder))
        if c.top_blocks:
            self.top, self.bottom = Prior(c, "top"), Prior(c, "bottom")

    def hidden(self, x, level):
        """Returns the encoder's output (B, T / hop, width) for samples (B, T)"""
        return getattr(self.enc, level)(x[..., None])

    def encode(self, x, level):
        """Encodes samples (B, T) as codes (B, T / hop)"""
        h = self.hidden(x, level)
        return getattr(self.codebook, level).nearest(h)

    def decode(self, ids, level):
        """Decodes codes (B, n) to samples (B, n hop)"""
        return getattr(self.dec, level)(getattr(self.codebook, level).weight[ids])[..., 0]

    @torch.no_grad()
    def generate(self, label, speaker, temperature=1.0, generator=None):
        """Samples codes for classes (B,) and speakers (B,), and returns (codes of the top level, codes of the bottom level). An end token
        on the top level ends the codes of both levels. For each new id, all previous positions are recomputed."""
        found = []
        for y, s in zip(label.tolist(), speaker.tolist()):
            y, s, end = torch.tensor([y]), torch.tensor([s]), self.c.top_codes
            draw = lambda out: torch.multinomial((out[0, -1].float() / temperature).softmax(-1), 1, generator=generator)[None]
            top = torch.zeros(1, 0, dtype=torch.long)
            while top.shape[1] < self.c.top_length:
                new = draw(self.top(F.pad(top, (0, 1)), y, s))
                if new == end:
                    break
                top = torch.cat([top, new], 1)
            if not top.shape[1]:
                found.append((top[0], top[0]))
                continue
            bottom = torch.zeros(1, 0, dtype=torch.long)
            h = self.bottom.cond(top)
            while bottom.shape[1] < top.shape[1] * self.c.ratio:
                bottom = torch.cat([bottom, draw(self.bottom(F.pad(bottom, (0, 1)), y, s, h))], 1)
            found.append((top[0], bottom[0]))
        return found
