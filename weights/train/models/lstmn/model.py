# SPDX-License-Identifier: MIT
"""The long short-term memory network (Cheng, Dong and Lapata 2016, "Long Short-Term Memory-Networks for Machine Reading"): an LSTM that
keeps the hidden state and the cell of every word read, and attends to all of them instead of only to the latest word.

    a_i  = v . tanh(W_h h_i + W_x x_t + W_s s_{t-1})        i < t       (5)
    p    = softmax_i(a)                                                 (6)
    s_t  = sum_i p_i h_i,    r_t = sum_i p_i c_i                        (7)    zeros at the first word
    i, f, o, g = sigmoid, sigmoid, sigmoid, tanh of W [s_t; x_t] + b    (8)
    c_t  = f r_t + i g                                                  (9)
    h_t  = o tanh(c_t)                                                  (10)

s is the paper's h~, and r is its c~; s_0 = 0. With tape_start "zero", the tapes of the h_i and of the c_i both start with a row of zeros,
which takes part in every softmax. If all attention is on i = t - 1, this is an LSTM.

The file:

    general.architecture        "lstmn"
    lstmn.context_length        u32   T, the maximum number of ids
    lstmn.embedding_length      u32   d, a multiple of 4
    lstmn.tape_start            "none" | "zero"
    lstmn.vocab_size            u32   V
    tokenizer.ggml.*            as in llama files

    token_embd.weight           (V, d)
    attn_h.weight               (d, d)    W_h
    attn_x.weight               (d, d)    W_x
    attn_summary.weight         (d, d)    W_s
    attn_v.weight               (d)       v
    cell.{weight,bias}          (4 d, 2 d), (4 d)     W of [s; x]; gates i, f, o, g in this order

state_dict() names are the file's tensor names.
"""
import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import nn

from common import native
from models.transformer.model import dropped, fast


@dataclass
class Config:
    """Hyper-parameters, named as in the weight file's metadata."""
    values: int = 512                    # V
    context_length: int = 64
    embedding_length: int = 64
    tape_start: str = "none"             # "none" | "zero"
    dropout: float = 0.0                 # dropout of word vectors and of the output


class Row(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(n) / math.sqrt(n))


class Lstmn(nn.Module):
    def __init__(self, c):
        super().__init__()
        d = c.embedding_length
        self.c = c
        self.token_embd = nn.Embedding(c.values, d)
        nn.init.normal_(self.token_embd.weight, std=1 / math.sqrt(d))
        self.attn_h, self.attn_x, self.attn_summary = (nn.Linear(d, d, bias=False) for _ in range(3))
        self.attn_v = Row(d)
        self.cell = nn.Linear(2 * d, 4 * d)
        nn.init.xavier_uniform_(self.cell.weight)
        nn.init.zeros_(self.cell.bias)
        self.cell.bias.data[d:2 * d] = 1           # with a bias of 1, the forget gate keeps most of the cell at first

    def states(self, ids, maps=None, last_only=False):
        """Maps ids (B, n) to states h (B, n, d). maps: a list that receives each step's attention weights over earlier steps, (B, n, n).
        last_only: puts all attention on the previous step, which makes the network an LSTM."""
        c, (B, n), d = self.c, ids.shape, self.c.embedding_length
        x = self.token_embd(ids) * math.sqrt(d)
        x = dropped(x, c.dropout) if self.training else x
        asked, inputs = self.attn_x(x), F.linear(x, self.cell.weight[:, d:], self.cell.bias)
        asked, inputs, of_summary = asked.unbind(1), inputs.unbind(1), self.cell.weight[:, :d]
        if torch.is_autocast_cpu_enabled():
            of_summary = of_summary.bfloat16()
        summary = x.new_zeros(B, d)
        keys = tapes = None                        # (B, t, d) W_h h_i, (B, t, 2 d) h_i and c_i
        if c.tape_start == "zero":
            keys, tapes = x.new_zeros(B, 1, d), x.new_zeros(B, 1, 2 * d)
        out, rows = [], []
        for t in range(n):
            cell = x.new_zeros(B, d)
            weights = x.new_zeros(B, 0)
            if keys is not None:
                score = torch.tanh(keys + (asked[t] + self.attn_summary(summary))[:, None]) @ self.attn_v.weight
                if last_only:
                    score = torch.full_like(score, -math.inf)
                    score[:, -1] = 0
                weights = score.softmax(-1)
                summary, cell = torch.bmm(weights[:, None].to(tapes.dtype), tapes)[:, 0].chunk(2, -1)
            i, f, o, g = (inputs[t] + F.linear(summary, of_summary)).chunk(4, -1)
            cell = torch.sigmoid(f) * cell + torch.sigmoid(i) * torch.tanh(g)
            h = torch.sigmoid(o) * torch.tanh(cell)
            key, tape = self.attn_h(h)[:, None], torch.cat([h, cell], -1)[:, None]
            keys, tapes = (key, tape) if keys is None else (torch.cat([keys, key], 1), torch.cat([tapes, tape], 1))
            out.append(h)
            rows.append(F.pad(weights, (0, n + (c.tape_start == "zero") - weights.shape[1])))
        if maps is not None:
            maps.append(torch.stack(rows, 1))
        h = torch.stack(out, 1)
        return dropped(h, c.dropout) if self.training else h

    def forward(self, ids, maps=None, last_only=False):
        """Maps ids (B, n) to logits (B, n, V) of the next id at each position."""
        return F.linear(self.states(ids, maps, last_only), self.token_embd.weight)

    def each(self, ids):
        """Returns a tensor of shape (B, n - 1): -log p(id_i | earlier ids) for i > 0"""
        h, wanted = self.states(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten()
        if fast(h):
            nats = native.CrossEntropy.apply(h.to(torch.bfloat16), self.token_embd.weight, wanted, 0.0)
        else:
            logits = F.linear(h, self.token_embd.weight)
            nats = F.cross_entropy(logits if logits.dtype == torch.float64 else logits.float(), wanted, reduction="none")
        return nats.view(len(ids), -1)

    def nats(self, ids):
        """Returns a tensor of shape (B,): -log p of all ids except the first, which is given."""
        return self.each(ids).sum(1)

    @torch.no_grad()
    def generate(self, ids, count, temperature=1.0, generator=None):
        """Continues ids (B, m) to (B, m + count)"""
        for _ in range(count):
            logits = self(ids[:, -self.c.context_length:])[:, -1].float()
            p = (logits / max(temperature, 1e-6)).softmax(-1)
            ids = torch.cat([ids, torch.multinomial(p, 1, generator=generator)], 1)
        return ids
