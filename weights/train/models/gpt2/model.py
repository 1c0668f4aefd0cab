# SPDX-License-Identifier: MIT
"""GPT-2 (Radford et al. 2019, "Language models are unsupervised multitask learners"), block by block as in the C engine:

    x = e[id] + p[position],   x = x + W_o attention(LN(x)) + b_o,   x = x + W_down gelu(W_up LN(x) + b_up) + b_down

Positions are learned. A layer norm comes before each sublayer and after the last block. One matrix computes the queries, keys and values of
all heads. gelu uses its tanh approximation, and the output weights are tied to the embeddings. state_dict() names are the file's tensor
names. Shapes: B texts, n positions, d width, H heads of width k, V ids.
"""
import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import nn

PADDING = -1


@dataclass
class Config:
    """Hyper-parameters, named as in the weight file's metadata."""
    values: int = 512                    # V
    context_length: int = 64             # maximum number of positions
    block_count: int = 2
    embedding_length: int = 64
    feed_forward_length: int = 256
    head_count: int = 4
    layer_norm_epsilon: float = 1e-5

    @property
    def key_length(self):
        return self.embedding_length // self.head_count


class Block(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.c, d = c, c.embedding_length
        self.attn_norm, self.ffn_norm = (nn.LayerNorm(d, eps=c.layer_norm_epsilon) for _ in range(2))
        self.attn_qkv, self.attn_output = nn.Linear(d, 3 * d), nn.Linear(d, d)
        self.ffn_up, self.ffn_down = nn.Linear(d, c.feed_forward_length), nn.Linear(c.feed_forward_length, d)

    def attention(self, h, maps):
        n = h.shape[1]
        q, k, v = (part.unflatten(-1, (self.c.head_count, self.c.key_length)).transpose(1, 2) for part in self.attn_qkv(h).chunk(3, -1))
        score = q @ k.transpose(2, 3) / math.sqrt(self.c.key_length)
        weights = score.masked_fill(torch.ones(n, n, dtype=torch.bool, device=h.device).triu(1), -math.inf).softmax(-1)
        if maps is not None:
            maps.append(weights)
        return self.attn_output((weights @ v).transpose(1, 2).flatten(2))

    def forward(self, x, maps=None):
        """Maps x (B, n, d) to (B, n, d); maps: a list that receives the attention weights (B, H, n, n), or None"""
        x = x + self.attention(self.attn_norm(x), maps)
        return x + self.ffn_down(F.gelu(self.ffn_up(self.ffn_norm(x)), approximate="tanh"))


class GPT2(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.c = c
        self.token_embd = nn.Embedding(c.values, c.embedding_length)
        self.position_embd = nn.Embedding(c.context_length, c.embedding_length)
        self.blk = nn.ModuleList(Block(c) for _ in range(c.block_count))
        self.output_norm = nn.LayerNorm(c.embedding_length, eps=c.layer_norm_epsilon)
        for name, p in self.named_parameters():
            if p.dim() == 2:             # matrices that add to the residual stream start smaller in deeper models
                last = name.endswith(("attn_output.weight", "ffn_down.weight"))
                std = (1 if "embd" in name else 0.8) / math.sqrt(p.shape[1])
                nn.init.normal_(p, std=std / (math.sqrt(2 * c.block_count) if last else 1))
            elif name.endswith(".bias"):
                nn.init.zeros_(p)

    def forward(self, ids, maps=None):
        """Maps ids (B, n) to the logits (B, n, V) of each next id; PADDING is read as id 0."""
        x = self.token_embd(ids.clamp(min=0)) + self.position_embd.weight[:ids.shape[1]]
        for block in self.blk:
            x = block(x, maps)
        return F.linear(self.output_norm(x), self.token_embd.weight)

    def each(self, ids):
        """Returns a tensor of shape (B, n - 1): -log p(id_i | earlier ids) for i > 0; 0 for PADDING"""
        logits = self(ids[:, :-1])
        logits = logits if logits.dtype == torch.float64 else logits.float()
        return F.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten(), reduction="none", ignore_index=PADDING).view(len(ids), -1)

    @torch.no_grad()
    def generate(self, ids, count):
        """Continues ids (B, m) to (B, m + count), with the most probable id at each step"""
        for _ in range(count):
            ids = torch.cat([ids, self(ids)[:, -1].argmax(-1)[:, None]], 1)
        return ids
