# SPDX-License-Identifier: MIT
"""The generator of a self-attention GAN [Zhang 2019] maps a latent z and a class to a whole picture.

    z -> linear -> (size / 2^blocks)^2 x channels[0] -> blocks, each twice as wide -> norm, ReLU, conv 3x3, tanh
    block: cBN, ReLU, nearest x2, conv 3x3, cBN, ReLU, conv 3x3;  in parallel nearest x2, conv 1x1
    attention follows the block whose output is `attention_size` wide (0: nowhere)

`Generator` is the training form, with spectral normalisation and batch statistics; `Folded` is the form in a file. In `Folded`, sigmas,
means and variances are folded into the weights, and a norm is one scale and shift per class.
"""
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import nn

from models.sagan.layers import Attention, Conv, Linear, Spectral

EPSILON = 1e-5


@dataclass
class Config:
    """Hyper-parameters, named as in the weight file's metadata."""
    height: int = 32                     # height and width
    latent_length: int = 64
    channels: tuple = (64, 64, 64, 32)  # channels at the start and after each block
    classes: int = 4
    attention_size: int = 16
    attention_pool: bool = True
    attention_key: int = 8               # channels of f and g
    attention_value: int = 32            # channels of h


class Table(nn.Module):
    """A norm with weight (classes, 2 C): a scale and a shift of each channel for each class."""

    def __init__(self, classes, channels):
        super().__init__()
        self.weight = nn.Parameter(torch.cat([torch.ones(classes, channels), torch.zeros(classes, channels)], 1))

    def forward(self, x, label, mean=None, variance=None):
        """Computes (x - mean) / sqrt(variance + eps) * scale + shift"""
        scale, shift = self.weight[label].chunk(2, 1)
        if mean is not None:
            scale = scale * torch.rsqrt(variance + EPSILON)
            shift = shift - scale * mean
        return x * scale[:, :, None, None].to(x.dtype) + shift[:, :, None, None].to(x.dtype)


class Norm(Table):
    """Batch normalisation with a scale and a shift per class. While `settle` runs, `standing` counts the batches over which statistics are
    averaged. Otherwise `standing` is 0, and the statistics are moving averages."""

    def __init__(self, classes, channels):
        super().__init__(classes, channels)
        self.register_buffer("mean", torch.zeros(channels))
        self.register_buffer("variance", torch.ones(channels))
        self.standing = 0

    def forward(self, x, label):
        if not self.training:
            return super().forward(x, label, self.mean, self.variance)
        share = 1 / self.standing if self.standing else 0.1
        return super().forward(F.batch_norm(x, self.mean, self.variance, training=True, momentum=share, eps=EPSILON), label)

    @torch.no_grad()
    def folded(self):
        scale, shift = self.weight.double().chunk(2, 1)
        scale = scale / torch.sqrt(self.variance.double() + EPSILON)
        return torch.cat([scale, shift - scale * self.mean.double()], 1).float()


class Block(nn.Module):
    def __init__(self, c, into, out, norm, normed):
        super().__init__()
        self.norm_0, self.norm_1 = norm(c.classes, into), norm(c.classes, out)
        self.conv_0, self.conv_1 = Conv(into, out, normed=normed), Conv(out, out, normed=normed)
        self.skip = Conv(into, out, 1, bias=False, normed=normed)

    def forward(self, x, label):
        up = lambda x: F.interpolate(x, scale_factor=2, mode="nearest")
        h = self.conv_0(up(F.relu(self.norm_0(x, label))))
        return up(self.skip(x)) + self.conv_1(F.relu(self.norm_1(h, label)))


class Net(nn.Module):
    def __init__(self, c, norm, normed):
        super().__init__()
        self.c, self.normed = c, normed
        self.start = c.height >> (len(c.channels) - 1)
        self.latent = Linear(self.start ** 2 * c.channels[0], c.latent_length, normed=normed)
        self.blk = nn.ModuleList(Block(c, a, b, norm, normed) for a, b in zip(c.channels, c.channels[1:]))
        if c.attention_size:
            at = (c.attention_size // self.start).bit_length() - 1
            self.attn = Attention(c.channels[at], c.attention_key, c.attention_value, c.attention_pool, normed)
        self.norm = norm(c.classes, c.channels[-1])
        self.output = Conv(c.channels[-1], 3, normed=normed)

    def head(self, z, label):
        """Returns the feature map that attention reads; if there is no attention, returns the output of the last block."""
        x = self.latent(z).view(len(z), self.start, self.start, -1).permute(0, 3, 1, 2)
        for block in self.blk:
            if x.shape[2] == self.c.attention_size:
                break
            x = block(x, label)
        return x

    def tail(self, x, label):
        for block in self.blk:
            if 2 * x.shape[2] <= self.c.height and block is self.blk[(x.shape[2] // self.start).bit_length() - 1]:
                x = block(x, label)
        return torch.tanh(self.output(F.relu(self.norm(x, label))))

    def forward(self, z, label):
        """Maps z (B, latent_length) and label (B,) to pictures (B, 3, H, W) in -1..1"""
        x = self.head(z, label)
        return self.tail(self.attn(x) if self.c.attention_size else x, label)


class Generator(Net):
    def __init__(self, c, normed=True):
        super().__init__(c, Norm, normed)

    @torch.no_grad()
    def settle(self, batches, batch=64, seed=7):
        """Sets the statistics of the norms to their mean over several batches, computed with fixed weights."""
        device, training = self.output.weight.device, self.training
        generator = torch.Generator().manual_seed(seed)
        self.train()
        Spectral.exact = True
        for n in range(batches):
            for m in self.modules():
                if isinstance(m, Norm):
                    m.standing = n + 1
            z = torch.randn(batch, self.c.latent_length, generator=generator).to(device)
            self(z, torch.arange(batch, device=device) % self.c.classes)
        for m in self.modules():
            if isinstance(m, Norm):
                m.standing = 0
        Spectral.exact = False
        self.train(training)

    def folded(self):
        """Returns the tensors {name: tensor} of `Folded`"""
        found = {}
        for name, module in self.named_modules():
            if hasattr(module, "folded") and name:
                found[name + ".weight"] = module.folded()
                if getattr(module, "bias", None) is not None:
                    found[name + ".bias"] = module.bias.detach()
            if isinstance(module, Attention):
                found[name + ".gain"] = module.gain.detach()
        return {name: found[name] for name in Folded(self.c).state_dict()}


    @torch.no_grad()
    def unfold(self, weights, batches=4, batch=64, seed=7):
        """Loads the weights {name: tensor} of a file. In the file, a norm is only a scale and a shift. This function measures the mean and
        variance of the norm's inputs, and changes the scale and the shift so that the norm's outputs stay the same."""
        folded = Folded(self.c)
        folded.load_state_dict(weights)
        moments, hooks = {}, []

        def watch(name):
            def see(module, given):
                x = given[0].float()
                n, total, square = moments.get(name, (0, 0.0, 0.0))
                moments[name] = n + x.numel() // x.shape[1], total + x.sum((0, 2, 3), dtype=torch.float64), square + (x * x).sum((0, 2, 3), dtype=torch.float64)
            return see
        for name, module in folded.named_modules():
            if isinstance(module, Table):
                hooks.append(module.register_forward_pre_hook(watch(name)))
        generator = torch.Generator().manual_seed(seed)
        for _ in range(batches):
            folded(torch.randn(batch, self.c.latent_length, generator=generator), torch.arange(batch) % self.c.classes)
        for hook in hooks:
            hook.remove()
        for name, module in self.named_modules():
            if isinstance(module, Norm):
                n, total, square = moments[name]
                mean = (total / n).float()
                variance = (square / n).float() - mean * mean
                scale, shift = weights[name + ".weight"].chunk(2, 1)
                module.mean.copy_(mean), module.variance.copy_(variance)
                module.weight.copy_(torch.cat([scale * (variance + EPSILON).sqrt(), shift + scale * mean], 1))
            elif isinstance(module, Spectral):
                module.weight.copy_(weights[name + ".weight"])
                if module.bias is not None:
                    module.bias.copy_(weights[name + ".bias"])
                for _ in range(20 if module.normed else 0):              # estimates sigma by iterations of the power method
                    module.u.copy_(F.normalize(module.weight @ F.normalize(module.weight.t() @ module.u, dim=0), dim=0))
            elif isinstance(module, Attention):
                module.gain.copy_(weights[name + ".gain"])


class Folded(Net):
    def __init__(self, c):
        super().__init__(c, Table, False)
