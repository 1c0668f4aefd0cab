# SPDX-License-Identifier: MIT
"""Golden cases of trees: inputs and results.

    input.features (n F)   ids        input.heads (n)   pinned heads, 129 where no head is pinned
    result.heads (n)     result.marginals (n 129)     result.nats (3)   log Z; -log p(pins | x); -log p(best tree | x)
"""
import numpy as np
import torch

from common.golden import Case
from models.tree import trees
from models.tree.model import PLACES
from models.tree.task import Settings, TreeTask

LENGTH = 19                              # number of words in a case; with this many words, the engine needs two passes over the columns


def cases():
    s = Settings(features=40, width=4, embedding_length=16, feed_forward_length=24, block_count=3, head_count=2, reach=5, relations="-",
                 templates="word@0 suffix1@0 shape@0 any@0")
    return [Case("tree-tiny", TreeTask(s), "f16")]


@torch.no_grad()
def randomise(model, seed):
    rng = np.random.default_rng(seed)
    for name, p in model.named_parameters():
        values = torch.from_numpy(rng.standard_normal(p.shape)) * 0.5
        p.copy_(1 + 0.2 * values if "norm.weight" in name else values)
    model.feature.weight[0] = 0


def tensors(case, model, seed):
    rng, n = np.random.default_rng(300 + seed), LENGTH
    ids = torch.from_numpy(rng.integers(0, model.c.features, (1, n, model.c.width)))
    lengths = torch.tensor([n])
    pins = torch.full((n,), PLACES)
    pins[4], pins[11] = 8, 0
    scores = model.scores(model.read(ids, lengths))
    heads = torch.arange(n + 1)[:, None]
    allowed = (pins == PLACES) | (pins == heads)
    pinned = scores.clone()
    pinned[0, :, 1:][~allowed] = -torch.inf
    free = trees.sums(scores, lengths)[0]
    total, found = trees.sums(pinned, lengths)
    best = trees.best(pinned, lengths)
    score = scores[0].gather(0, torch.cat([torch.zeros(1, dtype=torch.long), best[0]])[None])[0, 1:].sum()
    marginals = torch.zeros(n, PLACES, dtype=torch.double)
    marginals[:, :n + 1] = found[0, :, 1:].T
    return {"input.features": ids.reshape(-1), "input.heads": pins, "result.heads": best[0], "result.marginals": marginals,
            "result.nats": torch.cat([free, free - total, free - score])}
