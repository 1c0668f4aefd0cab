# SPDX-License-Identifier: MIT
"""Sparse Transformer (Child, Gray, Radford and Sutskever 2019, "Generating Long Sequences with Sparse Transformers") for greyscale
pictures, texts and notes.

The modules correspond to the blocks of the C engine.  Module names are chosen so that `state_dict()` gives the tensor names of the weight
file. Instead of all n positions up to its own, a query sees sets of about sqrt(n) of these positions. l is the stride, c is the summary:

    strided    A1(i) = the last l positions, including i           A2(i) = every l-th position back from i
    fixed      A1(i) = the positions of i's own block of l         A2(i) = the last c positions of each block, up to i
    blocks     A1(i) = the positions of i's own block of l         A2(i) = every l-th position back from i  A3(i) = the whole previous block

The pattern "blocks" is that of Jukebox (Dhariwal et al. 2020): if positions are arranged in rows of l, a query sees its row, its column and
the previous row. There are three ways to distribute the sets over a transformer:

    interleaved    the transformer's blocks alternate between the sets, starting with A1
    merged         every block of the transformer sees the union of the sets
    heads          half of the heads see one set, and the other half see the other set

The paper defines the strided A1 as i - l .. i, which is l + 1 positions. The code of the paper's authors uses l positions, and so does this
code. Attention over an empty set is 0. A2 is empty for the first l - c positions of the fixed pattern; A3 is empty for the first l
positions of the pattern "blocks".
"""
import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import nn

from common import distributions, native
from models.sparse_transformer import notes

NEAR, FAR, PREVIOUS = 1, 2, 4            # A1, A2, A3
LIMIT = -1e30                            # the score of invisible keys


@dataclass
class Config:
    """Hyper-parameters, named as in the weight file's metadata."""
    height: int = 0                      # height of a picture; 0: a text
    width: int = 0
    levels: int = 2                      # V, for a text the size of the vocabulary
    output: str = "bernoulli"            # distribution of a pixel or id: bernoulli (V = 2) | categorical
    context_length: int = 0              # n; for a picture height * width
    block_count: int = 6
    embedding_length: int = 128          # d
    feed_forward_length: int = 256
    head_count: int = 4
    key_length: int = 32
    pattern: str = "strided"             # strided | fixed | blocks
    stride: int = 28                     # l
    summary: int = 0                     # c, of the fixed pattern
    combine: str = "interleaved"         # interleaved | merged | heads
    layer_norm_epsilon: float = 1e-5
    time_length: int = 0                 # number of ticks with embeddings if ids are notes, else 0
    bar: int = 16                        # ticks per bar
    chord_length: int = 5                # number of chord positions with embeddings

    @property
    def n(self):
        return self.height * self.width or self.context_length

    @property
    def text(self):
        return not self.height

    @property
    def columns(self):
        """Returns the row length that the two position tables assume: the width of a picture, or the stride for a text."""
        return self.width or self.stride

    def sets(self, index):
        """Returns the sets that the heads of a block see: [(A1, A2 or both, heads)]"""
        if self.combine == "interleaved":
            return [(turn(self.pattern, index), self.head_count)]
        if self.combine == "merged":
            return [(NEAR | FAR, self.head_count)]
        return [(NEAR, self.head_count - self.head_count // 2), (FAR, self.head_count // 2)]


def turn(pattern, index):
    """Returns the set that a block sees if blocks alternate"""
    return (NEAR, FAR, PREVIOUS)[index % (3 if pattern == "blocks" else 2)]


def dense(c, which):
    """Returns whether these sets contain all positions up to the query's position. This is the case only in the fixed pattern, if the
    summaries are whole blocks."""
    return c.pattern == "fixed" and bool(which & FAR) and c.summary == c.stride


def seen(c, which, n):
    """Returns a bool tensor of shape (n, n): whether query i sees key j.  This function is the definition of the patterns; the faster code
    below must give the same result."""
    i, j = torch.arange(n)[:, None], torch.arange(n)[None]
    near = j > i - c.stride if c.pattern == "strided" else i // c.stride == j // c.stride
    far = j % c.stride >= c.stride - c.summary if c.pattern == "fixed" else (i - j) % c.stride == 0
    previous = i // c.stride == j // c.stride + 1
    return (j <= i) & ((near & bool(which & NEAR)) | (far & bool(which & FAR)) | (previous & bool(which & PREVIOUS)))


def masked(q, k, v, visible):
    """Attends from the queries q (..., m, d_k) to the keys k and values v (..., j, d_k) -> (..., m, d_k); `visible` (m, j) marks the keys
    that a query sees. The result is 0 for a query that sees nothing"""
    score = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
    weights = score.masked_fill(~visible, LIMIT).softmax(-1) * visible.any(-1, keepdim=True).to(score.dtype)
    return weights.to(v.dtype) @ v


class Swish(torch.autograd.Function):
    """Computes x sigmoid(1.702 x)"""

    @staticmethod
    def forward(ctx, x):
        s = torch.sigmoid(1.702 * x)
        y = x * s
        ctx.save_for_backward(s, y)
        return y

    @staticmethod
    def backward(ctx, g):
        s, y = ctx.saved_tensors
        return g * (s + 1.702 * y * (1 - s))


class Block(nn.Module):
    """Maps h to h + a + b, where a = W_o attention(LN(h)), b = W_down f(W_up LN(h + a)), f(x) = x sigmoid(1.702 x)"""

    def __init__(self, c, index):
        super().__init__()
        d, inner = c.embedding_length, c.head_count * c.key_length
        self.c, self.sets = c, c.sets(index)
        self.attn_norm, self.ffn_norm = (nn.LayerNorm(d, eps=c.layer_norm_epsilon) for _ in range(2))
        self.attn_q, self.attn_k, self.attn_v, self.attn_output = (nn.Linear(*shape, bias=False) for shape in ((d, inner),) * 3 + ((inner, d),))
        self.ffn_up, self.ffn_down = nn.Linear(d, c.feed_forward_length), nn.Linear(c.feed_forward_length, d)

    def projections(self, first, heads):
        """Returns (3 heads d_k, d): the rows [q | k | v] of these heads"""
        at = slice(first * self.c.key_length, (first + heads) * self.c.key_length)
        return torch.cat([part.weight[at] for part in (self.attn_q, self.attn_k, self.attn_v)])

    def gathered(self, which, qkv, heads):
        """Attends: qkv (B, n, 3 heads d_k), rows [q | k | v] -> (B, n, heads d_k)"""
        c, (B, n, _) = self.c, qkv.shape
        q, k, v = qkv.view(B, n, 3, heads, c.key_length).permute(2, 0, 3, 1, 4)
        return masked(q, k, v, seen(c, which, n).to(qkv.device)).transpose(1, 2).flatten(2)

    def gathered_fast(self, which, qkv, heads):
        """Computes the same result as `gathered`, in bf16 on a CPU. It works on whole blocks of positions and does not compute the scores
        of invisible keys."""
        c, (B, n, _), l = self.c, qkv.shape, self.c.stride
        if dense(c, which):
            return native.Attention.apply(qkv, heads, n, 0)
        if which == NEAR:
            strided = c.pattern == "strided"
            return native.Attention.apply(qkv, heads, l, l if strided else 0, l if strided else 0)
        q, k, v = qkv.view(B, n, 3, heads, c.key_length).permute(2, 0, 3, 1, 4)
        if which == PREVIOUS:            # the first block has no previous block and gets zeros
            q, k, v = (t.reshape(B, heads, n // l, l, -1) for t in (q, k, v))
            weights = (q[:, :, 1:] @ k[:, :, :-1].transpose(-1, -2) / math.sqrt(c.key_length)).softmax(-1).to(v.dtype)
            return F.pad(weights @ v[:, :, :-1], (0, 0, 0, 0, 1, 0)).flatten(2, 3).transpose(1, 2).flatten(2)
        if c.pattern != "fixed":         # every column of the (n / l, l) grid attends to itself
            across = qkv.view(B, n // l, l, -1).transpose(1, 2).reshape(B * l, n // l, -1)
            out = native.Attention.apply(across, heads, n // l, 0)
            return out.view(B, l, n // l, -1).transpose(1, 2).reshape(B, n, -1)
        last = lambda t: t.reshape(B, heads, n // l, l, -1)[:, :, :, l - c.summary:].flatten(2, 3)
        place = (torch.arange(n // l)[:, None] * l + torch.arange(l - c.summary, l)).flatten()
        return masked(q, last(k), last(v), place[None] <= torch.arange(n)[:, None]).transpose(1, 2).flatten(2)

    def attention(self, h):
        out, first, n = [], 0, h.shape[1]
        for which, heads in self.sets:
            qkv = F.linear(h, self.projections(first, heads))
            fast = qkv.dtype == torch.bfloat16 and n % self.c.stride == 0 and (which != NEAR | FAR or dense(self.c, which)) and native.usable(self.attn_q.weight)
            out.append((self.gathered_fast if fast else self.gathered)(which, qkv, heads))
            first += heads
        return self.attn_output(out[0] if len(out) == 1 else torch.cat(out, -1))

    def feed_forward(self, y):
        return self.ffn_down(Swish.apply(self.ffn_up(y)))

    def forward(self, h, dropped=lambda f: f):
        """Computes the block: (B, n, d) -> (B, n, d)"""
        h = h + dropped(self.attention(self.attn_norm(h)))
        return h + dropped(self.feed_forward(self.ffn_norm(h)))

    def fused(self, h, f, dropped):
        """Computes the block like `forward`, for the input h + f. Each addition is fused with the next norm (native.AddNorm), for training
        on a CPU. Returns (h, f), whose sum is the block's output."""
        norm = lambda layer, h, f: native.AddNorm.apply(h, f, layer.weight, layer.bias, layer.eps, False)
        h, y = norm(self.attn_norm, h, f)
        h, y = norm(self.ffn_norm, h, dropped(self.attention(y)))
        return h, dropped(self.feed_forward(y))


class SparseTransformer(nn.Module):
    """The whole model. Position i of a picture reads x_{i-1} (position 0 reads nothing); position i of a text reads x_i. Each position
    predicts the next id: x_i of a picture, x_{i+1} of a text."""

    def __init__(self, c):
        super().__init__()
        self.c, d = c, c.embedding_length
        self.dropout = 0.0               # probability of dropout, in training only
        self.token_embd = nn.Embedding(c.levels, d)
        self.position_row = nn.Embedding(-(-c.n // c.columns), d)
        self.position_col = nn.Embedding(c.columns, d)
        if c.time_length:
            self.notes = notes.Table(c.levels)
            self.time_bar, self.time_tick = nn.Embedding(-(-c.time_length // c.bar), d), nn.Embedding(c.bar, d)
            self.chord_embd, self.sounding_embd = nn.Embedding(c.chord_length, d), nn.Embedding(c.levels, d)
        self.blk = nn.ModuleList(Block(c, i) for i in range(c.block_count))
        self.output_norm = nn.LayerNorm(d, eps=c.layer_norm_epsilon)
        self.output = nn.Linear(d, 1 if c.output == "bernoulli" else c.levels)
        with torch.no_grad():
            for name, p in self.blk.named_parameters():
                if p.dim() == 2:
                    nn.init.normal_(p, std=1 / math.sqrt(p.shape[1]))
                    if "attn_output" in name or "ffn_down" in name:
                        p.mul_(1 / math.sqrt(2 * c.block_count))
                elif name.endswith(".bias"):
                    nn.init.zeros_(p)
            nn.init.normal_(self.token_embd.weight, std=0.5)
            for table in (self.position_row, self.position_col):
                nn.init.normal_(table.weight, std=0.2)
            if c.time_length:
                nn.init.zeros_(self.time_bar.weight)     # embeddings of times that no piece reaches stay zero
                for table in (self.time_tick, self.chord_embd, self.sounding_embd):
                    nn.init.normal_(table.weight, std=0.2)
            nn.init.zeros_(self.output.weight), nn.init.zeros_(self.output.bias)

    def dropped(self, f):
        return F.dropout(f, self.dropout) if self.dropout and self.training else f

    def embedded(self, x):
        """Embeds ids x (B, n) -> (B, n, d)"""
        c, h = self.c, self.token_embd(x)
        if not c.text:
            h = F.pad(h[:, :-1], (0, 0, 1, 0))
        i = torch.arange(x.shape[1], device=x.device)
        h = h + (self.position_row.weight[i // c.columns] + self.position_col.weight[i % c.columns])
        return h + self.placed(x) if c.time_length else h

    def placed(self, x):
        """Embeds notes x (B, n): time, position in the chord and sounding notes -> (B, n, d)"""
        c, (time, chord, sounding) = self.c, notes.places(self.notes.rows, x)
        bar = (time // c.bar).clamp(max=len(self.time_bar.weight) - 1)
        h = self.time_bar(bar) + self.time_tick(time % c.bar) + self.chord_embd(chord.clamp(max=c.chord_length - 1))
        return h + (self.sounding_embd(sounding.clamp(min=0)) * (sounding >= 0).unsqueeze(-1)).sum(2)

    def forward(self, x):
        """Maps ids x (B, n) to the prediction at each position (B, n, P)."""
        h = self.dropped(self.embedded(x))
        if torch.is_autocast_cpu_enabled() and h.dtype == torch.float32 and native.usable(*self.parameters()):
            f = None
            for block in self.blk:
                h, f = block.fused(h, f, self.dropped)
            norm = self.output_norm
            return self.output(native.AddNorm.apply(h, f, norm.weight, norm.bias, norm.eps, False)[1])
        for block in self.blk:
            h = block(h, self.dropped)
        return self.output(self.output_norm(h))

    def each(self, x):
        """Returns -log p of each id: (B, n) for a picture; (B, n - 1) for a text, because its first id is given."""
        c = self.c
        out = self(x[:, :-1] if c.text else x)
        out = out if out.dtype == torch.float64 else out.float()
        if c.text:
            nats = F.cross_entropy(out.flatten(0, 1), x[:, 1:].flatten(), reduction="none").view(len(x), -1)
            return nats * notes.before_end(x[:, 1:]) if c.time_length else nats
        return distributions.nats(c, out, x)

    def nats(self, x):
        """Returns a tensor of shape (B,): -log p of a picture, or of a text given its first id"""
        return self.each(x).sum(1)

    @torch.no_grad()
    def generate(self, x, count, temperature=1.0, generator=None):
        """Continues ids x (B, m) to (B, m + count). For each new id, all previous positions are recomputed, so this function is only for
        sample sheets."""
        c = self.c
        for _ in range(count):
            out = self(x if c.text else F.pad(x, (0, 1)))[:, -1].float()
            if c.output == "bernoulli":
                out = F.pad(out, (1, 0))
            x = torch.cat([x, torch.multinomial((out / temperature).softmax(-1), 1, generator=generator)], 1)
        return x
