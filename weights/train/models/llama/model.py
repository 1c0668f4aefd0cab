# SPDX-License-Identifier: MIT
"""The Llama family of language models (Touvron et al. 2023), block by block as in the C engine:

    x = x + W_o attention(norm(x)),   x = x + W_down (silu(W_gate h) * W_up h),  h = norm(x)

Norms are root-mean-square norms. Rotary positions rotate the pairs (0, 1), (2, 3), ... of a head. Groups of query heads share their keys
and values. The output weights are tied to the embeddings.  state_dict() names are the file's tensor names.
"""
import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import nn

from common import native

BLOCK = 128                              # number of queries per tile of native.c's attention


@dataclass
class Config:
    """Hyper-parameters, named as in the weight file's metadata."""
    values: int = 512                    # V, the size of the vocabulary
    context_length: int = 64
    block_count: int = 2
    embedding_length: int = 64
    feed_forward_length: int = 192
    head_count: int = 4
    head_count_kv: int = 4
    freq_base: float = 10000.0
    epsilon: float = 1e-5
    dropout: float = 0.0                 # dropout of each sublayer's output

    @property
    def key_length(self):
        return self.embedding_length // self.head_count


class Norm(nn.Module):
    def __init__(self, width, epsilon):
        super().__init__()
        self.weight, self.epsilon = nn.Parameter(torch.ones(width)), epsilon

    def forward(self, x):
        """Computes weight * x / sqrt(mean(x^2) + epsilon)"""
        return self.weight * x * torch.rsqrt((x * x).mean(-1, keepdim=True) + self.epsilon)


def turned(x, cosine, sine):
    """Rotates each pair of values of x (B, n, heads, d_k) by the pair's angle. cosine, sine: those of the angles, (n, 1, d_k / 2)"""
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack((a * cosine - b * sine, a * sine + b * cosine), -1).flatten(-2)


class Block(nn.Module):
    def __init__(self, c):
        super().__init__()
        d, inner, kv = c.embedding_length, c.feed_forward_length, c.head_count_kv * c.key_length
        linear = lambda rows, columns: nn.Linear(columns, rows, bias=False)
        self.c = c
        self.attn_norm, self.ffn_norm = Norm(d, c.epsilon), Norm(d, c.epsilon)
        self.attn_q, self.attn_k, self.attn_v, self.attn_output = linear(d, d), linear(kv, d), linear(kv, d), linear(d, d)
        self.ffn_gate, self.ffn_up, self.ffn_down = linear(inner, d), linear(inner, d), linear(d, inner)

    def attention(self, h, cosine, sine):
        c, (B, n, _) = self.c, h.shape
        q = turned(self.attn_q(h).view(B, n, c.head_count, c.key_length), cosine, sine)
        k = turned(self.attn_k(h).view(B, n, c.head_count_kv, c.key_length), cosine, sine)
        v = self.attn_v(h).view(B, n, c.head_count_kv, c.key_length)
        k, v = (t.repeat_interleave(c.head_count // c.head_count_kv, 2) for t in (k, v))
        if h.dtype != torch.float64 and torch.is_autocast_cpu_enabled() and n % BLOCK == 0 and native.usable(self.attn_q.weight):
            qkv = torch.cat([t.flatten(2).to(torch.bfloat16) for t in (q, k, v)], -1)
            return self.attn_output(native.Attention.apply(qkv, c.head_count, BLOCK, n))
        q, k, v = (t.transpose(1, 2) for t in (q, k, v))
        score = q @ k.transpose(2, 3) / math.sqrt(c.key_length)
        later = torch.ones(n, n, dtype=torch.bool, device=h.device).triu(1)
        weights = score.masked_fill(later, -math.inf).softmax(-1).to(v.dtype)
        return self.attn_output((weights @ v).transpose(1, 2).flatten(2))

    def forward(self, x, cosine, sine):
        drop = lambda y: F.dropout(y, self.c.dropout, self.training and self.c.dropout > 0)
        x = x + drop(self.attention(self.attn_norm(x), cosine, sine))
        h = self.ffn_norm(x)
        return x + drop(self.ffn_down(F.silu(self.ffn_gate(h)) * self.ffn_up(h)))


class Llama(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.c = c
        self.token_embd = nn.Embedding(c.values, c.embedding_length)
        self.blk = nn.ModuleList(Block(c) for _ in range(c.block_count))
        self.output_norm = Norm(c.embedding_length, c.epsilon)
        for name, p in self.named_parameters():
            if p.dim() == 2:             # matrices that add to the residual stream start smaller in deeper models
                last = name.endswith(("attn_output.weight", "ffn_down.weight"))
                nn.init.normal_(p, std=0.02 / (math.sqrt(2 * c.block_count) if last else 1))

    def angles(self, n, like):
        """Returns cosine and sine (n, 1, d_k / 2) of position * base^(-2i / d_k)"""
        half = torch.arange(self.c.key_length // 2, dtype=torch.float64)
        turn = torch.arange(n, dtype=torch.float64)[:, None] * self.c.freq_base ** (-2 * half / self.c.key_length)
        return (f(turn)[:, None].to(like.device, like.dtype) for f in (torch.cos, torch.sin))

    def forward(self, ids):
        """Maps ids (B, n) to logits (B, n, V) of the next id at each position."""
        x = self.token_embd(ids)
        cosine, sine = self.angles(ids.shape[1], x)
        for block in self.blk:
            x = block(x, cosine, sine)
        return F.linear(self.output_norm(x), self.token_embd.weight)

    def each(self, ids):
        """Returns a tensor of shape (B, n - 1): -log p(id_i | earlier ids) for i > 0"""
        logits = self(ids[:, :-1])
        logits = logits if logits.dtype == torch.float64 else logits.float()
        return F.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten(), reduction="none").view(len(ids), -1)

    def nats(self, ids):
        """Returns a tensor of shape (B,): -log p of all ids except the first, which is given."""
        return self.each(ids).sum(1)

    @torch.no_grad()
    def generate(self, ids, count, temperature=1.0, generator=None):
        """Continues ids (B, m) to (B, m + count); the context is truncated to its maximal length."""
        for _ in range(count):
            logits = self(ids[:, -self.c.context_length:])[:, -1].float()
            p = (logits / max(temperature, 1e-6)).softmax(-1)
            ids = torch.cat([ids, torch.multinomial(p, 1, generator=generator)], 1)
        return ids
