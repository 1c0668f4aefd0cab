# SPDX-License-Identifier: MIT
"""The fully visible sigmoid belief network (Frey, Hinton and Dayan 1995): every element is a logistic regression on the elements before it,

    p(x) = prod_i Ber(x_i; sigmoid(b_i + sum_{j<i} W_ij x_j))

Parameters have the tensor names of the weight file, which stores W transposed: fvsbn.weight[j][i] = W_ij, and zero for i <= j. If element j
is 1, row j of fvsbn.weight is added to the logits of the later elements, so sampling costs at most one addition of a row per element.
"""
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import nn


@dataclass
class Config:
    """Hyper-parameters, named as in the weight file's metadata."""
    height: int = 28
    width: int = 28

    @property
    def n(self):
        return self.height * self.width


class Network(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.weight, self.bias = nn.Parameter(torch.zeros(n, n)), nn.Parameter(torch.zeros(n))


class FVSBN(nn.Module):
    """The loss is convex, so the initial weights may be zero."""

    def __init__(self, c):
        super().__init__()
        self.c, self.fvsbn = c, Network(c.n)

    def forward(self, x):
        """Maps x (B, n), whose values are 0 or 1, to logits (B, n); the logit at i depends on x_0..x_{i-1}."""
        return x @ self.fvsbn.weight.triu(1) + self.fvsbn.bias

    def nats(self, x):
        """Returns a tensor of shape (B,): -log p(x) = sum_i softplus(a_i) - a_i x_i"""
        return self.each(x).sum(1)

    def each(self, x):
        """Returns a tensor of shape (B, n): -log p(x_i | x_<i)"""
        x = x.to(self.fvsbn.bias.dtype)
        a = self(x)
        return F.softplus(a) - a * x

    @torch.no_grad()
    def generate(self, count, prefix=None, generator=None):
        """Completes prefix (count, m) to (count, n). `a` holds the logits of all elements. If element i is 1, row i of the weight matrix is
        added to `a`."""
        a, x = self.fvsbn.bias.expand(count, -1).clone(), torch.zeros(count, self.c.n)
        for i in range(self.c.n):
            given = prefix is not None and i < prefix.shape[1]
            x[:, i] = prefix[:, i] if given else torch.bernoulli(torch.sigmoid(a[:, i]), generator=generator)
            a += x[:, i:i + 1] * self.fvsbn.weight[i]
        return x
