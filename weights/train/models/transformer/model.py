# SPDX-License-Identifier: MIT
"""The Transformer (Vaswani et al. 2017, "Attention is all you need"): an encoder reads a sentence, and a decoder writes its translation.

    attention(X, M) = W_o concat_h( softmax( (W_q X)_h (W_k M)_h^T / sqrt(d_k) ) (W_v M)_h )
    encoder   x = LN(x + attention(x, x)),   x = LN(x + W_down relu(W_up x + b_up) + b_down)
    decoder   x = LN(x + attention(x, x up to here)),   x = LN(x + attention(x, encoder's output)),   x = LN(x + feed-forward(x))

These equations, which are the paper's, hold if norm is "post". If norm is "pre", x = x + f(LN(x)), and each stack ends with one more LN.
The last LN of the encoder gives the encoder's output. The last LN of the decoder gives the vector that is multiplied by the output table.

Ids.  A source is s_0 .. s_{m-1} and ends with the end token; an empty sentence is only the end token.  A target is t_0 .. t_{n-1} and also
ends with the end token.  m and n are at most context_length.  Target position p predicts t_p: p = 0 reads a vector of zeros, p > 0 reads
t_{p-1}:

    encoder's input at i    sqrt(d) token_embd[s_i]     + position(i)
    decoder's input at p    sqrt(d) token_embd[t_{p-1}] + position(p)          p = 0: position(0) alone
    logits at p             token_embd x_p                                     one table for source, target and output; no bias

    position(p)   "sinusoidal"   element 2i: sin(p / 10000^(2i/d)), element 2i+1: cos(p / 10000^(2i/d)), i < d/2, as in the paper
                  "learned"      row p of enc.position_embd.weight, of position_embd.weight
                  "none"         zeros

The file:

    general.architecture                       "transformer"
    transformer.context_length                 u32   maximum length of a source and of a target, end token included
    transformer.block_count                    u32   N blocks of the decoder
    transformer.encoder.block_count            u32   N_e blocks of the encoder
    transformer.embedding_length               u32   d, a multiple of 4
    transformer.feed_forward_length            u32   F, a multiple of 4
    transformer.attention.head_count           u32   H heads of d / H, a multiple of 4
    transformer.attention.layer_norm_epsilon   f32
    transformer.norm                           "post" | "pre"
    transformer.position.type                  "sinusoidal" | "learned" | "none"
    transformer.activation                     "relu"
    transformer.vocab_size                     u32   V
    tokenizer.ggml.*                           as in llama files; eos_token_id ends sources and targets

    token_embd.weight                          (V, d)
    enc.position_embd.weight                   (context_length, d)    "learned"
    position_embd.weight                       (context_length, d)    "learned"
    enc.blk.I.attn_{q,k,v,output}.weight       (d, d)                 .bias (d) optional
    enc.blk.I.attn_norm.{weight,bias}          (d)
    enc.blk.I.ffn_up.{weight,bias}             (F, d), (F)
    enc.blk.I.ffn_down.{weight,bias}           (d, F), (d)
    enc.blk.I.ffn_norm.{weight,bias}           (d)
    enc.output_norm.{weight,bias}              (d)                    "pre"
    blk.I.*                                    the same, and
    blk.I.cross_attn_{q,k,v,output}.weight     (d, d)                 .bias (d) optional
    blk.I.cross_attn_norm.{weight,bias}        (d)
    output_norm.{weight,bias}                  (d)                    "pre"

state_dict() names are the file's tensor names.  In a batch, sentences are padded with PADDING. The model never attends to PADDING, and
PADDING does not count in the loss. Shapes: B sentences, m source positions, n target positions, d width, H heads of width k, V ids.
"""
import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import nn

from common import native

PADDING = -1


@dataclass
class Config:
    """Hyper-parameters, named as in the weight file's metadata."""
    values: int = 512                    # V
    context_length: int = 64
    block_count: int = 2
    encoder_block_count: int = 2
    embedding_length: int = 64
    feed_forward_length: int = 256
    head_count: int = 4
    layer_norm_epsilon: float = 1e-6
    norm: str = "post"                   # "post" | "pre"
    position: str = "sinusoidal"         # "sinusoidal" | "learned" | "none"
    attention_bias: bool = False         # whether the four projections have biases
    dropout: float = 0.0                 # dropout of the inputs and of each sublayer's output
    attention_dropout: float = 0.0       # dropout of the attention weights, in training only

    @property
    def key_length(self):
        return self.embedding_length // self.head_count


def sinusoid(n, d):
    """Returns a tensor of shape (n, d): element 2i of row p is sin(p / 10000^(2i/d)), and element 2i+1 is the cosine of the same angle."""
    angle = torch.arange(n, dtype=torch.float64)[:, None] * 10000.0 ** (-torch.arange(0, d, 2, dtype=torch.float64) / d)
    return torch.stack([angle.sin(), angle.cos()], -1).flatten(1)


def dropped(x, p):
    """Sets each value of x to zero with probability p, a multiple of 1/256, and scales the other values up to compensate. On a CPU, this
    function takes half the time of F.dropout."""
    least = round(256 * p)
    if least == 0:
        return x
    if x.device.type != "cpu":
        return F.dropout(x, least / 256)
    eight = torch.empty((x.numel() + 7) // 8, dtype=torch.int64).random_(-2 ** 63, None)
    kept = eight.view(torch.uint8)[:x.numel()].view(x.shape) >= least
    return x * kept.to(x.dtype).mul_(256 / (256 - least))


def fast(x):
    """Returns whether the C code of native.py can process a tensor. The C code is only for training in bf16."""
    return torch.is_grad_enabled() and torch.is_autocast_cpu_enabled() and x.dtype in (torch.bfloat16, torch.float32) and native.usable(x)


class Attention:
    """Attention with its four projections, whose names begin with \"attn\" or \"cross_attn\"."""

    def __init__(self, c, parts):
        self.c, self.parts = c, parts

    def heads(self, x):
        """Splits into heads: (B, m, d) -> (B, H, m, k)"""
        return x.unflatten(-1, (self.c.head_count, self.c.key_length)).transpose(1, 2)

    def project(self, names, x):
        """Computes several projections of x in one product."""
        parts = [self.parts[name] for name in names]
        bias = torch.cat([part.bias for part in parts]) if self.c.attention_bias else None
        return [self.heads(y) for y in F.linear(x, torch.cat([part.weight for part in parts]), bias).chunk(len(parts), -1)]

    def mix(self, q, k, v, hidden, training, maps):
        """Multiplies softmax(q k^T / sqrt(k)) v by W_o. hidden: True for masked keys, or None. maps: a list that receives the attention
        weights (B, H, n, m), or None."""
        score = q @ k.transpose(2, 3) / math.sqrt(self.c.key_length)
        if hidden is not None:
            score = score.masked_fill(hidden, -math.inf)
        weights = score.softmax(-1).to(v.dtype)
        if maps is not None:
            maps.append(weights)
        if training:
            weights = dropped(weights, self.c.attention_dropout)
        return self.parts["output"]((weights @ v).transpose(1, 2).flatten(2))


class Block(nn.Module):
    def __init__(self, c, cross=False):
        super().__init__()
        self.c, d = c, c.embedding_length
        for kind in ("attn", "cross_attn") if cross else ("attn",):
            for part in ("q", "k", "v", "output"):
                self.add_module(kind + "_" + part, nn.Linear(d, d, bias=c.attention_bias))
            self.add_module(kind + "_norm", nn.LayerNorm(d, eps=c.layer_norm_epsilon))
        self.ffn_up, self.ffn_down = nn.Linear(d, c.feed_forward_length), nn.Linear(c.feed_forward_length, d)
        self.ffn_norm = nn.LayerNorm(d, eps=c.layer_norm_epsilon)

    def attention(self, kind):
        return Attention(self.c, {part: getattr(self, kind + "_" + part) for part in ("q", "k", "v", "output")})

    def encoded(self, memory):
        """Projects the encoder's output (B, m, d) to keys and values. This is done once per sentence."""
        return self.attention("cross_attn").project("kv", memory)

    def forward(self, x, hidden, encoded=None, source_hidden=None, cache=None, maps=(None, None)):
        """Computes the block: x (B, n, d) -> (B, n, d).  hidden: masks the keys of x; encoded, source_hidden: the source's keys and values,
        and their mask. cache: [], or [k, v] of the positions before x; the keys and values of x are appended.  maps: two lists that receive
        the weights of self-attention and of the attention over the source."""
        for norm, f in self.sublayers(hidden, encoded, source_hidden, cache, maps):
            x = x + self.drop(f(norm(x))) if self.c.norm == "pre" else norm(x + self.drop(f(x)))
        return x

    def fused(self, x, y, hidden, encoded=None, source_hidden=None):
        """Computes the same result as `forward`, for training on a CPU: each addition and the norm that follows take one pass
        (native.AddNorm). In pre-norm, y is the previous sublayer's output (None at first), which has not been added to x yet. The result is
        again a pair (x, y). In post-norm, y is the bf16 copy of x."""
        post = self.c.norm == "post"
        for norm, f in self.sublayers(hidden, encoded, source_hidden):
            if post:
                y = self.drop(f(y))
            x, y = native.AddNorm.apply(x, y, norm.weight, norm.bias, norm.eps, post)
            if not post:
                y = self.drop(f(y))
        return x, y

    def drop(self, y):
        return dropped(y, self.c.dropout) if self.training else y

    def sublayers(self, hidden, encoded=None, source_hidden=None, cache=None, maps=(None, None)):
        """Returns the sublayers [(norm, function)] that `forward` applies"""
        def own(x):
            attention = self.attention("attn")
            q, k, v = attention.project("qkv", x)
            if cache is not None:
                k, v = cache[:] = [torch.cat([old, new], 2) for old, new in zip(cache, (k, v))] if cache else [k, v]
            return attention.mix(q, k, v, hidden, self.training, maps[0])

        def across(x):
            attention = self.attention("cross_attn")
            return attention.mix(attention.project("q", x)[0], *encoded, source_hidden, self.training, maps[1])

        def feed_forward(x):
            if fast(x):
                return native.FeedForward.apply(x.flatten(0, 1), self.ffn_up.weight, self.ffn_up.bias, self.ffn_down.weight, self.ffn_down.bias).view_as(x)
            return self.ffn_down(torch.relu(self.ffn_up(x)))

        crossed = [(self.cross_attn_norm, across)] if encoded is not None else []
        return [(self.attn_norm, own)] + crossed + [(self.ffn_norm, feed_forward)]


class Stack(nn.Module):
    """Base class of encoder and decoder: positions, blocks, and a final norm."""

    def place(self, c, blocks, cross):
        self.c = c
        if c.position == "learned":
            self.position_embd = nn.Embedding(c.context_length, c.embedding_length)
        self.blk = nn.ModuleList(Block(c, cross) for _ in range(blocks))
        if c.norm == "pre":
            self.output_norm = nn.LayerNorm(c.embedding_length, eps=c.layer_norm_epsilon)
        for name, p in self.blk.named_parameters():
            if p.dim() == 2:             # matrices that add to the residual stream start smaller in deeper stacks
                nn.init.xavier_uniform_(p)
                if "output" in name or "ffn_down" in name:
                    p.data.mul_(1 / math.sqrt(2 * blocks))
            elif name.endswith(".bias"):
                nn.init.zeros_(p)
        if c.position == "learned":
            self.position_embd.weight.data.copy_(sinusoid(c.context_length, c.embedding_length))

    def positions(self, n, like):
        """Returns the position vectors (n, d), or 0 if the model has none"""
        if self.c.position == "none":
            return 0
        table = self.position_embd.weight if self.c.position == "learned" else sinusoid(n, self.c.embedding_length)
        return table[:n].to(like.device, like.dtype)

    def through(self, x, *seen, maps=None):
        """Maps x (B, n, d) to the output of all blocks and the last norm. seen: the mask of x and, in the decoder, the encoder's output and
        its mask."""
        hidden, memory, source_hidden = (seen + (None, None))[:3]
        x = dropped(x, self.c.dropout) if self.training else x
        encoded = lambda block: None if memory is None else block.encoded(memory)
        pre = self.c.norm == "pre"
        if fast(x) and x.dtype == torch.float32 and maps is None:
            y = None if pre else x.to(torch.bfloat16)
            for block in self.blk:
                x, y = block.fused(x, y, hidden, encoded(block), source_hidden)
            return native.AddNorm.apply(x, y, self.output_norm.weight, self.output_norm.bias, self.output_norm.eps, False)[1] if pre else y
        for block in self.blk:
            x = block(x, hidden, encoded(block), source_hidden, maps=maps or (None, None))
        return self.end(x)

    def end(self, x):
        return self.output_norm(x) if self.c.norm == "pre" else x


class Encoder(Stack):
    def __init__(self, c):
        super().__init__()
        self.place(c, c.encoder_block_count, False)

    def forward(self, x, hidden, maps=None):
        """Encodes x (B, m, d) -> (B, m, d). x: embeddings of the ids; hidden (B, 1, 1, m): True for masked positions; maps: a list that
        receives each block's attention weights (B, H, m, m)"""
        return self.through(x + self.positions(x.shape[1], x), hidden, maps=None if maps is None else (maps, None))


class Transformer(Stack):
    def __init__(self, c):
        super().__init__()
        self.token_embd = nn.Embedding(c.values, c.embedding_length)
        nn.init.normal_(self.token_embd.weight, std=1 / math.sqrt(c.embedding_length))
        self.enc = Encoder(c)
        self.place(c, c.block_count, True)

    def rows(self, ids):
        """Embeds ids (B, n) -> (B, n, d), zeros for PADDING"""
        x = self.token_embd(ids.clamp(min=0)) * math.sqrt(self.c.embedding_length)
        return x * (ids >= 0)[..., None]

    def encode(self, source, maps=None):
        """Encodes source (B, m) -> the encoder's output (B, m, d), and a mask (B, 1, 1, m), True after the end of a sentence"""
        hidden = (source < 0)[:, None, None]
        return self.enc(self.rows(source), hidden, maps), hidden

    def behind(self, source, target, maps=None):
        """Runs encoder and decoder: source (B, m), target (B, n) -> vectors (B, n, d); their product with the embedding table gives the
        logits. maps: three lists that receive the weights of each block: the encoder's self-attention (B, H, m, m), the decoder's
        self-attention (B, H, n, n), and the attention over the source (B, H, n, m)."""
        n = target.shape[1]
        memory, source_hidden = self.encode(source, maps[0] if maps else None)
        x = F.pad(self.rows(target[:, :-1]), (0, 0, 1, 0))
        later = torch.ones(n, n, dtype=torch.bool, device=x.device).triu(1)
        return self.through(x + self.positions(n, x), later, memory, source_hidden, maps=maps[1:] if maps else None)

    def forward(self, source, target, maps=None):
        """Maps source (B, m) and target (B, n) to logits (B, n, V) of each target id, given the source and the target ids before it."""
        return F.linear(self.behind(source, target, maps), self.token_embd.weight)

    def each(self, source, target, smoothing=0.0):
        """Returns a tensor of shape (B, n): -log p(t_p | source, t_<p), 0 after the end of the target. smoothing: fraction of the
        probability that is spread evenly over all V ids."""
        x, there = self.behind(source, target), target >= 0
        x, wanted = x[there], target[there]
        if fast(x):
            nats = native.CrossEntropy.apply(x.to(torch.bfloat16), self.token_embd.weight, wanted, smoothing)
        else:
            logits = F.linear(x, self.token_embd.weight)
            logits = logits if logits.dtype == torch.float64 else logits.float()
            nats = F.cross_entropy(logits, wanted, reduction="none", label_smoothing=smoothing)
        return nats.new_zeros(target.shape).masked_scatter(there, nats)

    def nats(self, source, target):
        """Returns a tensor of shape (B,): -log p(target | source)"""
        return self.each(source, target).sum(1)

    @torch.no_grad()
    def translate(self, source, end, longest=0):
        """Translates source (B, m) -> (B, n): the most probable id at each position, up to and including the end token, then PADDING."""
        count, B = min(longest or self.c.context_length, self.c.context_length), len(source)
        memory, source_hidden = self.encode(source)
        encoded, cache = [block.encoded(memory) for block in self.blk], [[] for _ in self.blk]
        positions, ids = self.positions(count, memory), []
        done = torch.zeros(B, dtype=torch.bool, device=source.device)
        last = torch.full((B, 1), PADDING, device=source.device)
        for p in range(count):
            x = self.rows(last) + (positions if self.c.position == "none" else positions[p])
            for block, kv, own in zip(self.blk, encoded, cache):
                x = block(x, None, kv, source_hidden, own)
            chosen = F.linear(self.end(x), self.token_embd.weight)[:, 0].argmax(-1).masked_fill(done, PADDING)
            ids.append(chosen)
            done = done | (chosen == end)
            last = chosen[:, None]
            if done.all():
                break
        return torch.stack(ids, 1)
