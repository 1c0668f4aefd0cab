# SPDX-License-Identifier: MIT
"""Image Transformer (Parmar et al. 2018, "Image Transformer").

This module mirrors the C engine block by block.  Module names are chosen so that `state_dict()` gives the tensor names of the weight file
(token_embd.weight, blk.0.attn_q.weight, ...); export.py copies them unchanged.

A position is one channel of a pixel, or a whole pixel for palette and dmol models.  Positions form a grid of H rows and W*C (or W) columns
and are numbered in GENERATION order everywhere in this file. Generation order is raster order, except for local-2d. In local-2d, the blocks
are in raster order, and so are the positions inside each block.

Shapes: B images, n positions, d = embedding_length, A heads of width d_k, V levels (palette: colours).
"""
import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import nn

from common import distributions, native
from common.settings import of_file
from models.image_transformer.direct import Direct


@dataclass
class Config:
    """Hyper-parameters, named as in the weight file's metadata."""
    height: int = 28
    width: int = 28
    channels: int = 1                    # 1 or 3
    levels: int = 16                     # V, 2..256
    palette: bool = False                # whether a position is a whole pixel, whose value is one of V colours
    block_count: int = 6
    embedding_length: int = 128          # d, a multiple of 4 (of 32 for Q8_0)
    feed_forward_length: int = 512
    head_count: int = 4                  # A
    key_length: int = 32                 # d_k per head; A*d_k may differ from d
    layer_norm_epsilon: float = of_file(1e-6)
    norm: str = "post"                   # "post": LN(x + f(x)) | "pre": x + f(LN(x)), followed by a last LN
    pattern: str = "full"                # "full" | "local-1d" | "local-2d"
    query_block: int = 0                 # l_q, local-1d
    memory_block: int = 0                # l_m, local-1d
    block_rows: int = 0                  # local-2d: this size and the next three are numbers of positions
    block_cols: int = 0
    flange_rows: int = 0
    flange_cols: int = 0
    position: str = of_file("learned")   # "learned" | "sinusoidal"
    position_width: str = of_file("half")                # form of learned tables: "half" = [row | column], "full" = row + column
    classes: int = 0                     # 0 = unconditional
    output: str = "categorical"          # see distributions.py
    mixtures: int = 0                    # K, dmol
    output_bias: bool = of_file(True)
    input_height: int = 0                # super-resolution: size in pixels of the small image that the encoder reads
    input_width: int = 0
    encoder_block_count: int = 0
    encoder_feed_forward_length: int = 0 # 0: as in the decoder
    direct: bool = False                 # super-resolution: each position is conditioned on the small image, see direct.py
    attention_bias: bool = of_file(False)                # biases in q, k, v, o (not used by the shipped models)
    dropout: float = 0.0

    @property
    def interleaved(self):
        """Returns the number of positions per pixel: its channels, or one."""
        return 1 if self.palette or self.output == "dmol" else self.channels

    @property
    def columns(self):
        return self.width * self.interleaved

    @property
    def n(self):
        return self.height * self.columns


def generation(c):
    """Returns (order, blocks). order (n,) is the raster index of each position in generation order. blocks has (lo, hi, keys) for each
    query block lo..hi-1. `keys` (a slice or a tensor) contains the positions that the block's last query sees. The last of these positions
    are lo..hi-1. Each query sees the positions in `keys` up to its own."""
    if c.pattern != "local-2d":
        size = c.query_block if c.pattern == "local-1d" else c.n
        memory = c.memory_block if c.pattern == "local-1d" else 0
        cuts = [(lo, min(lo + size, c.n)) for lo in range(0, c.n, size)]
        return torch.arange(c.n), [(lo, hi, slice(max(0, lo - memory), hi)) for lo, hi in cuts]
    raster = torch.arange(c.n).view(c.height, c.columns)
    corners = [(r, k) for r in range(0, c.height, c.block_rows) for k in range(0, c.columns, c.block_cols)]
    order = torch.cat([raster[r:r + c.block_rows, k:k + c.block_cols].reshape(-1) for r, k in corners])
    place = torch.empty_like(order)      # maps raster indices to generation order
    place[order] = torch.arange(c.n)
    place, blocks, lo = place.view(c.height, c.columns), [], 0
    for r, k in corners:
        own = place[r:r + c.block_rows, k:k + c.block_cols].reshape(-1)
        left = max(0, k - c.flange_cols)
        above = place[max(0, r - c.flange_rows):r, left:k + c.block_cols + c.flange_cols].reshape(-1)
        beside = place[r:r + c.block_rows, left:k].reshape(-1)
        blocks.append((lo, lo + len(own), torch.cat([torch.cat([above, beside]).sort()[0], own])))
        lo += len(own)
    return order, blocks


def sinusoid(positions, d):
    """Returns a table (len(positions), d/2): [sin(p w_f) | cos(p w_f)], w_f = 10000^(-f/(F-1)), F = d/4 (F = 1: w_0 = 1)."""
    F_ = d // 4
    w = torch.tensor([10000.0 ** (-f / (F_ - 1)) if F_ > 1 else 1.0 for f in range(F_)], dtype=torch.float64)
    angle = torch.as_tensor(positions, dtype=torch.float64)[:, None] * w
    return torch.cat([angle.sin(), angle.cos()], 1).float()


class Positions(nn.Module):
    """Base class of decoder and encoder: the positions of both axes, and the common initialisation."""

    def position_tables(self, c, rows, columns):
        if c.position == "learned":
            width = c.embedding_length // 2 if c.position_width == "half" else c.embedding_length
            self.position_row, self.position_col = nn.Embedding(rows, width), nn.Embedding(columns, width)
        self.rows, self.columns = rows, columns

    def positions(self, order):
        """Returns the position vectors (len(order), d). order: raster indices. Each vector combines a row part and a column part."""
        row, col, d = order // self.columns, order % self.columns, self.c.embedding_length
        if self.c.position == "sinusoidal":
            table_row, table_col = sinusoid(range(self.rows), d).to(order.device), sinusoid(range(self.columns), d).to(order.device)
        else:
            table_row, table_col = self.position_row.weight, self.position_col.weight
        if table_row.shape[1] == d:
            return table_row[row] + table_col[col]
        return torch.cat([table_row[row], table_col[col]], 1)

    @torch.no_grad()
    def initialise(self):
        """Initialises the weights so that the layer-0 input has unit variance. The last matrix of each sublayer starts smaller in a deeper
        model. The post-norm stack is then close to the identity at the start, which allows a large learning rate."""
        c, d = self.c, self.c.embedding_length
        for name, p in self.blk.named_parameters():
            if p.dim() == 2:
                nn.init.xavier_uniform_(p)
                if "attn_output" in name or "ffn_down" in name:
                    p.mul_(1.0 / math.sqrt(2 * len(self.blk)))
            elif name.endswith(".bias"):
                nn.init.zeros_(p)
        if c.position == "learned":      # learned tables start from sinusoids, so that neighbours are related from the first step
            wide = d if c.position_width == "half" else 2 * d
            self.position_row.weight.copy_(sinusoid(range(self.rows), wide))
            self.position_col.weight.copy_(sinusoid(range(self.columns), wide))


class Block(nn.Module):
    """One layer, equations (1) and (2) of the paper, with heads and an output projection W_o. In post-norm:

        q_a = LN(q + dropout(W_o softmax((W_q q)(W_k M)^T / sqrt(d_k)) (W_v M)))      (1)
        q'  = LN(q_a + dropout(W_down relu(W_up q_a)))                                (2)

    M is the memory: the positions that a query may see.  With cross = True, the block has another attention layer after (1), which reads
    the encoder's output instead of the memory. feed_forward_length: F of this block; 0: the F in the configuration.
    """

    def __init__(self, c, cross=False, feed_forward_length=0):
        super().__init__()
        self.c, d, inner = c, c.embedding_length, c.head_count * c.key_length
        for kind in ("attn", "cross_attn") if cross else ("attn",):
            for part in ("q", "k", "v"):
                self.add_module(kind + "_" + part, nn.Linear(d, inner, bias=c.attention_bias))
            self.add_module(kind + "_output", nn.Linear(inner, d, bias=c.attention_bias))
            self.add_module(kind + "_norm", nn.LayerNorm(d, eps=c.layer_norm_epsilon))
        self.ffn_up = nn.Linear(d, feed_forward_length or c.feed_forward_length)
        self.ffn_down = nn.Linear(feed_forward_length or c.feed_forward_length, d)
        self.ffn_norm = nn.LayerNorm(d, eps=c.layer_norm_epsilon)

    def heads(self, x):
        """Splits into heads: (B, m, A*d_k) -> (B, A, m, d_k)"""
        return x.view(x.shape[0], x.shape[1], self.c.head_count, self.c.key_length).transpose(1, 2)

    def attend(self, q, k, v, mask):
        """Computes attention for q (B, A, m, d_k) and for k, v (B, A, j, d_k); the result is (B, m, A*d_k). mask (m, j) is added to the
        scores. Without a mask, every query sees all keys."""
        B, A, m, dk = q.shape
        if q.is_cuda and hasattr(F, "scaled_dot_product_attention"):
            o = F.scaled_dot_product_attention(q, k, v, attn_mask=None if mask is None else mask.to(q.dtype))
        else:                            # on a CPU plain matrix products and softmax are as fast as the fused operation
            score = (q * (1.0 / math.sqrt(dk))) @ k.transpose(-1, -2)
            if mask is not None:
                score = score + mask.to(score.dtype)
            o = torch.softmax(score, -1) @ v
        return o.transpose(1, 2).reshape(B, m, A * dk)

    def qkv(self, h):
        """Projects (B, n, d) -> (B, n, 3 A d_k), rows [q | k | v], in one product."""
        parts = (self.attn_q, self.attn_k, self.attn_v)
        bias = torch.cat([part.bias for part in parts]) if self.c.attention_bias else None
        return F.linear(h, torch.cat([part.weight for part in parts]), bias)

    def over_blocks(self, masks, fast=None):
        """Returns a function that computes the self-attention of all positions. masks: (lo, hi, keys, mask) of each query block. fast: a
        function that computes all blocks together, (B, n, 3 A d_k) -> (B, n, A d_k), see attention.py."""
        def attention(h):
            if fast is not None:
                return fast(self.qkv(h))
            q, k, v = self.heads(self.attn_q(h)), self.heads(self.attn_k(h)), self.heads(self.attn_v(h))
            o = [self.attend(q[:, :, lo:hi], k[:, :, keys], v[:, :, keys], mask) for lo, hi, keys, mask in masks]
            return o[0] if len(o) == 1 else torch.cat(o, 1)
        return attention

    def over_cache(self, i, keys, cache):
        """Returns a function that computes the self-attention of position i with cached keys and values. cache: [k, v], each (B, A, n,
        d_k); [] before the first position."""
        def attention(h):
            k, v = self.heads(self.attn_k(h)), self.heads(self.attn_v(h))
            if not cache:
                cache.extend(t.new_zeros(t.shape[0], t.shape[1], self.c.n, t.shape[3]) for t in (k, v))
            cache[0][:, :, i:i + 1], cache[1][:, :, i:i + 1] = k, v
            return self.attend(self.heads(self.attn_q(h)), cache[0][:, :, keys], cache[1][:, :, keys], None)
        return attention

    def encoded(self, e):
        """Projects the encoder's output (B, m, d) to the keys and values of the cross-attention. This is done once per image."""
        return None if e is None else (self.heads(self.cross_attn_k(e)), self.heads(self.cross_attn_v(e)))

    def forward(self, h, attention, encoded=None):
        """Computes the layer: h (B, m, d) -> (B, m, d)"""
        drop = lambda x: F.dropout(x, self.c.dropout, self.training)

        def sublayer(h, norm, f):
            return h + drop(f(norm(h))) if self.c.norm == "pre" else norm(h + drop(f(h)))
        h = sublayer(h, self.attn_norm, lambda x: self.attn_output(attention(x)))                                    # (1)
        if encoded is not None:
            h = sublayer(h, self.cross_attn_norm,
                         lambda x: self.cross_attn_output(self.attend(self.heads(self.cross_attn_q(x)), *encoded, None)))
        return sublayer(h, self.ffn_norm, lambda x: self.ffn_down(torch.relu(self.ffn_up(x))))                       # (2)


    def fused(self, h, f, attention, encoded=None):
        """Computes the layer like `forward`, with each addition and norm fused (native.AddNorm), for training on a CPU. In pre-norm, f is
        the output of the previous sublayer, which has not been added to h yet. In post-norm, f is a bf16 copy of h, and the first
        sublayer reads f. Returns the h and f of the next layer."""
        post = self.c.norm == "post"

        def norm(layer, h, f):
            return native.AddNorm.apply(h, f, layer.weight, layer.bias, layer.eps, post)
        drop = lambda x: F.dropout(x, self.c.dropout, self.training)
        h, y = (h, f) if post else norm(self.attn_norm, h, f)
        f = drop(self.attn_output(attention(y)))
        if encoded is not None:
            h, y = norm(self.attn_norm if post else self.cross_attn_norm, h, f)
            f = drop(self.cross_attn_output(self.attend(self.heads(self.cross_attn_q(y)), *encoded, None)))
        h, y = norm((self.cross_attn_norm if encoded is not None else self.attn_norm) if post else self.ffn_norm, h, f)
        f = native.FeedForward.apply(y.flatten(0, 1), self.ffn_up.weight, self.ffn_up.bias, self.ffn_down.weight, self.ffn_down.bias)
        f = drop(f.view_as(y))
        return norm(self.ffn_norm, h, f) if post else (h, f)


class Encoder(Positions):
    """Encodes the small image, with full attention over its pixels."""

    def __init__(self, c):
        super().__init__()
        self.c, d = c, c.embedding_length
        self.pixel_embd = nn.Linear(c.channels, d)
        self.position_tables(c, c.input_height, c.input_width)
        self.blk = nn.ModuleList(Block(c, feed_forward_length=c.encoder_feed_forward_length) for _ in range(c.encoder_block_count))
        if c.norm == "pre":
            self.output_norm = nn.LayerNorm(d, eps=c.layer_norm_epsilon)
        self.initialise()
        nn.init.normal_(self.pixel_embd.weight, std=1.0 / math.sqrt(c.channels))
        nn.init.zeros_(self.pixel_embd.bias)

    def forward(self, small, keep=None):
        """Encodes small (B, h*w, C) 8-bit values -> (B, h*w, d)"""
        m = small.shape[1]
        pixels = distributions.to_unit(small.to(self.pixel_embd.weight.dtype), 256)
        h = self.pixel_embd(pixels) + self.positions(torch.arange(m, device=small.device))
        if keep is not None:
            keep.append(h)
        for block in self.blk:
            h = block(h, block.over_blocks([(0, m, slice(0, m), None)]))
            if keep is not None:
                keep.append(h)
        return self.output_norm(h) if self.c.norm == "pre" else h


class Palette(nn.Module):
    """Holds the colours of the palette: weight (V, 3), with values 0..255. The colours are not trained."""

    def __init__(self, colours):
        super().__init__()
        self.register_buffer("weight", torch.zeros(colours, 3))


class ImageTransformer(Positions):
    def __init__(self, c):
        super().__init__()
        self.c, d = c, c.embedding_length
        if c.palette:
            self.palette = Palette(c.levels)
        if c.output == "dmol":
            self.pixel_embd = nn.Linear(c.channels, d)
        else:
            self.token_embd = nn.Embedding(c.interleaved * c.levels, d)  # index = value + V*channel
        self.position_tables(c, c.height, c.columns)
        if c.classes:
            self.class_embd = nn.Embedding(c.classes, d)
        if c.encoder_block_count:
            self.enc = Encoder(c)
        if c.direct:
            self.direct = Direct(c)
        self.blk = nn.ModuleList(Block(c, bool(c.encoder_block_count) and not c.direct) for _ in range(c.block_count))
        if c.norm == "pre":
            self.output_norm = nn.LayerNorm(d, eps=c.layer_norm_epsilon)
        self.output = nn.Linear(d, distributions.width(c), bias=c.output_bias)

        order, self.blocks = generation(c)
        self.register_buffer("order", order, persistent=False)
        self.fast = None                 # function that computes the attention of all blocks together, see attention.py
        self.one_pass = False            # whether additions and norms are fused, see `fused`
        self.masks = []                  # (lo, hi, keys, mask) of each query block; the mask is added to the scores
        for lo, hi, keys in self.blocks:
            count = keys.stop - keys.start if isinstance(keys, slice) else len(keys)
            self.masks.append((lo, hi, keys, torch.full((hi - lo, count), -math.inf).triu(count - (hi - lo) + 1)))
        self.initialise()
        self.initialise_ends()

    @torch.no_grad()
    def initialise_ends(self):
        c, d = self.c, self.c.embedding_length
        if c.output == "dmol":
            nn.init.normal_(self.pixel_embd.weight, std=1.0 / math.sqrt(c.channels))
            nn.init.zeros_(self.pixel_embd.bias)
        else:
            nn.init.normal_(self.token_embd.weight, std=1.0 / math.sqrt(d))          # scaled down, because the engine multiplies by sqrt(d)
        if c.classes:
            nn.init.normal_(self.class_embd.weight, std=0.1)
        nn.init.normal_(self.output.weight, std=0.02)
        if c.output_bias:
            nn.init.zeros_(self.output.bias)
            if c.output in ("logistic", "gaussian"):
                self.output.bias[1] = -1.0
            if c.output == "dmol":       # the components start spread over the range, each a few grey levels wide
                b, K = self.output.bias, c.mixtures
                for k in range(c.channels):
                    at = K + k * K * (3 if c.channels == 3 else 2)
                    b[at:at + K] = torch.linspace(-1, 1, K)
                    b[at + K:at + 2 * K] = -2.0

    @torch.no_grad()
    def set_palette(self, colours):
        """Sets the colours (V, 3). The value table and the output layer start as smooth random functions of the colour plus noise, so that
        learning one colour helps its neighbours from the first step."""
        self.palette.weight.copy_(colours)
        d = self.c.embedding_length
        frequency = torch.randn(3, d) / torch.linspace(16, 128, d)  # functions with correlation exp(-distance^2 / (2 l^2)), l = 16..128
        smooth = math.sqrt(2) * torch.cos(colours @ frequency + 2 * math.pi * torch.rand(d))
        feature = 0.8 * smooth + 0.6 * torch.randn(smooth.shape)
        self.token_embd.weight.copy_(feature / math.sqrt(d))
        self.output.weight.copy_(0.02 * feature)

    def on(self, device):
        """Returns the masks on a device. The masks are moved to a device once, then cached."""
        if self.masks[0][3].device != device:
            move = lambda keys: keys if isinstance(keys, slice) else keys.to(device)
            self.masks = [(lo, hi, move(keys), mask.to(device)) for lo, hi, keys, mask in self.masks]
        return self.masks

    def class_vector(self, label):
        """Embeds class indices (B,) -> (B, 1, d); the vector is zero if the index is -1 (no class)."""
        if not self.c.classes or label is None:
            return 0.0
        return (self.class_embd(label.clamp(min=0)) * (label >= 0)[:, None])[:, None]

    def embed_values(self, x, at):
        """Embeds values and returns (B, m, d). x: the values, (B, m), or (B, m, C) for dmol. `at`: the positions of the values in
        generation order, (m,)."""
        c = self.c
        if c.output == "dmol":
            with torch.autocast(x.device.type, enabled=False):          # in single precision, because bf16 is too coarse for 256 levels
                return self.pixel_embd(distributions.to_unit(x.to(self.pixel_embd.weight.dtype), c.levels))
        return math.sqrt(c.embedding_length) * self.token_embd(x + c.levels * (self.order[at] % c.interleaved))

    def embed(self, x, label):
        """Returns the layer-0 input (B, n, d): h_i = value part of x_{i-1} + position of i + class; the value part of h_0 is zero."""
        e = self.embed_values(x[:, :-1], torch.arange(self.c.n - 1, device=x.device))
        return F.pad(e, (0, 0, 1, 0)) + self.positions(self.order) + self.class_vector(label)

    def pixels(self, x):
        """Converts values (B, n) or (B, n, 3) to 8-bit colours (B, n, 3), for models whose positions are pixels."""
        return self.palette.weight[x] if self.c.palette else x.to(self.output.weight.dtype)

    def head(self, h):
        """Maps hidden rows (..., d) to logits or to mixture parameters (..., P). Mixture parameters are not rounded to bf16, which is too
        coarse for means."""
        if self.c.output == "categorical" or h.dtype == torch.float64:
            return self.output(h)
        with torch.autocast(h.device.type, enabled=False):
            return self.output(h.float())

    def last(self, h, known=None, at=None):
        """Maps all hidden rows, or only the row of position `at`, to the outputs of the last layer."""
        h = self.output_norm(h) if self.c.norm == "pre" else h
        out = self.head(h)
        return out if known is None else self.direct.lead(out, h, known, self.palette.weight if self.c.palette else None, at)

    def forward(self, x, label=None, small=None, keep=None, keep_encoder=None):
        """Predicts each position and returns (B, n, outputs). Outputs at i depend on positions 0..i-1 only. x: levels (B, n), or (B, n, C)
        for dmol; label: (B,) or None; small: (B, h*w, C), only for super-resolution.  keep: a list that receives the output of `embed` and
        of each block."""
        masks, e = self.on(x.device), self.enc(small, keep_encoder) if self.c.encoder_block_count else None
        h, known = self.embed(x, label), self.direct.known(self.pixels(x), small) if self.c.direct else None
        if known is not None:
            h, e = h + self.direct.enter(known, self.palette.weight if self.c.palette else None, e), None
        if self.one_pass and keep is None and torch.is_autocast_cpu_enabled():
            return self.fused(h, masks, e, known)
        if keep is not None:
            keep.append(h)
        for block in self.blk:
            h = block(h, block.over_blocks(masks, self.fast), block.encoded(e))
            if keep is not None:
                keep.append(h)
        return self.last(h, known)

    def fused(self, h, masks, e, known=None):
        """Runs the blocks and the output layer, with each addition and norm fused into one pass."""
        pre = self.c.norm == "pre"
        f = None if pre else h.to(torch.bfloat16)
        for block in self.blk:
            h, f = block.fused(h, f, block.over_blocks(masks, self.fast), block.encoded(e))
        if pre:
            f = native.AddNorm.apply(h, f, self.output_norm.weight, self.output_norm.bias, self.output_norm.eps, False)[1]
        out = self.head(f)
        return out if known is None else self.direct.lead(out, f, known, self.palette.weight if self.c.palette else None)

    def nats(self, x, label=None, small=None):
        """Returns a tensor of shape (B,): -log p(x | label, small) in nats, per image."""
        out = self(x, label, small).float()
        with torch.autocast(x.device.type, enabled=False):  # in single precision, because in bf16 the differences of logistics would cancel
            return distributions.nats(self.c, out, x).flatten(1).sum(1)

    @torch.no_grad()
    def generate(self, label, prefix=None, temperature=1.0, generator=None, small=None):
        """Samples ancestrally with cached keys and values.  label (B,), prefix (B, m): values of the first positions -> (B, n)."""
        c, B, device = self.c, label.shape[0], label.device
        m = 0 if prefix is None else prefix.shape[1]
        x = torch.zeros((B, c.n) + ((c.channels,) if c.output == "dmol" else ()), dtype=torch.long, device=device)
        if m:
            x[:, :m] = prefix
        cache = [[] for _ in self.blk]
        e = self.enc(small) if c.encoder_block_count else None
        encoded = [block.encoded(None if c.direct else e) for block in self.blk]
        position, klass = self.positions(self.order).to(self.output.weight.dtype), self.class_vector(label)
        for lo, hi, keys, _ in self.on(device):
            for i in range(lo, hi):
                h = (position[i] + klass).expand(B, 1, -1)
                if i:
                    h = h + self.embed_values(x[:, i - 1:i], torch.tensor([i - 1], device=device))
                known = None
                if c.direct:             # the features of a position do not depend on later positions
                    known = self.direct.known(self.pixels(x), small)[:, i:i + 1]
                    h = h + self.direct.enter(known, self.palette.weight if self.c.palette else None, e, i)
                seen = slice(keys.start, i + 1) if isinstance(keys, slice) else keys[:len(keys) - hi + i + 1]
                for block, kv, kv_encoded in zip(self.blk, cache, encoded):
                    h = block(h, block.over_cache(i, seen, kv), kv_encoded)
                if i >= m:
                    out = self.last(h, known, i)[:, 0].float()
                    with torch.autocast(device.type, enabled=False):
                        x[:, i] = distributions.sample(c, out, temperature, generator)
        return x
