# SPDX-License-Identifier: MIT
"""Golden cases of the model "Show, attend and tell", with random bytes as pictures and random words as captions.

    input.image (H W 3)    8-bit values                      values (n)      w_0..w_{n-1}
    logits (n, V)          of w_p given the picture, w_<p    nats (n)        -log p(w_p | picture, w_<p)
    map.image (n, 1, L)    attention weights
"""
import math
from dataclasses import replace

import numpy as np
import torch

from common.golden import Case
from models.show_attend_tell.model import Config
from models.show_attend_tell.task import TASK

BASE = Config(values=23, context_length=9, height=11, width=14, kernels=(5, 3), strides=(2, 2), channels=(12, 16), embedding_length=8, state_length=20,
              head_length=12, attention_length=16)
TINY = [  # each case: name, config, weight type
    ("show-attend-tell-soft", BASE, "f32"),
    ("show-attend-tell-plain", replace(BASE, context_length=6, selector=False, kernels=(3, 1, 5), strides=(1, 3, 1), channels=(8, 4, 20)), "f32"),
    ("show-attend-tell-f16", replace(BASE, context_length=7, height=8, width=8), "f16"),
    ("show-attend-tell-q8_0", replace(BASE, height=16, width=16, channels=(32, 32), embedding_length=32, state_length=64, head_length=32, attention_length=32),
     "q8_0"),
]


def cases():
    found = []
    for name, config, kind in TINY:
        task = TASK.of(config)
        task.s.listed = tuple("w%d" % i for i in range(1, config.values))
        found.append(Case(name, task, kind))
    return found


@torch.no_grad()
def randomise(model, seed):
    rng = np.random.default_rng(seed)
    for name, p in model.named_parameters():
        z = torch.from_numpy(rng.standard_normal(tuple(p.shape)).astype(np.float32))
        gain = 2.0 if name.startswith("attn") else 1.4
        p.copy_(0.3 * z if name.endswith(".bias") else z if name in ("attn_v.weight", "token_embd.weight") else 0.5 * z if name == "position.weight" else
                gain / math.sqrt(p.shape[1]) * z)


def tensors(case, model, seed):
    rng = np.random.default_rng(400 + seed)
    picture = torch.from_numpy(rng.integers(0, 256, (1, model.c.height, model.c.width, 3)))
    ids = torch.from_numpy(rng.integers(0, model.c.values, (1, model.c.context_length)))
    logits, log_alpha, _ = model.unrolled(picture.double(), ids)
    return {"input.image": picture.reshape(-1), "values": ids[0], "logits": logits[0], "nats": model.each(logits, ids)[0], "map.image": log_alpha.exp()[0][:, None]}


def inputs(picture, ids):
    """Returns the inputs of a trained model."""
    return {"input.image": picture[0].reshape(-1), "values": ids[0]}


def outputs(model, picture, ids):
    """Returns logits (n, V) and nats"""
    logits = model.unrolled(picture.double(), ids)[0]
    return logits[0], model.each(logits, ids)[0]
