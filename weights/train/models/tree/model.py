# SPDX-License-Identifier: MIT
"""Computes scores of arcs from the features of a sentence's words; trees.py maps the scores to projective trees.

    x_0 = root,  x_m = sum of the rows of the features of word m,  + sine and cosine of the position
    for each block   x = x + W_down ReLU(W_up [LN(x)_m-1; LN(x)_m; LN(x)_m+1] + b_up) + b_down      zeros beyond the ends
                     x = x + attention(LN(x), LN(x))                                                  not in the last block
    y = LN(x),  s[h, m] = (W_k y_h + b_k) . (W_q y_m + b_q) / sqrt(d) + distance[clip(m - h)]        the root's arcs have no distance

`state_dict()` gives the tensor names of the weight file. Row 0 of feature.weight stands for "no feature". `beside` exists only in training.
The layers of `beside` map y_m to the part of speech of word m and to the relation between word m and its head.
"""
import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import nn

from models.tree import trees

PLACES = 129                             # number of positions: the root and 128 words


@dataclass
class Config:
    """Hyper-parameters, named as in the weight file's metadata."""
    features: int = 20000                # ids, 0 (none) included
    width: int = 12                      # maximum number of feature ids per word
    embedding_length: int = 128
    feed_forward_length: int = 256
    block_count: int = 3
    head_count: int = 4
    reach: int = 15                      # distances are clipped to the range -reach to reach
    dropout: float = 0.0                 # probability of dropout, in training only


class Weights(nn.Module):
    def __init__(self, *shape, scale=0.0):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(*shape) * scale)


class Drop(nn.Module):
    """Drops channels; the same channels are dropped at all positions of a sentence [Gal and Ghahramani 2016]."""

    def __init__(self, p):
        super().__init__()
        self.p = p

    def forward(self, x):
        if not self.training or not self.p:
            return x
        return x * ((torch.rand(x.shape[0], 1, x.shape[2]) >= self.p) / (1 - self.p)).to(x.dtype)


class Block(nn.Module):
    def __init__(self, c, attends):
        super().__init__()
        d = c.embedding_length
        self.ffn_norm, self.ffn_up, self.ffn_down = nn.LayerNorm(d, eps=1e-6), nn.Linear(3 * d, c.feed_forward_length), nn.Linear(c.feed_forward_length, d)
        self.heads, self.drop, self.attends = c.head_count, Drop(c.dropout), attends
        if attends:
            self.attn_norm = nn.LayerNorm(d, eps=1e-6)
            self.attn_q, self.attn_k, self.attn_v, self.attn_output = (nn.Linear(d, d, bias=False) for _ in range(4))

    def forward(self, x, inside):
        """Computes one block. x (B, T, d); inside (B, T): 1 for words, 0 after the last word"""
        y = self.ffn_norm(x) * inside[:, :, None]
        y = torch.cat([F.pad(y, (0, 0, 1, 0))[:, :-1], y, F.pad(y, (0, 0, 0, 1))[:, 1:]], 2)
        x = x + self.drop(self.ffn_down(self.drop(F.relu(self.ffn_up(y)))))
        if not self.attends:
            return x
        B, T, d = x.shape
        y = self.attn_norm(x)
        q, k, v = (part(y).reshape(B, T, self.heads, -1).transpose(1, 2) for part in (self.attn_q, self.attn_k, self.attn_v))
        a = q @ k.transpose(2, 3) / math.sqrt(q.shape[-1]) + (inside[:, None, None, :] - 1) * 1e4
        mixed = (torch.softmax(a, -1) @ v).transpose(1, 2).reshape(B, T, d)
        return x + self.drop(self.attn_output(mixed))


class Tree(nn.Module):
    def __init__(self, c, beside=()):
        """beside: (number of tags, number of relations) that the auxiliary layers predict"""
        super().__init__()
        self.c, d = c, c.embedding_length
        self.feature, self.root = Weights(c.features, d, scale=0.3), Weights(d, scale=1.0)
        self.blk = nn.ModuleList(Block(c, i + 1 < c.block_count) for i in range(c.block_count))
        self.output_norm = nn.LayerNorm(d, eps=1e-6)
        self.head, self.child, self.distance = nn.Linear(d, d), nn.Linear(d, d), Weights(2 * c.reach + 1)
        self.beside = nn.ModuleList(nn.Linear(d, n) for n in beside)
        self.drop = Drop(c.dropout)
        with torch.no_grad():
            self.feature.weight[0] = 0
        angle = torch.arange(PLACES, dtype=torch.double)[:, None] / 10000.0 ** (torch.arange(0, d, 2, dtype=torch.double) / d)
        self.register_buffer("places", torch.stack([angle.sin(), angle.cos()], 2).reshape(PLACES, d).float(), persistent=False)

    def read(self, ids, lengths):
        """Computes the vectors of the root and of all words: ids (B, T, F) -> y (B, 1 + T, d)"""
        B, T, n = ids.shape
        x = F.embedding_bag(ids.reshape(B * T, n), self.feature.weight, mode="sum", padding_idx=0).reshape(B, T, -1)
        x = torch.cat([self.root.weight.expand(B, 1, -1), x], 1) + self.places[:T + 1]
        x = self.drop(x)
        inside = (torch.arange(T + 1) <= lengths[:, None]).to(x.dtype)
        for block in self.blk:
            x = block(x, inside)
        return self.drop(self.output_norm(x))

    def scores(self, y):
        """Returns a tensor of shape (B, 1 + T, 1 + T): s[head, dependent]; column 0 has no meaning"""
        T, R = y.shape[1], self.c.reach
        s = (self.head(y) @ self.child(y).transpose(1, 2)).to(self.distance.weight.dtype) / math.sqrt(y.shape[2])
        place = torch.arange(T)
        distance = self.distance.weight[(place[None, :] - place[:, None]).clamp(-R, R) + R] * (place > 0)[:, None]
        return s + distance

    def forward(self, ids, lengths):
        return self.scores(self.read(ids, lengths))

    def nats(self, ids, heads, lengths, *beside, share=0.5):
        """Returns a tensor of shape (B,): -log p(heads | words); in training, `share` times the nats of the auxiliary layers are added.
        heads (B, T): values after `lengths` are ignored"""
        y = self.read(ids, lengths)
        s = self.scores(y)
        inside = torch.arange(ids.shape[1]) < lengths[:, None]
        gold = s[:, :, 1:].gather(1, heads.clamp(min=0)[:, None])[:, 0] * inside
        nats = trees.log_z(s, lengths) - gold.sum(1)
        if not self.training:
            return nats
        for layer, wanted in zip(self.beside, beside):
            told = F.cross_entropy(layer(y[:, 1:]).float().transpose(1, 2), wanted, ignore_index=-1, reduction="none")
            nats = nats + share * told.sum(1)
        return nats

    @torch.no_grad()
    def best(self, ids, lengths):
        """Returns the best heads (B, T), -1 after lengths"""
        return trees.best(self(ids, lengths).float(), lengths)
