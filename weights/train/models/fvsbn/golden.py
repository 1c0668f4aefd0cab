# SPDX-License-Identifier: MIT
"""Golden case of the FVSBN:

    values (n)    x_0..x_{n-1}        logits, outputs (n, 1)   of x_i given x_<i        nats (n)   -log p(x_i | x_<i)
    label (1)     -1                  order (n)                0..n-1                   image (n)  the picture, 0 or 255
"""
import numpy as np
import torch

from common.golden import Case
from models.fvsbn.model import Config
from models.fvsbn.task import TASK


def cases():
    return [Case("fvsbn-tiny", TASK.of(Config(height=4, width=3)), "f16")]


@torch.no_grad()
def randomise(model, seed):
    rng, n = np.random.default_rng(seed), model.c.n
    model.fvsbn.weight.copy_(torch.from_numpy(rng.standard_normal((n, n))).triu(1))
    model.fvsbn.bias.copy_(torch.from_numpy(0.5 * rng.standard_normal(n)))


def tensors(case, model, seed):
    n = model.c.n
    x = torch.from_numpy(np.random.default_rng(200 + seed).integers(0, 2, (1, n))).double()
    logits, nats = outputs(model, x)
    return {"values": x[0], "label": [-1], "logits": logits, "nats": nats, "outputs": logits, "order": torch.arange(n), "image": 255 * x[0]}


def inputs(x):
    return {"values": x[0], "label": [-1]}


def outputs(model, x):
    return model(x.double()).reshape(-1, 1), model.each(x.double())[0]
