# SPDX-License-Identifier: MIT
"""Pretrains the encoder to classify small pictures, as the paper's encoder was pretrained on photographs. Without pretraining, annotations
have no meaning at first, and attention over them learns slowly.

Each picture has 32x32 pixels and shows a training drawing of one object. The location of the object is not given. A linear layer
classifies the picture: p(thing) = softmax(W mean_i conv(picture)_i + b). W and b are discarded after pretraining. Training on such a
picture takes a quarter of the time that training on a scene takes.
"""
import math
import random

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

SIDE = 32
RATE, WARMUP = 3e-3, 100


def pictures(source, rng, count):
    """Returns pictures (count, 32, 32, 3), float 0..255, and the index of the object in each, (count,)"""
    out, things = np.full((count, SIDE, SIDE, 3), 255, np.uint8), np.empty(count, np.int64)
    for b in range(count):
        things[b] = rng.choice(source.usable)
        pixels = rng.choice(rng.choice(source.sprites[things[b]])).pixels
        h, w = pixels.shape[:2]
        top, left = int(rng.random() * (SIDE - h + 1)), int(rng.random() * (SIDE - w + 1))
        out[b, top:top + h, left:left + w] = pixels
    gain = np.random.default_rng(rng.getrandbits(32)).uniform(0.85, 1.1, (count, 1, 1, 3)).astype(np.float32)
    return torch.from_numpy(255 - np.minimum((255 - out) * gain, 255)), torch.from_numpy(things)


def pretrain(model, source, steps, batch, seed, bf16, device):
    """Trains model.enc and changes nothing else."""
    out = nn.Linear(model.c.channels[-1], len(source.sprites)).to(device)
    parameters = [*model.enc.parameters(), *out.parameters()]
    adam, running, right = torch.optim.Adam(parameters, betas=(0.9, 0.98)), None, 0.0
    for step in range(steps):
        for group in adam.param_groups:
            group["lr"] = RATE * min(1, (step + 1) / WARMUP) * 0.5 * (1 + math.cos(math.pi * step / steps))
        x, things = (part.to(device) for part in pictures(source, random.Random("%d %d" % (seed, step)), batch))
        # No autocast cache, because the weights change between the steps.
        with torch.autocast(device, torch.bfloat16, enabled=bf16, cache_enabled=False):
            logits = out(model.enc(x).mean(1)).float()
        loss = F.cross_entropy(logits, things)
        adam.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(parameters, 1.0)
        adam.step()
        running = float(loss) if running is None else 0.98 * running + 0.02 * float(loss)
        right = 0.98 * right + 0.02 * float((logits.argmax(1) == things).float().mean())
        if step % 250 == 249:
            print("the encoder alone, step %d: %.2f nats, %.0f %% right" % (step + 1, running, 100 * right), flush=True)
    model.enc.zero_grad(set_to_none=True)
