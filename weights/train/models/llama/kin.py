# SPDX-License-Identifier: MIT
"""Defines published models that are related to Llama. These definitions are used only for golden files. src/models/llama.c explains each
difference and cites its paper.

state_dict() names are the file's tensor names, except for the linear maps that a file may join in one matrix.
"""
import math
from dataclasses import dataclass, fields
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import nn

from models.llama import model as llama
from models.llama import task

class Kind(NamedTuple):
    """The differences between one kind of model and Llama."""
    halves: bool = True                  # whether rotary pairs are (i, i + d_k / 2) instead of (2i, 2i + 1)
    head_norms: str = ""                 # queries and keys are normalised for "each" head or over "all" heads; "": not normalised
    before: bool = True                  # whether the input of each sublayer is normalised
    after: bool = False                  # whether the output of each sublayer is normalised
    gemma: bool = False                  # whether the embedding is multiplied by sqrt(d) and gelu replaces silu
    score_cap: float = 0
    logit_cap: float = 0
    period: int = 0                      # if there is a window, one block in `period` is global; 0: none
    apart: bool = False                  # whether local blocks have their own rotary frequencies
    global_bare: bool = False            # whether global blocks lack rotary positions if there is a window
    bare: int = 0                        # one block in `bare` has no rotary positions; 0: none
    embedding_scale: float = 1
    attention_scale: float = 0           # 0: 1 / sqrt(d_k)
    residual_scale: float = 1
    logit_scale: float = 1
    joined: bool = False                 # whether the file joins queries, keys and values, and joins gate and up


KINDS = {
    "qwen3": Kind(head_norms="each"),
    "gemma3": Kind(head_norms="each", after=True, gemma=True, period=6, apart=True),
    "gemma2": Kind(after=True, gemma=True, score_cap=2.0, logit_cap=3.0, period=2),
    "olmo2": Kind(head_norms="all", before=False, after=True),
    "exaone4": Kind(head_norms="each", before=False, after=True, period=4, global_bare=True),
    "smollm3": Kind(halves=False, bare=4),
    "granite": Kind(halves=False, embedding_scale=3.0, attention_scale=0.25, residual_scale=0.5, logit_scale=1.5),
    "phi3": Kind(period=10 ** 9, joined=True),
    "ernie4_5": Kind(halves=False),
}


@dataclass
class Config(llama.Config):
    kind: str = "qwen3"
    head_width: int = 32                 # d_k
    window: int = 0                      # window of local attention; 0: none
    freq_base_local: float = 10000.0

    @property
    def key_length(self):
        return self.head_width


def halves_turned(x, cosine, sine):
    """Rotates each pair of values i and i + d_k / 2 of a head by angle i of the position. x: shape (B, n, heads, d_k)"""
    a, b = x.chunk(2, -1)
    return torch.cat((a * cosine - b * sine, a * sine + b * cosine), -1)


class Block(nn.Module):
    def __init__(self, c, index):
        super().__init__()
        d, inner, q, kv = c.embedding_length, c.feed_forward_length, c.head_count * c.key_length, c.head_count_kv * c.key_length
        linear = lambda rows, columns: nn.Linear(columns, rows, bias=False)
        norm = lambda width: llama.Norm(width, c.epsilon)
        kind = KINDS[c.kind]
        self.c, self.kind, self.local = c, kind, c.window > 0 and kind.period > 0 and (index + 1) % kind.period > 0
        self.turned = self.local if kind.global_bare and c.window else not kind.bare or (index + 1) % kind.bare > 0
        if kind.before:
            self.attn_norm, self.ffn_norm = norm(d), norm(d)
        if kind.joined:
            self.attn_qkv = linear(q + 2 * kv, d)
        else:
            self.attn_q, self.attn_k, self.attn_v = linear(q, d), linear(kv, d), linear(kv, d)
        self.attn_output = linear(d, q)
        if kind.head_norms:
            each = kind.head_norms == "each"
            self.attn_q_norm, self.attn_k_norm = norm(c.key_length if each else q), norm(c.key_length if each else kv)
        if not kind.joined:
            self.ffn_gate = linear(inner, d)
        self.ffn_up, self.ffn_down = linear(2 * inner if kind.joined else inner, d), linear(d, inner)
        if kind.after:
            self.post_attention_norm, self.post_ffw_norm = norm(d), norm(d)

    def maps(self, h):
        """Returns queries, keys and values (B, n, heads, d_k), with queries and keys normalised"""
        c, kind = self.c, self.kind
        heads = lambda y, count: y.view(*h.shape[:2], count, c.key_length)
        q, k, v = (self.attn_qkv(h).split([n * c.key_length for n in (c.head_count, c.head_count_kv, c.head_count_kv)], -1) if kind.joined
                   else (self.attn_q(h), self.attn_k(h), self.attn_v(h)))
        if kind.head_norms == "all":
            q, k = self.attn_q_norm(q), self.attn_k_norm(k)
        q, k, v = heads(q, c.head_count), heads(k, c.head_count_kv), heads(v, c.head_count_kv)
        return (self.attn_q_norm(q), self.attn_k_norm(k), v) if kind.head_norms == "each" else (q, k, v)

    def attention(self, h, turn):
        c, kind, n = self.c, self.kind, h.shape[1]
        q, k, v = self.maps(h)
        if self.turned:
            turned = halves_turned if kind.halves else llama.turned
            q, k = turned(q, *turn), turned(k, *turn)
        k, v = (t.repeat_interleave(c.head_count // c.head_count_kv, 2) for t in (k, v))
        q, k, v = (t.transpose(1, 2) for t in (q, k, v))
        score = capped(q @ k.transpose(2, 3) * (kind.attention_scale or c.key_length ** -0.5), kind.score_cap)
        place = torch.arange(n)
        back = place[:, None] - place[None]
        hidden = (back < 0) | (back >= c.window) if self.local else back < 0
        weights = score.masked_fill(hidden, -math.inf).softmax(-1)
        return self.attn_output((weights @ v).transpose(1, 2).flatten(2))

    def feed_forward(self, h):
        gate, up = self.ffn_up(h).chunk(2, -1) if self.kind.joined else (self.ffn_gate(h), self.ffn_up(h))
        return self.ffn_down((F.gelu(gate, approximate="tanh") if self.kind.gemma else F.silu(gate)) * up)

    def forward(self, x, turns):
        kind = self.kind
        y = self.attention(self.attn_norm(x) if kind.before else x, turns[self.local and kind.apart])
        x = x + (self.post_attention_norm(y) if kind.after else y) * kind.residual_scale
        y = self.feed_forward(self.ffn_norm(x) if kind.before else x)
        return x + (self.post_ffw_norm(y) if kind.after else y) * kind.residual_scale


def capped(x, cap):
    return cap * torch.tanh(x / cap) if cap else x


class Kin(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.c, self.kind = c, KINDS[c.kind]
        self.token_embd = nn.Embedding(c.values, c.embedding_length)
        self.blk = nn.ModuleList(Block(c, i) for i in range(c.block_count))
        self.output_norm = llama.Norm(c.embedding_length, c.epsilon)

    def angles(self, n, base, like):
        """Returns cosine and sine (n, 1, d_k / 2) of position * base^(-2i / d_k)"""
        half = torch.arange(self.c.key_length // 2, dtype=torch.float64)
        turn = torch.arange(n, dtype=torch.float64)[:, None] * base ** (-2 * half / self.c.key_length)
        return tuple(f(turn)[:, None].to(like.dtype) for f in (torch.cos, torch.sin))

    def forward(self, ids):
        """Maps ids (B, n) to logits (B, n, V) of the next id at each position."""
        c, kind = self.c, self.kind
        x = self.token_embd(ids) * (math.sqrt(c.embedding_length) if kind.gemma else kind.embedding_scale)
        turns = [self.angles(ids.shape[1], base, x) for base in (c.freq_base, c.freq_base_local)]
        for block in self.blk:
            x = block(x, turns)
        return capped(F.linear(self.output_norm(x), self.token_embd.weight) / kind.logit_scale, kind.logit_cap)


@dataclass
class Settings(Config, task.Settings):
    pass


class KinTask(task.LlamaTask):
    Settings = Settings

    def __init__(self, settings):
        super().__init__(settings)
        self.architecture = settings.kind

    def model(self):
        return Kin(Config(**{f.name: getattr(self.s, f.name) for f in fields(Config)}))

    def metadata(self, model):
        c, kind, mine = model.c, model.kind, self.architecture + "."
        keys = {k.replace(task.PREFIX, mine, 1): v for k, v in super().metadata(model).items()}
        keys.update({mine + "attention.key_length": c.key_length, mine + "attention.value_length": c.key_length})
        if c.window:
            keys[mine + "attention.sliding_window"] = c.window
        if kind.apart:
            keys[mine + "rope.freq_base_swa"] = c.freq_base_local
        scales = {"attn_logit_softcapping": kind.score_cap, "final_logit_softcapping": kind.logit_cap, "attention.scale": kind.attention_scale}
        if kind.logit_scale != 1:
            scales.update({"embedding_scale": kind.embedding_scale, "residual_scale": kind.residual_scale, "logit_scale": kind.logit_scale})
        return dict(keys, **{mine + key: value for key, value in scales.items() if value})
