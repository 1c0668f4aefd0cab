# SPDX-License-Identifier: MIT
"""Golden cases of SNAIL: inputs and results.

    input.support (N H W), input.labels (N), input.query (Q H W)   ids
    result.odds (Q ways)   log p of each label           map.attention (Q rows N)   of queries over examples
"""
import numpy as np
import torch

from common.golden import Case
from models.snail.task import Settings, SnailTask

TINY = dict(height=9, width=8, ways=5, label_length=8, kernels=(5, 3, 3), strides=(2, 1, 2), channels=(12, 16, 8), embedding_length=24, layers=3,
            dense_length=12, keys=(16, 20, 32), values=(8, 20, 12), folded=True)
EXAMPLES, QUERIES = 11, 3


def cases():
    return [Case("snail-tiny", SnailTask(Settings(**TINY)), "f32"), Case("snail-tiny-f16", SnailTask(Settings(**dict(TINY, layers=1, ways=3))), "f16")]


@torch.no_grad()
def randomise(model, seed):
    rng = np.random.default_rng(seed)
    for p in model.parameters():
        scale = 0.3 if p.dim() == 1 else 1.5 / np.sqrt(p.shape[1])
        p.copy_(torch.from_numpy(scale * rng.standard_normal(p.shape)))


def tensors(case, model, seed):
    rng, c = np.random.default_rng(300 + seed), model.c
    ids = lambda count: torch.from_numpy(rng.integers(0, 256, (1, count, c.height, c.width)))
    support, query, labels, maps = ids(EXAMPLES), ids(QUERIES), torch.from_numpy(rng.permutation(np.arange(EXAMPLES) % c.ways))[None], []
    odds = model(support, labels, query, maps)
    looks = torch.stack([w[0, :, :-1] for w in maps], 1)                 # (Q, rows, N)
    return {"input.support": support.reshape(-1), "input.labels": labels.reshape(-1), "input.query": query.reshape(-1),
            "result.odds": odds.reshape(-1), "map.attention": looks.reshape(-1)}
