# SPDX-License-Identifier: MIT
"""Linear chains of tags z_1 .. z_T for words x; each z_t is one of C tags. U_t is a vector of C scores: the sum of the rows of
feature.weight for the features of word t.

    crf    p(z|x) = exp(start[z_1] + sum_t U_t[z_t] + sum_t A[z_t, z_t+1] + end[z_T]) / Z(x)         one Z for the whole chain
    memm   p(z|x) = prod_t softmax(U_t + (A[z_t-1], or start if t = 1))[z_t]                         one normaliser per previous tag
    hmm    weights log p(tag | previous tag), log p(word | tag); p(z|x) equals that of a crf with these weights

A memm equals a crf in which U_t[c] is reduced by the log-sum-exp over the tags that can follow c (see `potentials`); Z is then 1.
Parameters have the tensor names of the weight file. Row 0 of feature.weight stands for "no feature".
"""
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import nn


@dataclass
class Config:
    """Hyper-parameters, named as in the weight file's metadata."""
    type: str = "crf"                    # crf | memm | hmm
    states: int = 17                     # C
    features: int = 90000                # ids, 0 (none) included
    width: int = 40                      # maximum number of feature ids per word


class Weights(nn.Module):
    def __init__(self, *shape):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(*shape))


class Chain(nn.Module):
    """The losses of crf and memm are convex, so the initial weights may be zero."""

    def __init__(self, c):
        super().__init__()
        self.c = c
        self.feature, self.transition = Weights(c.features, c.states), Weights(c.states, c.states)
        self.start = Weights(c.states)
        if c.type != "memm":
            self.end = Weights(c.states)

    def emissions(self, ids):
        """Computes the scores of the tags at each word: ids (B, T, F) -> U (B, T, C)"""
        B, T, n = ids.shape
        weight = self.feature.weight
        flat = F.embedding_bag(ids.reshape(B * T, n), weight, mode="sum", padding_idx=0)
        return flat.reshape(B, T, -1)

    def potentials(self, ids, lengths):
        """Returns U (B, T, C), start and end (C) of a crf with the same p(z|x) as this model"""
        U, end = self.emissions(ids), self.end.weight if self.c.type != "memm" else 0 * self.start.weight
        start = self.start.weight
        if self.c.type == "memm":
            follow = torch.logsumexp(self.transition.weight + U[:, 1:, None, :], -1)          # (B, T - 1, C)
            inside = torch.arange(1, U.shape[1])[None, :, None] < lengths[:, None, None]
            first = torch.logsumexp(start + U[:, 0], -1)                                        # (B,)
            U = U - F.pad(follow * inside, (0, 0, 0, 1))
            U = torch.cat([U[:, :1] - first[:, None, None], U[:, 1:]], 1)
        return U, start, end

    def forward(self, ids, lengths):
        """Returns log Z (B,) of the potentials"""
        U, start, end = self.potentials(ids, lengths)
        return self.partition(U, start, end, lengths)

    def partition(self, U, start, end, lengths):
        A, a = self.transition.weight, start + U[:, 0]
        for t in range(1, U.shape[1]):
            b = U[:, t] + torch.logsumexp(a[:, :, None] + A, 1)
            a = torch.where((t < lengths)[:, None], b, a)
        return torch.logsumexp(a + end, -1)

    def score(self, U, start, end, tags, lengths):
        """Returns the exponent (B,) of exp(...) in p(z|x), where z are the tags. tags (B, T): values after `lengths` are ignored"""
        T = U.shape[1]
        inside = torch.arange(T) < lengths[:, None]
        z = tags.clamp(min=0)
        s = (U.gather(2, z[:, :, None])[:, :, 0] * inside).sum(1) + start[z[:, 0]]
        s = s + (self.transition.weight[z[:, :-1], z[:, 1:]] * inside[:, 1:]).sum(1)
        return s + end[z.gather(1, lengths[:, None] - 1)[:, 0]]

    def nats(self, ids, tags, lengths):
        """Returns a tensor of shape (B,): -log p(tags | words)"""
        U, start, end = self.potentials(ids, lengths)
        score = self.score(U, start, end, tags, lengths)
        return -score if self.c.type == "memm" else self.partition(U, start, end, lengths) - score

    @torch.no_grad()
    def best(self, ids, lengths):
        """Returns the best tags (B, T), -1 after the end of a sentence"""
        return self.viterbi(*self.potentials(ids, lengths), lengths)

    def viterbi(self, U, start, end, lengths):
        """Returns the best tags; ties go to the lowest tag."""
        A, m, back = self.transition.weight, start + U[:, 0], []
        for t in range(1, U.shape[1]):
            value, arg = (m[:, :, None] + A).max(1)
            keep = (t < lengths)[:, None]
            m = torch.where(keep, value + U[:, t], m)
            back.append(torch.where(keep, arg, torch.arange(U.shape[2])[None]))
        z = [(m + end).argmax(1)]
        for arg in reversed(back):
            z.append(arg.gather(1, z[-1][:, None])[:, 0])
        z = torch.stack(z[::-1], 1)
        return torch.where(torch.arange(z.shape[1]) < lengths[:, None], z, -torch.ones_like(z))
