# SPDX-License-Identifier: MIT
"""Golden cases of Sparse Transformers. A piece of music counts as a text, and its notes as tokens:

    values (n)            x_0..x_{n-1}; for a text, the first is given        label (1)   -1
    logits, outputs (n, P)   of x_i given x_<i; for a text, zeros for x_0     nats (n)    -log p(x_i | x_<i); for a text, ln V for x_0
    map.attention (n, blocks * heads, K)    weights of the visible keys, then zeros; for x_0 of a text, all on the start
    order, image (n)      only for pictures: 0..n-1, and the picture in 8 bits
Random weights are large enough that attention is far from uniform.
"""
import math
from dataclasses import replace

import numpy as np
import torch

from common.golden import Case
from data.pictures import to_bytes
from models.sparse_transformer.model import Config, seen
from models.sparse_transformer.task import TASK

PICTURE = Config(height=5, width=6, levels=4, output="categorical", block_count=3, embedding_length=16, feed_forward_length=12, head_count=3, key_length=8,
                 pattern="strided", stride=6)
TEXT = Config(levels=257, output="categorical", context_length=40, block_count=3, embedding_length=16, feed_forward_length=20, head_count=2, key_length=8,
              pattern="fixed", stride=8, summary=2)
NOTES = replace(TEXT, levels=31, time_length=24, bar=5, chord_length=3)          # time and chords of this case exceed their tables
TINY = [  # each case: name, config, weight type
    ("sparse-strided", PICTURE, "f32"),
    # a stride that is neither a width nor a divisor of n
    ("sparse-strided-merged", replace(PICTURE, levels=2, output="bernoulli", stride=7, combine="merged"), "f32"),
    ("sparse-strided-heads", replace(PICTURE, stride=4, combine="heads"), "f32"),
    ("sparse-fixed", TEXT, "f32"),
    ("sparse-fixed-merged", replace(TEXT, combine="merged", stride=9, summary=4), "f32"),
    ("sparse-fixed-q8_0", replace(TEXT, combine="heads", embedding_length=64, feed_forward_length=64, key_length=32), "q8_0"),
    ("sparse-strided-q8_0", replace(PICTURE, height=20, width=20, levels=2, output="bernoulli", stride=20, embedding_length=64, feed_forward_length=64,
                                    head_count=2, key_length=32), "q8_0"),
    ("sparse-notes", NOTES, "f32"),
    ("sparse-notes-q8_0", replace(NOTES, combine="heads", embedding_length=64, feed_forward_length=64, key_length=32), "q8_0"),
]


def cases():
    return [Case(name, TASK.of(c), kind) for name, c, kind in TINY]


@torch.no_grad()
def randomise(model, seed):
    rng = np.random.default_rng(seed)
    for name, p in model.named_parameters():
        z = torch.from_numpy(rng.standard_normal(tuple(p.shape)).astype(np.float32))
        if "norm.weight" in name:
            z = 1 + 0.2 * z
        elif name.endswith(".bias"):
            z = 0.3 * z
        elif p.dim() == 2 and "blk." in name or name == "output.weight":
            z = (1.2 if p.shape[1] >= 64 else 1.6 if "attn_q" in name or "attn_k" in name else 1.2) / math.sqrt(p.shape[1]) * z
        else:
            z = 0.7 * z
        p.copy_(z)


def maps(model, x):
    """Returns the attention weights (n, blocks * heads, K) for the ids x; the visible keys of each query come first"""
    c, h, n = model.c, model.embedded(x), x.shape[1]
    most, rows = 0, []
    for block in model.blk:
        y, first = block.attn_norm(h), 0
        for which, heads in block.sets:
            q, k = (torch.nn.functional.linear(y, part.weight).view(n, c.head_count, c.key_length).transpose(0, 1)[first:first + heads]
                    for part in (block.attn_q, block.attn_k))
            visible = seen(c, which, n)
            score = (q @ k.transpose(1, 2) / math.sqrt(c.key_length)).masked_fill(~visible, -math.inf)
            rows += [[w[i][visible[i]] for i in range(n)] for w in score.softmax(-1)]
            most, first = max(most, int(visible.sum(1).max())), first + heads
        h = block(h)
    found = torch.zeros(n, len(rows), most)
    for r, row in enumerate(rows):
        for i, w in enumerate(row):
            found[i, r, :len(w)] = w
    return found


def tensors(case, model, seed):
    c = model.c
    # a text has one id more than the model reads
    x = torch.from_numpy(np.random.default_rng(200 + seed).integers(0, c.levels, (1, c.n + int(c.text))))
    logits, nats = outputs(model, x)
    found = dict(inputs(x), logits=logits, outputs=logits, nats=nats)
    if not c.text:
        return dict(found, **{"map.attention": maps(model, x)}, order=torch.arange(c.n), image=torch.from_numpy(to_bytes(x[0].numpy(), c.levels)))
    read = maps(model, x[:, :-1])
    start = torch.zeros_like(read[:1])
    start[:, :, 0] = 1
    return dict(found, **{"map.attention": torch.cat([start, read])})


def inputs(x, *label):
    return {"values": x[0], "label": [-1]}


def outputs(model, x, *label):
    c = model.c
    if not c.text:
        return model(x)[0], model.each(x)[0]
    logits = torch.cat([torch.zeros(1, c.levels, dtype=torch.float64), model(x[:, :-1])[0]])
    return logits, -logits.log_softmax(1).gather(1, x[0][:, None])[:, 0]
