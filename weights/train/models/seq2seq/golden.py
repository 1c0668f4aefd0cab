# SPDX-License-Identifier: MIT
"""Golden cases of the recurrent encoder-decoder. Every score, range and order occurs in at least one case, and so does input feeding. A
source has m ids, and a target has n ids:

    source (m)      the sentence and the end token           values (n)      t_0..t_{n-1}             label (1)   -1
    logits (n, V)   of t_p given t_<p                        nats (n)        -log p(t_p | source, t_<p)
    map.source (n, 1, m)    attention weights                map.centre (n, 1, m)    the centre of a local range, as weights of the two nearest words

The random weights are large enough that attention is far from uniform and that the centre of local-p moves.
"""
import math
from dataclasses import replace

import numpy as np
import torch

from common.golden import Case
from models.seq2seq.model import Config
from models.seq2seq.task import TASK

BASE = Config(values=257, context_length=14, embedding_length=12, state_length=16, attention_length=20, window=2, positions=9)
TINY = [  # each case: name, config, weight type, ids of source and target
    ("seq2seq-none", replace(BASE, score="none"), "f32", 9, 12),
    ("seq2seq-additive", replace(BASE, score="additive", order="before"), "f32", 9, 12),
    ("seq2seq-concat", replace(BASE, score="additive", order="after", input_feeding=True), "f32", 13, 8),
    ("seq2seq-dot", replace(BASE, score="dot"), "f32", 9, 9),
    ("seq2seq-scaled-dot", replace(BASE, score="scaled-dot", order="before"), "f32", 9, 9),
    ("seq2seq-general", replace(BASE, score="general", input_feeding=True), "f32", 11, 14),
    ("seq2seq-cosine", replace(BASE, score="cosine"), "f32", 10, 9),
    ("seq2seq-location", replace(BASE, score="location"), "f32", 6, 9),
    ("seq2seq-location-long", replace(BASE, score="location", range="local-m"), "f32", 14, 14),
    ("seq2seq-local-m", replace(BASE, score="dot", range="local-m", window=1), "f32", 9, 14),
    ("seq2seq-local-p", replace(BASE, score="general", range="local-p"), "f32", 14, 14),
    ("seq2seq-local-p-before", replace(BASE, score="additive", range="local-p", order="before", window=3), "f32", 12, 10),
    ("seq2seq-q8_0", replace(BASE, score="additive", order="before", embedding_length=32, state_length=32, attention_length=32), "q8_0", 11, 12),
    ("seq2seq-end", replace(BASE, score="general"), "f32", 1, 3),          # an empty sentence
    ("seq2seq-sigmoid", replace(BASE, score="additive", structure="sigmoid"), "f32", 9, 12),
    ("seq2seq-segments", replace(BASE, score="general", structure="segmentation"), "f32", 13, 8),
    ("seq2seq-segments-before", replace(BASE, score="dot", order="before", structure="segmentation"), "f32", 6, 9),
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
    rng = np.random.default_rng(seed)
    for name, p in model.named_parameters():
        z = torch.from_numpy(rng.standard_normal(tuple(p.shape)).astype(np.float32))
        if name == "attn_scale.weight":
            z = 6 + 0 * z
        elif name == "attn_bias.weight":
            z = z - 1
        elif name.endswith(".bias"):
            z = 0.3 * z
        elif name in ("attn_v.weight", "attn_centre.weight"):
            z = 0.8 * z
        else:
            z = (2.0 if name.startswith("attn") else 1.4) / math.sqrt(p.shape[1]) * z
        p.copy_(z)


def tensors(case, model, seed):
    m, n = next(row[3:] for row in TINY if row[0] == case.name)
    ids = torch.from_numpy(np.random.default_rng(200 + seed).integers(1, model.c.values, m + n))[None]
    source, target = ids[:, :m], ids[:, m:]
    source[0, -1] = target[0, -1] = 0
    maps = [], []
    logits = model(source, target, maps)
    found = dict(inputs(source, target), logits=logits[0], nats=model.each(source, target)[0])
    if maps[0]:
        found["map.source"] = maps[0][0][0][:, None]
    if maps[0] and maps[1][0] is not None:
        centre = maps[1][0].double().expand(1, n)[0].clamp(max=m - 1)
        found["map.centre"] = (1 - (centre[:, None] - torch.arange(m)).abs()).clamp(min=0)[:, None]
    return found


def inputs(source, target):
    """Returns the inputs of a trained model: one pair without padding."""
    return {"source": source[0], "values": target[0], "label": [-1]}


def outputs(model, source, target):
    """Returns logits (n, V) and nats"""
    return model(source, target)[0], model.each(source, target)[0]
