# SPDX-License-Identifier: MIT
"""Golden case of the Llama family:

    values (n)    x_0..x_{n-1}; x_0 is given          label (1)   -1
    logits (n, V) of x_i given x_<i; zeros for x_0    nats (n)    -log p(x_i | x_<i); ln V for x_0
"""
import math

import numpy as np
import torch

from common.golden import Case
from models.llama import kin
from models.llama.model import Config
from models.llama.task import TASK

TINY = Config(values=257, context_length=24, block_count=2, embedding_length=32, feed_forward_length=48, head_count=4, head_count_kv=2, freq_base=500.0)


QWEN3 = kin.Config(kind="qwen3", values=257, context_length=24, block_count=2, embedding_length=32, feed_forward_length=64, head_count=4, head_count_kv=2,
                   head_width=32, freq_base=500.0)
GEMMA3 = kin.Config(kind="gemma3", values=257, context_length=24, block_count=6, embedding_length=32, feed_forward_length=64, head_count=2, head_count_kv=1,
                    head_width=32, window=5, freq_base=500.0, freq_base_local=50.0)


def small(kind, blocks=2, window=0, head_width=16):
    return kin.Config(kind=kind, values=257, context_length=24, block_count=blocks, embedding_length=32, feed_forward_length=32, head_count=2, head_count_kv=1,
                      head_width=head_width, window=window, freq_base=500.0)


SMALL = {kind: small(kind, *sizes) for kind, *sizes in (
    ("gemma2", 3, 5, 32), ("olmo2",), ("exaone4", 4, 6), ("smollm3", 4), ("granite",), ("phi3", 2, 9), ("ernie4_5",))}


def cases():
    made = [("llama-tiny", TASK.of(TINY), "f32")] + [(name, kin.KinTask.of(config), kind) for name, config, kind in (
        ("qwen3-tiny", QWEN3, "f32"), ("qwen3-q8_0", QWEN3, "q8_0"), ("gemma3-tiny", GEMMA3, "f32"), ("gemma3-q8_0", GEMMA3, "q8_0"))]
    made += [(kind + "-tiny", kin.KinTask.of(config), "f32") for kind, config in SMALL.items()]
    made.append(("gemma2-q8_0", kin.KinTask.of(SMALL["gemma2"]), "q8_0"))
    for _, task, _ in made:
        task.s.vocabulary = ""
    return [Case(*case) for case in made]


@torch.no_grad()
def randomise(model, seed):
    """Sets random weights that are large enough for attention to be far from uniform."""
    rng = np.random.default_rng(seed)
    for name, p in model.named_parameters():
        scale = 0.15 if "token_embd" in name else 1.3 / math.sqrt(p.shape[-1]) if p.dim() == 2 else 0
        p.copy_(torch.from_numpy(scale * rng.standard_normal(p.shape) + (0 if p.dim() == 2 else rng.uniform(0.7, 1.3, p.shape))))


def tensors(case, model, seed):
    ids = torch.from_numpy(np.random.default_rng(200 + seed).integers(0, model.c.values, (1, model.c.context_length)))
    logits, nats = outputs(model, ids)
    return dict(inputs(ids), logits=logits, nats=nats)


def inputs(ids):
    return {"values": ids[0], "label": [-1]}


def outputs(model, ids):
    nothing = torch.zeros(1, model.c.values, dtype=torch.float64)
    logits = torch.cat([nothing, model(ids[:, :-1])[0]])
    return logits, -logits.log_softmax(1).gather(1, ids[0][:, None])[:, 0]
