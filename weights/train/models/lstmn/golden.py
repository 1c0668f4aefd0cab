# SPDX-License-Identifier: MIT
"""Golden cases of the memory network:

    values (n)    x_0..x_{n-1}; x_0 is given          label (1)   -1
    logits (n, V) of x_i given x_<i; zeros for x_0    nats (n)    -log p(x_i | x_<i); ln V for x_0
    map.attention (n, 1, n)    row i: weights over earlier steps when x_{i-1} is read; row 0: all weight on the start
"""
import math
from dataclasses import replace

import numpy as np
import torch
import torch.nn.functional as F

from common.golden import Case
from models.lstmn.model import Config
from models.lstmn.task import TASK

BASE = Config(values=257, context_length=24, embedding_length=20)
TINY = [("lstmn-tiny", BASE, "f32"), ("lstmn-zero", replace(BASE, tape_start="zero", embedding_length=16), "f32"),
        ("lstmn-q8_0", replace(BASE, embedding_length=32), "q8_0")]


def cases():
    found = []
    for name, config, kind in TINY:
        task = TASK.of(config)
        task.s.vocabulary = ""
        found.append(Case(name, task, kind))
    return found


@torch.no_grad()
def randomise(model, seed):
    """Sets random weights that are large enough for attention to be far from uniform."""
    rng = np.random.default_rng(seed)
    for name, p in model.named_parameters():
        z = torch.from_numpy(rng.standard_normal(tuple(p.shape)).astype(np.float32))
        p.copy_(0.3 * z if name.endswith("bias") else z if p.dim() == 1 else (1.6 if "attn" in name else 1.3) / math.sqrt(p.shape[1]) * z)


def tensors(case, model, seed):
    ids = torch.from_numpy(np.random.default_rng(200 + seed).integers(0, model.c.values, (1, model.c.context_length)))
    logits, nats = outputs(model, ids)
    maps = []
    model.states(ids[:, :-1], maps)
    rows, n = maps[0][0], ids.shape[1]                   # row t: weights of step t over the tape, which holds all earlier steps
    first = torch.zeros(1, n, dtype=rows.dtype)
    first[0, 0] = 1
    rows = torch.cat([first, F.pad(rows, (0, n - rows.shape[1]))])
    return dict(inputs(ids), logits=logits, nats=nats, **{"map.attention": rows[:, None]})


def inputs(ids):
    return {"values": ids[0], "label": [-1]}


def outputs(model, ids):
    nothing = torch.zeros(1, model.c.values, dtype=torch.float64)
    logits = torch.cat([nothing, model(ids[:, :-1])[0]])
    return logits, -logits.log_softmax(1).gather(1, ids[0][:, None])[:, 0]
