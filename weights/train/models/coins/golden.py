# SPDX-License-Identifier: MIT
"""Golden case of the coins: values (n), logits and outputs (n, 1) of x_i, nats (n), order (n), image (n)."""
import numpy as np
import torch

from common.golden import Case
from models.coins.model import Config
from models.coins.task import TASK


def cases():
    return [Case("coins-tiny", TASK.of(Config(height=4, width=3)), "f32")]


@torch.no_grad()
def randomise(model, seed):
    model.coins.bias.copy_(torch.from_numpy(np.random.default_rng(seed).standard_normal(len(model.coins.bias))))


def tensors(case, model, seed):
    n = len(model.coins.bias)
    x = torch.from_numpy(np.random.default_rng(200 + seed).integers(0, 2, (1, n))).double()
    logits, nats = outputs(model, x)
    return {"values": x[0], "label": [-1], "logits": logits, "nats": nats, "outputs": logits, "order": torch.arange(n), "image": 255 * x[0]}


def inputs(x):
    return {"values": x[0], "label": [-1]}


@torch.no_grad()
def outputs(model, x):
    return model.coins.bias.reshape(-1, 1), model.each(x.double())[0]
