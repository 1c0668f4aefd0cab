# SPDX-License-Identifier: MIT
"""Pictures of independent coins: p(x) = prod_i Ber(x_i; sigmoid(b_i))."""
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import nn


@dataclass
class Config:
    """Named as in the weight file's metadata."""
    height: int = 28
    width: int = 28


class Network(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.bias = nn.Parameter(torch.zeros(n))


class Coins(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.c, self.coins = c, Network(c.height * c.width)

    def each(self, x):
        """x (B, n) of 0 and 1 -> (B, n): -log p(x_i)"""
        a = self.coins.bias.expand(len(x), -1)
        return F.softplus(a) - a * x

    def nats(self, x):
        """(B,): -log p(x)"""
        return self.each(x).sum(1)
