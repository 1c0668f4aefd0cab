# SPDX-License-Identifier: MIT
"""WaveNet (van den Oord, Dieleman, Zen, Simonyan, Vinyals, Graves, Kalchbrenner, Senior and Kavukcuoglu 2016, "WaveNet: A Generative Model
for Raw Audio") for sounds, and for greyscale pictures, which are read as one row of pixels.

The modules correspond to the layers of the C engine. Module names are chosen so that `state_dict()` gives the tensor names of the weight
file; export.py copies them unchanged. Layer k of the paper has dilation d, and reads a class c and a speaker s if they are given:

    [f, g] = W_gate [x_{t-d}; x_t] + V_c c + V_s s        before the beginning x is zero, which is not silence
    z      = tanh(f) sigma(g)
    [r, s] = W_mix z          x += r, skip += s           the last layer has only s

The first layer reads one-hot ids: x_t = table[0][id_{t-2}] + table[1][id_{t-1}] + bias, so the prediction of sample t depends only on
earlier samples. The output is W_output relu(W_head relu(skip)). Activations are (B, T, channels).
"""
import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import nn

from common import distributions

END = 256                                # id that ends a sound


@dataclass
class Config:
    """Hyper-parameters, named as in the weight file's metadata."""
    dilations: tuple = (1, 2, 4, 8, 16, 32, 64, 128, 256)
    residual_length: int = 64            # R, width between layers
    gate_length: int = 64                # D, width of the gate's output
    skip_length: int = 64                # S
    head_length: int = 96                # width of the layer before the output
    classes: int = 0
    speakers: int = 0
    rate: int = 0                        # samples per second of a sound, whose ids are 256 levels and an end; 0: a picture
    height: int = 0                      # height of a picture
    width: int = 0
    levels: int = 257
    output: str = "categorical"          # distribution of an id: categorical | bernoulli (two levels)
    channels: int = 1

    @property
    def field(self):
        """Returns the number of previous ids that the distribution of an id depends on."""
        return 2 + sum(self.dilations)

    @property
    def n(self):
        return self.height * self.width


class Gate(torch.autograd.Function):
    """Computes tanh of the first half times sigmoid of the second: (..., 2D) -> (..., D). Because tanh x = 2 sigma(2x) - 1, one sigmoid
    over both halves is enough."""

    @staticmethod
    def forward(ctx, fg):
        d = fg.shape[-1] // 2
        s = torch.cat([2 * fg[..., :d], fg[..., d:]], -1).sigmoid_()
        t, g = 2 * s[..., :d] - 1, s[..., d:]
        ctx.save_for_backward(t, s)
        return t * g

    @staticmethod
    def backward(ctx, dz):
        t, s = ctx.saved_tensors
        g = s[..., t.shape[-1]:]
        return torch.cat([dz * g * (1 - t * t), dz * t * g * (1 - g)], -1)


class Layer(nn.Module):
    def __init__(self, c, d, last):
        super().__init__()
        self.d, self.residual, D = d, 0 if last else c.residual_length, c.gate_length
        self.gate = nn.Linear(2 * c.residual_length, 2 * D)
        self.mix = nn.Linear(D, self.residual + c.skip_length)
        for name, count in (("class", c.classes), ("speaker", c.speakers)):
            if count:
                self.add_module(name, nn.Embedding(count, 2 * D))
                nn.init.normal_(self.get_submodule(name).weight, std=0.3)
        nn.init.normal_(self.gate.weight, std=1.0 / math.sqrt(2 * c.residual_length)), nn.init.zeros_(self.gate.bias)
        nn.init.normal_(self.mix.weight, std=1.5 / math.sqrt(D)), nn.init.zeros_(self.mix.bias)
        with torch.no_grad():
            self.mix.weight.mul_(1.0 / math.sqrt(len(c.dilations)))

    def condition(self, name, label):
        """Looks up the vector of each class or speaker, (B,) -> (B, 1, 2D). The vector is zero where the id is -1; the result is None if
        all ids are -1."""
        if label is None or not hasattr(self, name) or bool((label < 0).all()):
            return None
        return (self.get_submodule(name)(label.clamp(min=0)) * (label >= 0)[:, None])[:, None]

    def forward(self, x, skip, label, speaker):
        fg = self.gate(torch.cat([F.pad(x, (0, 0, self.d, 0))[:, :x.shape[1]], x], -1))
        for given in (self.condition("class", label), self.condition("speaker", speaker)):
            if given is not None:
                fg = fg + given.to(fg.dtype)
        z = Gate.apply(fg)
        w, b, R = self.mix.weight, self.mix.bias, self.residual
        skip = skip + F.linear(z, w[R:], b[R:])
        return x + F.linear(z, w[:R], b[:R]) if R else x, skip


class Input(nn.Module):
    """The first causal convolution, of two taps over ids: weight (2 V, R)."""

    def __init__(self, c):
        super().__init__()
        V = c.levels
        level = torch.linspace(-1, 1, V if V < 257 else 256)[:, None]        # neighbouring levels start with similar vectors
        table = [torch.cos(3 * torch.randn(1, c.residual_length) * level + 2 * math.pi * torch.rand(1, c.residual_length)) for _ in range(2)]
        if V == 257:
            table = [torch.cat([t, torch.zeros(1, c.residual_length)]) for t in table]
        self.weight = nn.Parameter(0.5 * torch.cat(table))
        self.bias = nn.Parameter(torch.zeros(c.residual_length))

    def forward(self, x):
        """Maps ids (B, T) to (B, T, R): position t reads the ids at t-2 and t-1; ids before the beginning contribute nothing."""
        V = len(self.weight) // 2
        far, near = F.embedding(x[:, :-2] if x.shape[1] > 2 else x[:, :0], self.weight[:V]), F.embedding(x[:, :-1], self.weight[V:])
        return F.pad(far, (0, 0, min(2, x.shape[1]), 0)) + F.pad(near, (0, 0, 1, 0)) + self.bias


class WaveNet(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.c = c
        self.input = Input(c)
        self.blk = nn.ModuleList(Layer(c, d, i == len(c.dilations) - 1) for i, d in enumerate(c.dilations))
        self.head = nn.ModuleList([nn.Linear(c.skip_length, c.head_length)])
        self.output = nn.Linear(c.head_length, c.levels if c.output == "categorical" else 1)
        nn.init.normal_(self.head[0].weight, std=math.sqrt(2.0 / c.skip_length)), nn.init.zeros_(self.head[0].bias)
        nn.init.normal_(self.output.weight, std=0.02), nn.init.zeros_(self.output.bias)
        if c.levels == 257:                              # neighbouring levels start with similar vectors
            level = torch.linspace(-1, 1, 256)[:, None]
            with torch.no_grad():
                self.output.weight[:256] = 0.1 * torch.cos(4 * torch.randn(1, c.head_length) * level + 2 * math.pi * torch.rand(1, c.head_length))

    def forward(self, x, label=None, speaker=None):
        """Predicts each of the ids x (B, T) and returns (B, T, P). label and speaker have the shape (B,); -1 stands for no label or no
        speaker."""
        h, skip = self.input(x), 0
        if torch.is_autocast_cpu_enabled() and h.dtype == torch.float32:
            h = h.to(torch.bfloat16)
        for layer in self.blk:
            h, skip = layer(h, skip, label, speaker)
        return self.output(torch.relu(self.head[0](torch.relu(skip))))

    def each(self, x, label=None, speaker=None):
        """Returns a tensor of shape (B, T): -log p(x_t | x_<t); 0 where x is -1, after the end of a shorter sound"""
        out = self(x.clamp(min=0), label, speaker)
        out = out if out.dtype == torch.float64 else out.float()
        if self.c.output == "categorical":
            return F.cross_entropy(out.flatten(0, 1), x.flatten(), ignore_index=-1, reduction="none").view(x.shape)
        return distributions.nats(self.c, out, x)

    def each_and_ends(self, x, label=None, speaker=None):
        """Returns the result of `each`, and a tensor of shape (B, T): -log p(e_t | x_<t), where e_t says whether the sound ends at t"""
        out = self(x.clamp(min=0), label, speaker)
        out = out if out.dtype == torch.float64 else out.float()
        levels, end = out[..., :END].logsumexp(-1), out[..., END]
        total, here = torch.logaddexp(levels, end), x == END
        each = total - out.gather(-1, x.clamp(min=0)[..., None])[..., 0]
        return each * (x >= 0), (total - torch.where(here, end, levels)) * (x >= 0)

    def nats(self, x, label=None, speaker=None):
        """Returns a tensor of shape (B,): -log p(x | label, speaker)"""
        return self.each(x, label, speaker).sum(1)

    @torch.no_grad()
    def generate(self, label, speaker, length, temperature=1.0, generator=None, prefix=None):
        """Samples ids (B, length), given label (B,), speaker (B,) and optionally a prefix (m,). Like the engine, this function uses queues:
        each layer keeps its last d columns. Ids after an end have no meaning."""
        B, V = len(label), self.c.levels
        queues = [torch.zeros(b.d, B, self.c.residual_length) for b in self.blk]
        given = [[b.condition(name, of) for name, of in (("class", label), ("speaker", speaker))] for b in self.blk]
        x = torch.zeros(B, length, dtype=torch.long)
        for t in range(length):
            h = self.input.bias.expand(B, -1)
            for back in (2, 1):
                if t >= back:
                    h = h + self.input.weight[x[:, t - back] + (2 - back) * V]
            skip = 0
            for b, queue, conditions in zip(self.blk, queues, given):
                fg = b.gate(torch.cat([queue[t % b.d], h], -1)) + sum(c[:, 0] for c in conditions if c is not None)
                queue[t % b.d] = h
                f, g = fg.chunk(2, -1)
                r, s = b.mix(torch.tanh(f) * torch.sigmoid(g)).split([b.residual, self.c.skip_length], -1)
                h, skip = h + r if b.residual else h, skip + s
            out = self.output(torch.relu(self.head[0](torch.relu(skip)))).float()
            x[:, t] = prefix[t] if prefix is not None and t < len(prefix) else distributions.sample(self.c, out, temperature, generator)
        return x
