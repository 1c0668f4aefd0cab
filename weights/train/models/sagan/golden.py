# SPDX-License-Identifier: MIT
"""Golden cases of the GAN: inputs, results and attention maps.

    input.latent (L)   ids         input.class (1)
    result.image (H W 3)   result.latent (L)   result.pixels (H W 3)   map.attention (queries keys)
"""
import numpy as np
import torch
import torch.nn.functional as F

from common.golden import Case
from models.sagan.model import Folded
from models.sagan.task import SaganTask, Settings

SHAPE = dict(height=16, latent_length=20, channels=(32, 16, 32), classes=3, attention_key=4, attention_value=8)


def cases():
    return [Case("sagan-tiny", SaganTask(Settings(attention_size=8, **SHAPE)), "f32"),
            Case("sagan-whole-tiny", SaganTask(Settings(attention_size=8, attention_pool=False, **SHAPE)), "f32"),
            Case("sagan-plain-tiny", SaganTask(Settings(attention_size=0, **SHAPE)), "f16")]


@torch.no_grad()
def randomise(model, seed):
    """Sets random weights, plausible means and variances of the norms, and a nonzero gain of the attention."""
    rng = np.random.default_rng(seed)
    for name, p in list(model.named_parameters()) + list(model.named_buffers()):
        x = torch.from_numpy(rng.standard_normal(p.shape)).float()
        if "norm" in name:
            x = 0.5 + 0.5 * x.abs() if name.endswith("variance") else 0.2 * x
            if name.endswith("weight"):
                x[:, :p.shape[1] // 2] += 1
        p.copy_(x)
    if model.c.attention_size:
        model.attn.gain.fill_(0.7)


def tensors(case, model, seed):
    rng, c = np.random.default_rng(300 + seed), model.c
    ids = np.clip(np.round(32768 + 8192 * rng.standard_normal(c.latent_length)), 0, 65535)
    z, label = torch.from_numpy((ids - 32768) / 8192)[None], torch.tensor([seed % c.classes])
    pixels = model(z, label)[0].permute(1, 2, 0).reshape(-1)
    found = {"input.latent": ids, "input.class": label, "result.image": torch.floor(127.5 * (1 + pixels) + 0.5), "result.latent": ids, "result.pixels": pixels}
    if c.attention_size:
        found["map.attention"] = model.attn.weights(model.head(z, label)).double().reshape(-1)
    return found
