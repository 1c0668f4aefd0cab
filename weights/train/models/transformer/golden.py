"""Golden cases of the Transformer.  A source of m ids, a target of n, H heads, N decoder and M encoder blocks:

    source (m)      the sentence, the end token last         values (n)      t_0..t_{n-1}             label (1)   -1
    encoder (m, d)  the encoder's output                     logits (n, V)   of t_p given t_<p        nats (n)    -log p(t_p | source, t_<p)
    map.encoder (m, M H, m), map.attention (n, N H, n), map.source (n, N H, m)
                    attention's weights, a position's rows block by block and head by head; key j is input position j

Random weights are large enough that attention is far from uniform.
"""
import math
from dataclasses import replace

import numpy as np
import torch

from common.golden import Case
from models.transformer.model import Config
from models.transformer.task import TASK

BASE = Config(values=257, context_length=14, block_count=2, encoder_block_count=3, embedding_length=16, feed_forward_length=24, head_count=2)
TINY = [  # name, config, weight type, ids of source and target
    ("transformer-post", BASE, "f32", 9, 14),
    ("transformer-pre", replace(BASE, norm="pre", position="learned", block_count=3, encoder_block_count=1, head_count=4), "f32", 14, 10),
    ("transformer-bias", replace(BASE, position="none", attention_bias=True, embedding_length=24, head_count=3), "f32", 6, 8),
    ("transformer-q8_0", replace(BASE, embedding_length=64, feed_forward_length=96, head_count=2, encoder_block_count=1), "q8_0", 11, 12),
    ("transformer-end", BASE, "f32", 1, 3),              # an empty sentence
]


def cases():
    found = []
    for name, config, kind, _, _ in TINY:
        task = TASK.of(config)
        task.s.vocabulary = ""
        found.append(Case(name, task, kind))
    return found


@torch.no_grad()
def randomise(model, seed):
    rng, d = np.random.default_rng(seed), model.c.embedding_length
    for name, p in model.named_parameters():
        z = torch.from_numpy(rng.standard_normal(tuple(p.shape)).astype(np.float32))
        if "position" in name:
            z = 0.7 * z
        elif "norm.weight" in name:
            z = 1 + 0.2 * z
        elif name.endswith(".bias"):
            z = 0.3 * z
        else:
            gain = 1.6 if "attn_q" in name or "attn_k" in name else 1.0
            z = gain / math.sqrt(d if name.startswith("token") else p.shape[1]) * z
        p.copy_(z)


def tensors(case, model, seed):
    m, n = next(row[3:] for row in TINY if row[0] == case.name)
    ids = torch.from_numpy(np.random.default_rng(200 + seed).integers(1, model.c.values, m + n))[None]
    source, target = ids[:, :m], ids[:, m:]
    source[0, -1] = target[0, -1] = 0
    maps = [], [], []
    logits = model(source, target, maps)
    found = dict(inputs(source, target), encoder=model.encode(source)[0][0], logits=logits[0], nats=model.each(source, target)[0])
    for name, kept in zip(("encoder", "attention", "source"), maps):
        found["map." + name] = torch.cat(kept, 1)[0].transpose(0, 1)
    return found


def inputs(source, target):
    """Of a trained model: what goes in, one pair without padding."""
    return {"source": source[0], "values": target[0], "label": [-1]}


def outputs(model, source, target):
    """-> logits (n, V), nats"""
    return model(source, target)[0], model.each(source, target)[0]
