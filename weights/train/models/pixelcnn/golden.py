# SPDX-License-Identifier: MIT
"""Golden cases of PixelCNN, and code shared with gated PixelCNN:

    values (n)            x_0..x_{n-1}                    label (1)        class, -1 = none
    logits, outputs (n, P)   of x_i given x_<i            nats (n)         -log p(x_i | x_<i)
    order (n)             0..n-1                          image (n)        the picture, 8 bits
Random weights are large enough that far taps matter.
"""
import math
from dataclasses import replace

import numpy as np
import torch

from common.golden import Case
from data.pictures import to_bytes
from models.pixelcnn.model import Config
from models.pixelcnn.task import TASK

BASE = Config(height=6, width=7, levels=4, output="categorical", block_count=3, embedding_length=16, input_kernel=5, kernel=3, head_length=12)
TINY = [  # each case: name, config, weight type
    ("pixelcnn-tiny", BASE, "f32"),
    # a kernel wider than the picture, two levels
    ("pixelcnn-narrow", replace(BASE, height=9, width=2, levels=2, output="bernoulli", input_kernel=7, kernel=5), "f32"),
    ("pixelcnn-q8_0", replace(BASE, levels=2, output="bernoulli", embedding_length=64, input_kernel=7, head_length=32), "q8_0"),
]


def cases():
    return [Case(name, TASK.of(c), kind) for name, c, kind in TINY]


@torch.no_grad()
def randomise(model, seed):
    rng = np.random.default_rng(seed)
    for name, p in model.named_parameters():
        z = torch.from_numpy(rng.standard_normal(tuple(p.shape)).astype(np.float32))
        table = name in ("input.weight", "input.vertical.weight", "input.horizontal.weight")
        if name.endswith(".bias"):
            z = 0.3 * z
        elif ".class." in name:
            z = 0.7 * z
        else:
            z = (1.5 if name.startswith("output") else 1.2) / math.sqrt(p.shape[0] / model.c.levels if table else p.shape[1]) * z
        p.copy_(z)


def tensors(case, model, seed):
    c = model.c
    x = torch.from_numpy(np.random.default_rng(200 + seed).integers(0, c.levels, (1, c.n)))
    label = torch.tensor([case.label])
    logits = model(x, label)[0]
    found = {"values": x[0], "label": label, "logits": logits, "outputs": logits, "nats": model.each(x, label)[0],
             "order": torch.arange(c.n), "image": torch.from_numpy(to_bytes(x[0].numpy(), c.levels))}
    return found


def inputs(x, label):
    return {"values": x[0], "label": label}


def outputs(model, x, label):
    return model(x, label)[0], model.each(x, label)[0]
