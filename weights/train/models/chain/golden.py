# SPDX-License-Identifier: MIT
"""Golden cases of chains: inputs and results.

    input.features (T F)   ids        input.tags (T)   pinned tags, C where no tag is pinned
    result.tags (T)     result.marginals (T C)     result.nats (3)   log Z; -log p(pins | x); -log p(best tags | x)
"""
import numpy as np
import torch

from common.golden import Case
from models.chain.model import Config
from models.chain.task import ChainTask, Settings

LENGTH = 12


def cases():
    return [Case("chain-%s-tiny" % kind, ChainTask(Settings(type=kind, states=5, features=40, width=4, tags="A B C D E", templates="word@0 suffix1@0 shape@0 any@0")), "f16") for kind in ("crf", "memm", "hmm")]


@torch.no_grad()
def randomise(model, seed):
    rng = np.random.default_rng(seed)
    for p in model.parameters():
        p.copy_(torch.from_numpy(rng.standard_normal(p.shape)))
    model.feature.weight[0] = 0


def tensors(case, model, seed):
    rng, C = np.random.default_rng(300 + seed), model.c.states
    ids = torch.from_numpy(rng.integers(0, model.c.features, (1, LENGTH, model.c.width)))
    pins = torch.full((LENGTH,), C)
    pins[[2, 7]] = torch.from_numpy(rng.integers(0, C, 2))
    lengths = torch.tensor([LENGTH])
    U, start, end = model.potentials(ids, lengths)
    free = model.partition(U, start, end, lengths)
    allowed = (pins[:, None] == C) | (pins[:, None] == torch.arange(C))
    pinned = torch.where(allowed, U[0], torch.tensor(-1e300, dtype=U.dtype))[None]
    with torch.enable_grad():
        leaf = pinned.clone().requires_grad_()
        total = model.partition(leaf, start, end, lengths)
        marginals = torch.autograd.grad(total.sum(), leaf)[0][0]
    best = model.viterbi(pinned, start, end, lengths)
    score = model.score(U, start, end, best, lengths)
    return {"input.features": ids.reshape(-1), "input.tags": pins, "result.tags": best[0], "result.marginals": marginals,
            "result.nats": torch.cat([free, free - total.detach(), free - score])}
