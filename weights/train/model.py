"""Image Transformer (Parmar et al. 2018, "Image Transformer"), decoder only, categorical output.

Mirrors the C engine block by block.  Module names are chosen so that `state_dict()` gives the tensor
names of the weight file (token_embd.weight, blk.0.attn_q.weight, ...); export.py copies them unchanged.

Shapes: B images, n = H*W*C elements in raster order (rows, columns, channels inside a pixel),
d = embedding_length, A heads of width d_k, V levels per channel.  C = channels, channel of element i = i % C.
"""
import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import nn


@dataclass
class Config:
    """Hyper-parameters, named as in the weight file's metadata."""
    height: int = 28
    width: int = 28
    channels: int = 1                    # 1 or 3
    levels: int = 16                     # V, 2..256
    block_count: int = 6
    embedding_length: int = 128          # d, a multiple of 4 (of 32 for Q8_0)
    feed_forward_length: int = 512
    head_count: int = 4                  # A
    key_length: int = 32                 # d_k per head; A*d_k may differ from d
    layer_norm_epsilon: float = 1e-6
    pattern: str = "full"                # "full" | "local-1d"
    query_block: int = 0                 # l_q, local-1d only
    memory_block: int = 0                # l_m, local-1d only
    position: str = "learned"            # "learned" | "sinusoidal"
    position_width: str = "half"         # learned only: "half" = [row | column], "full" = row + column
    classes: int = 0                     # 0 = unconditional
    attention_bias: bool = False         # biases in q, k, v, o (not used by the shipped models)
    dropout: float = 0.0

    @property
    def n(self):
        return self.height * self.width * self.channels


def sinusoid(count, d):
    """(count, d/2) table [sin(p w_f) | cos(p w_f)], w_f = 10000^(-f/(F-1)), F = d/4 (F = 1: w_0 = 1)."""
    F_ = d // 4
    w = torch.tensor([10000.0 ** (-f / (F_ - 1)) if F_ > 1 else 1.0 for f in range(F_)], dtype=torch.float64)
    angle = torch.arange(count, dtype=torch.float64)[:, None] * w
    return torch.cat([angle.sin(), angle.cos()], 1).float()


def visible(c, lo, hi, first):
    """(hi-lo, hi-first) additive mask of queries lo..hi-1 over keys first..hi-1: 0 where j <= i, else -inf."""
    i, j = torch.arange(lo, hi)[:, None], torch.arange(first, hi)[None, :]
    return torch.zeros(hi - lo, hi - first).masked_fill(j > i, float("-inf"))


class Block(nn.Module):
    """One post-norm layer, equations (1) and (2) of the paper, with heads and an output projection W_o:

        q_a = LN(q + dropout(W_o softmax((W_q q)(W_k M)^T / sqrt(d_k)) (W_v M)))      (1)
        q'  = LN(q_a + dropout(W_down relu(W_up q_a)))                                (2)

    M is the memory: the elements a query may see, j <= i and, for local-1d, j >= l_q*floor(i/l_q) - l_m.
    """

    def __init__(self, c):
        super().__init__()
        self.c, d, inner = c, c.embedding_length, c.head_count * c.key_length
        self.attn_q = nn.Linear(d, inner, bias=c.attention_bias)
        self.attn_k = nn.Linear(d, inner, bias=c.attention_bias)
        self.attn_v = nn.Linear(d, inner, bias=c.attention_bias)
        self.attn_output = nn.Linear(inner, d, bias=c.attention_bias)
        self.attn_norm = nn.LayerNorm(d, eps=c.layer_norm_epsilon)
        self.ffn_up = nn.Linear(d, c.feed_forward_length)
        self.ffn_down = nn.Linear(c.feed_forward_length, d)
        self.ffn_norm = nn.LayerNorm(d, eps=c.layer_norm_epsilon)

    def heads(self, x):
        """(B, m, A*d_k) -> (B, A, m, d_k)"""
        return x.view(x.shape[0], x.shape[1], self.c.head_count, self.c.key_length).transpose(1, 2)

    def attend(self, q, k, v, mask):
        """(B, A, m, d_k) x (B, A, j, d_k) -> (B, m, A*d_k); mask (m, j) is added to the scores, None = all visible."""
        B, A, m, dk = q.shape
        if q.is_cuda and hasattr(F, "scaled_dot_product_attention"):
            o = F.scaled_dot_product_attention(q, k, v, attn_mask=None if mask is None else mask.to(q.dtype))
        else:                            # on a CPU plain matrix products and softmax are as fast
            score = (q * (1.0 / math.sqrt(dk))) @ k.transpose(-1, -2)
            if mask is not None:
                score = score + mask.to(score.dtype)
            o = torch.softmax(score, -1) @ v
        return o.transpose(1, 2).reshape(B, m, A * dk)

    def rest(self, h, o):
        """Everything after the attention of a layer: h, o (B, m, d), (B, m, A*d_k) -> (B, m, d)."""
        drop = lambda x: F.dropout(x, self.c.dropout, self.training)
        a = self.attn_norm(h + drop(self.attn_output(o)))                                      # (1)
        return self.ffn_norm(a + drop(self.ffn_down(torch.relu(self.ffn_up(a)))))              # (2)

    def forward(self, h, masks):
        """h (B, n, d) -> (B, n, d).  masks: (lo, hi, first key, mask) for each query block."""
        q, k, v = self.heads(self.attn_q(h)), self.heads(self.attn_k(h)), self.heads(self.attn_v(h))
        o = [self.attend(q[:, :, lo:hi], k[:, :, first:hi], v[:, :, first:hi], mask) for lo, hi, first, mask in masks]
        return self.rest(h, o[0] if len(o) == 1 else torch.cat(o, 1))

    def step(self, h, i, first, cache):
        """One element with cached keys and values: h (B, 1, d), cache = (k, v) each (B, A, n, d_k) -> (B, 1, d)."""
        cache[0][:, :, i:i + 1], cache[1][:, :, i:i + 1] = self.heads(self.attn_k(h)), self.heads(self.attn_v(h))
        k, v = cache[0][:, :, first:i + 1], cache[1][:, :, first:i + 1]
        return self.rest(h, self.attend(self.heads(self.attn_q(h)), k, v, None))


class ImageTransformer(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.c, d = c, c.embedding_length
        self.token_embd = nn.Embedding(c.channels * c.levels, d)         # index = value + V*channel
        if c.position == "learned":
            width = d // 2 if c.position_width == "half" else d
            self.position_row = nn.Embedding(c.height, width)
            self.position_col = nn.Embedding(c.width * c.channels, width)
        if c.classes:
            self.class_embd = nn.Embedding(c.classes, d)
        self.blk = nn.ModuleList(Block(c) for _ in range(c.block_count))
        self.output = nn.Linear(d, c.levels)
        self.query_block = c.query_block if c.pattern == "local-1d" else c.n
        self.memory_block = c.memory_block if c.pattern == "local-1d" else 0
        self.masks = []
        for lo in range(0, c.n, self.query_block):
            hi, first = min(lo + self.query_block, c.n), max(0, lo - self.memory_block)
            self.masks.append((lo, hi, first, visible(c, lo, hi, first)))
        self.initialise()

    @torch.no_grad()
    def initialise(self):
        """Unit-variance layer-0 input; the last matrix of each sublayer is scaled down with depth, which
        keeps the post-norm stack close to the identity at the start and allows a large learning rate."""
        c, d = self.c, self.c.embedding_length
        for name, p in self.named_parameters():
            if p.dim() == 2 and name.startswith("blk."):
                nn.init.xavier_uniform_(p)
                if "attn_output" in name or "ffn_down" in name:
                    p.mul_(1.0 / math.sqrt(2 * c.block_count))
            elif name.endswith(".bias"):
                nn.init.zeros_(p)
        nn.init.normal_(self.token_embd.weight, std=1.0 / math.sqrt(d))  # the engine multiplies by sqrt(d)
        nn.init.normal_(self.output.weight, std=0.02)
        if c.classes:
            nn.init.normal_(self.class_embd.weight, std=0.1)
        if c.position == "learned":      # start from the sinusoids: neighbours are related from the first step
            wide = d if c.position_width == "half" else 2 * d
            self.position_row.weight.copy_(sinusoid(c.height, wide))
            self.position_col.weight.copy_(sinusoid(c.width * c.channels, wide))

    def positions(self):
        """(n, d): row part and column-and-channel part of every element."""
        c, d = self.c, self.c.embedding_length
        device = self.token_embd.weight.device
        i = torch.arange(c.n, device=device)
        row, col = i // (c.width * c.channels), i % (c.width * c.channels)
        if c.position == "sinusoidal":
            table_row, table_col = sinusoid(c.height, d).to(device), sinusoid(c.width * c.channels, d).to(device)
        else:
            table_row, table_col = self.position_row.weight, self.position_col.weight
        if table_row.shape[1] == d:
            return table_row[row] + table_col[col]
        return torch.cat([table_row[row], table_col[col]], 1)

    def classes(self, label):
        """(B,) class indices, -1 = dropped -> (B, 1, d); zeros for dropped classes."""
        if not self.c.classes or label is None:
            return 0.0
        return (self.class_embd(label.clamp(min=0)) * (label >= 0)[:, None])[:, None]

    def embed(self, x, label):
        """Layer-0 input (B, n, d): h_i = sqrt(d) E[x_{i-1} + V*((i-1) % C)] + position_i + class; E-part of h_0 is zero."""
        c = self.c
        index = x + c.levels * (torch.arange(c.n, device=x.device) % c.channels)
        e = self.token_embd(index[:, :-1]) * math.sqrt(c.embedding_length)
        return F.pad(e, (0, 0, 1, 0)) + self.positions() + self.classes(label)

    def forward(self, x, label=None, keep=None):
        """x (B, n) levels, label (B,) or None -> logits (B, n, V); logits_i depend on x_0..x_{i-1} only.
        keep: a list that receives the output of `embed` and of each block."""
        masks = [(lo, hi, first, m.to(x.device)) for lo, hi, first, m in self.masks]
        h = self.embed(x, label)
        if keep is not None:
            keep.append(h)
        for block in self.blk:
            h = block(h, masks)
            if keep is not None:
                keep.append(h)
        return self.output(h)

    def nats(self, x, label=None):
        """(B, n): -log p(x_i | x_<i, label).  Summed over i: nats per image."""
        logits = self(x, label).float()
        return F.cross_entropy(logits.transpose(1, 2), x, reduction="none")

    @torch.no_grad()
    def generate(self, label, prefix=None, temperature=1.0, generator=None):
        """Ancestral sampling with cached keys and values.  label (B,), prefix (B, m) fixed first elements -> (B, n)."""
        c, B, device = self.c, label.shape[0], label.device
        m = 0 if prefix is None else prefix.shape[1]
        x = torch.zeros(B, c.n, dtype=torch.long, device=device)
        if m:
            x[:, :m] = prefix
        cache = [[torch.zeros(B, c.head_count, c.n, c.key_length, device=device) for _ in "kv"] for _ in self.blk]
        position, klass = self.positions(), self.classes(label)
        for i in range(c.n):
            h = (position[i] + klass).expand(B, 1, -1)
            if i:
                h = h + math.sqrt(c.embedding_length) * self.token_embd(x[:, i - 1:i] + c.levels * ((i - 1) % c.channels))
            first = max(0, i // self.query_block * self.query_block - self.memory_block)
            for block, kv in zip(self.blk, cache):
                h = block.step(h, i, first, kv)
            if i >= m:
                p = torch.softmax(self.output(h[:, 0]).float() / temperature, -1)
                x[:, i] = torch.multinomial(p, 1, generator=generator)[:, 0]
        return x
