# SPDX-License-Identifier: MIT
"""Golden cases of WaveNet. models/pixelcnn/golden.py describes the tensors; a sound has no `order` and no `image`, but it has

    speaker (1)      -1 = none
Random weights are large enough that far taps matter.
"""
import math
from dataclasses import replace

import numpy as np
import torch

from common.golden import Case
from data.pictures import to_bytes
from models.wavenet.model import Config
from models.wavenet.task import TASK

BASE = Config(dilations=(1, 2, 4, 8, 3), residual_length=12, gate_length=8, skip_length=20, head_length=16, rate=8000)
LENGTH = 48                              # number of samples of a sound
TINY = [  # each case: name, config, weight type, class
    ("wavenet-tiny", replace(BASE, classes=3, speakers=2), "f32", 1),
    ("wavenet-q8_0", replace(BASE, dilations=(1, 2, 4, 1, 2, 16), residual_length=32, gate_length=32, skip_length=32, head_length=32, classes=10, speakers=6),
     "q8_0", -1),
    ("wavenet-picture", replace(BASE, rate=0, height=6, width=7, levels=2, output="bernoulli"), "f32", -1),
]


def cases():
    return [Case(name, TASK.of(c), kind, label) for name, c, kind, label in TINY]


@torch.no_grad()
def randomise(model, seed):
    rng = np.random.default_rng(seed)
    for name, p in model.named_parameters():
        z = torch.from_numpy(rng.standard_normal(tuple(p.shape)).astype(np.float32))
        if name.endswith(".bias"):
            z = 0.3 * z
        elif not TASK.product(name):
            z = 0.7 * z
        else:
            z = (0.7 if name.startswith("output") else 1.4) / math.sqrt(p.shape[1]) * z
        p.copy_(z)


def tensors(case, model, seed):
    c, rng = model.c, np.random.default_rng(200 + seed)
    x = torch.from_numpy(rng.integers(0, 256 if c.rate else c.levels, (1, LENGTH if c.rate else c.n)))
    label, speaker = torch.tensor([case.label]), torch.tensor([1 if c.speakers else -1])
    logits, nats = outputs(model, x, label, speaker)
    found = {"values": x[0], "label": label, "speaker": speaker, "logits": logits, "outputs": logits, "nats": nats}
    if not c.rate:
        found.update(order=torch.arange(c.n), image=torch.from_numpy(to_bytes(x[0].numpy(), c.levels)))
    return found


def inputs(x, label, speaker=None):
    found = {"values": x[0], "label": label}
    return found if speaker is None else dict(found, speaker=speaker)


def outputs(model, x, label, speaker=None):
    return model(x, label, speaker)[0], model.each(x, label, speaker)[0]
