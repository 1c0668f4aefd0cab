# SPDX-License-Identifier: MIT
"""Kin of Llama that others train, for golden files alone: Qwen 3 (Yang et al. 2025) and Gemma 3 (Gemma Team 2025, section 2).

Both turn the pairs (i, i + d_k / 2) of a head and norm the queries and keys of each head before they do.  Gemma 3 begins with sqrt(d) times the
embedding, norms what a sublayer adds, has gelu for silu, and attention that is local in five of six blocks: to the last `window` ids, with
rotary frequencies of their own.  state_dict() names are the file's tensor names.
"""
import math
from dataclasses import dataclass, fields

import torch
import torch.nn.functional as F
from torch import nn

from models.llama import model as llama
from models.llama import task

PERIOD = 6                               # of so many blocks of Gemma 3 one is global


@dataclass
class Config(llama.Config):
    head_width: int = 32                 # d_k
    window: int = 0                      # of local attention; 0: Qwen 3
    freq_base_local: float = 10000.0

    @property
    def key_length(self):
        return self.head_width


def halves_turned(x, cosine, sine):
    """x (B, n, heads, d_k): number i of a head and number i + d_k / 2 are turned by angle i."""
    a, b = x.chunk(2, -1)
    return torch.cat((a * cosine - b * sine, a * sine + b * cosine), -1)


class Block(nn.Module):
    def __init__(self, c, index):
        super().__init__()
        d, inner, q, kv = c.embedding_length, c.feed_forward_length, c.head_count * c.key_length, c.head_count_kv * c.key_length
        linear = lambda rows, columns: nn.Linear(columns, rows, bias=False)
        norm = lambda width: llama.Norm(width, c.epsilon)
        self.c, self.local = c, c.window > 0 and (index + 1) % PERIOD > 0
        self.attn_norm, self.ffn_norm = norm(d), norm(d)
        self.attn_q, self.attn_k, self.attn_v, self.attn_output = linear(q, d), linear(kv, d), linear(kv, d), linear(d, q)
        self.attn_q_norm, self.attn_k_norm = norm(c.key_length), norm(c.key_length)
        self.ffn_gate, self.ffn_up, self.ffn_down = linear(inner, d), linear(inner, d), linear(d, inner)
        if c.window:
            self.post_attention_norm, self.post_ffw_norm = norm(d), norm(d)

    def attention(self, h, turn):
        c, (B, n, _) = self.c, h.shape
        heads = lambda y, count: y.view(B, n, count, c.key_length)
        q = halves_turned(self.attn_q_norm(heads(self.attn_q(h), c.head_count)), *turn)
        k = halves_turned(self.attn_k_norm(heads(self.attn_k(h), c.head_count_kv)), *turn)
        v = heads(self.attn_v(h), c.head_count_kv)
        k, v = (t.repeat_interleave(c.head_count // c.head_count_kv, 2) for t in (k, v))
        q, k, v = (t.transpose(1, 2) for t in (q, k, v))
        score = q @ k.transpose(2, 3) / math.sqrt(c.key_length)
        place = torch.arange(n)
        back = place[:, None] - place[None]
        hidden = (back < 0) | (back >= c.window) if self.local else back < 0
        weights = score.masked_fill(hidden, -math.inf).softmax(-1)
        return self.attn_output((weights @ v).transpose(1, 2).flatten(2))

    def forward(self, x, turns):
        gemma = self.c.window > 0
        y = self.attention(self.attn_norm(x), turns[self.local])
        x = x + (self.post_attention_norm(y) if gemma else y)
        h = self.ffn_norm(x)
        gate = F.gelu(self.ffn_gate(h), approximate="tanh") if gemma else F.silu(self.ffn_gate(h))
        y = self.ffn_down(gate * self.ffn_up(h))
        return x + (self.post_ffw_norm(y) if gemma else y)


class Kin(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.c = c
        self.token_embd = nn.Embedding(c.values, c.embedding_length)
        self.blk = nn.ModuleList(Block(c, i) for i in range(c.block_count))
        self.output_norm = llama.Norm(c.embedding_length, c.epsilon)

    def angles(self, n, base, like):
        """cosine, sine (n, 1, d_k / 2) of position * base^(-2i / d_k)"""
        half = torch.arange(self.c.key_length // 2, dtype=torch.float64)
        turn = torch.arange(n, dtype=torch.float64)[:, None] * base ** (-2 * half / self.c.key_length)
        return tuple(f(turn)[:, None].to(like.dtype) for f in (torch.cos, torch.sin))

    def forward(self, ids):
        """ids (B, n) -> logits (B, n, V) of the id after each."""
        x = self.token_embd(ids)
        if self.c.window:
            x = x * math.sqrt(self.c.embedding_length)
        turns = [self.angles(ids.shape[1], base, x) for base in (self.c.freq_base, self.c.freq_base_local)]
        for block in self.blk:
            x = block(x, turns)
        return F.linear(self.output_norm(x), self.token_embd.weight)


@dataclass
class Settings(Config, task.Settings):
    pass


class KinTask(task.LlamaTask):
    Settings = Settings

    def __init__(self, settings):
        super().__init__(settings)
        self.architecture = "gemma3" if settings.window else "qwen3"

    def model(self):
        return Kin(Config(**{f.name: getattr(self.s, f.name) for f in fields(Config)}))

    def metadata(self, model):
        c, mine = model.c, self.architecture + "."
        keys = {k.replace(task.PREFIX, mine, 1): v for k, v in super().metadata(model).items()}
        keys.update({mine + "attention.key_length": c.key_length, mine + "attention.value_length": c.key_length})
        if c.window:
            keys.update({mine + "attention.sliding_window": c.window, mine + "rope.freq_base_swa": c.freq_base_local})
        return keys
