# SPDX-License-Identifier: MIT
"""Layers that the generator and the discriminator share: convolutions stored as one matrix, spectral normalisation, and the paper's
self-attention.

The weight of a convolution has the shape (out, taps x in), with the taps in raster order, as in the file.
"""
import torch
import torch.nn.functional as F
from torch import nn


class Spectral(nn.Module):
    """A matrix W (out, in), optionally with a bias. The layer multiplies by W / sigma. sigma is the largest singular value of W, found by
    power iteration [Miyato 2018]:

        v <- W' u / |W' u|,   u <- W v / |W v|,   sigma = u' W v

    In training, each call does one iteration. In evaluation, and if `exact` is set, sigma is exact.
    """

    exact = False

    def __init__(self, out, into, bias=True, normed=True):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(out, into))
        nn.init.orthogonal_(self.weight)
        self.bias = nn.Parameter(torch.zeros(out)) if bias else None
        self.normed = normed
        if normed:
            self.register_buffer("u", F.normalize(torch.randn(out), dim=0))

    def sigma(self):
        """Returns the largest singular value, with u and v held fixed for the gradient."""
        W = self.weight
        if self.exact or not self.training:
            return torch.linalg.matrix_norm(W, 2)
        with torch.no_grad():
            v = F.normalize(W.t() @ self.u, dim=0)
            u = W @ v
            u = F.normalize(u, dim=0)
            self.u.copy_(u)
        return torch.dot(u, W.mv(v))

    def matrix(self):
        """Returns W / sigma"""
        with torch.autocast(self.weight.device.type, enabled=False):
            return self.weight / self.sigma() if self.normed else self.weight

    @torch.no_grad()
    def folded(self):
        """Returns W / sigma with the exact sigma. The file stores this matrix."""
        W = self.weight.double()
        return (W / torch.linalg.matrix_norm(W, 2)).float() if self.normed else self.weight.detach().clone()


class Linear(Spectral):
    def forward(self, x):
        return F.linear(x, self.matrix(), self.bias)


class Conv(Spectral):
    """A convolution (B, in, H, W) -> (B, out, H / stride, W / stride) of `size` x `size` taps, with zeros outside the picture."""

    def __init__(self, into, out, size=3, stride=1, bias=True, normed=True):
        super().__init__(out, size * size * into, bias, normed)
        self.size, self.stride, self.into = size, stride, into

    def forward(self, x):
        w = self.matrix().view(-1, self.size, self.size, self.into).permute(0, 3, 1, 2)
        x = x.contiguous(memory_format=torch.channels_last)
        return F.conv2d(x, w, self.bias, self.stride, (self.size - 1) // 2)


class Attention(nn.Module):
    """y = x + gamma W_o o,  o_j = sum_i beta_ji h(x_i),  beta_ji = softmax over i of g(x_j) . f(x_i), without 1 / sqrt(d).

    f (keys) and g (queries) are 1x1 convolutions with `key` output channels; h (values) is a 1x1 convolution with `value` output channels.
    With `pool`, keys and values are maxima over 2x2 neighbours.
    """

    def __init__(self, channels, key, value, pool, normed=True):
        super().__init__()
        self.q, self.k = Conv(channels, key, 1, bias=False, normed=normed), Conv(channels, key, 1, bias=False, normed=normed)
        self.v, self.output = Conv(channels, value, 1, bias=False, normed=normed), Conv(value, channels, 1, bias=False, normed=normed)
        self.gain = nn.Parameter(torch.zeros(1))
        self.pool = pool

    def weights(self, x):
        """Returns the attention weights beta (B, queries, keys)"""
        k = F.max_pool2d(self.k(x), 2) if self.pool else self.k(x)
        return torch.softmax((self.q(x).flatten(2).transpose(1, 2) @ k.flatten(2)).to(torch.promote_types(torch.float32, x.dtype)), -1)

    def forward(self, x):
        v = F.max_pool2d(self.v(x), 2) if self.pool else self.v(x)
        o = v.flatten(2) @ self.weights(x).to(v.dtype).transpose(1, 2)
        return x + self.gain.to(x.dtype) * self.output(o.reshape(len(x), -1, *x.shape[2:]))
