# SPDX-License-Identifier: MIT
"""Pretrains the encoder of a model for direct enlargement (direct.py).

The decoder of such a model can do without the encoder. Little depends on an untrained encoder, which therefore learns slowly. So the
encoder is first trained alone: from the small picture, it predicts the colour of each of the K pixels of a cell, independently of the
cell's other pixels,

    p(v at index k of the cell) = softmax(O_k e_cell + o_k)_v

with an output layer O that is discarded afterwards. The encoder has one row per cell instead of one per pixel, so training the encoder on a
picture takes much less time than training the decoder.
"""
import math

import torch
import torch.nn.functional as F
from torch import nn

from models.image_transformer.start import centre_positions

RATE, WARMUP = 1.5e-3, 100


def pretrain(model, batch, steps, bf16=False):
    """Trains only model.enc. `batch(step)` returns the values (B, n), the labels, and the small pictures (B, cells, 3) in 8 bits. Returns
    the smoothed nats per picture after the last step. Ends the program unless the model has a palette, direct enlargement and an
    encoder."""
    c, running = model.c, None
    if not (c.palette and c.direct and c.encoder_block_count):
        raise SystemExit("pretrain_encoder: for direct enlargement with an encoder, into a palette")
    centre_positions(model)
    out = nn.Linear(c.embedding_length, model.direct.K * c.levels).to(model.output.weight.device)
    nn.init.normal_(out.weight, std=0.02), nn.init.zeros_(out.bias)
    parameters = [*model.enc.parameters(), *out.parameters()]
    adam = torch.optim.Adam(parameters, betas=(0.9, 0.98))
    cells = model.direct.order           # positions in the order of their cells
    for step in range(steps):
        for group in adam.param_groups:
            group["lr"] = RATE * min(1, (step + 1) / WARMUP) * 0.5 * (1 + math.cos(math.pi * step / steps))
        x, _, small = batch(step)
        # No autocast cache, because the weights change between the steps.
        with torch.autocast(x.device.type, torch.bfloat16, enabled=bf16, cache_enabled=False):
            logits = out(model.enc(small)).view(-1, c.levels)
        loss = F.cross_entropy(logits.float(), x[:, cells].reshape(-1))
        adam.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(parameters, 1.0)
        adam.step()
        running = float(loss) if running is None else 0.98 * running + 0.02 * float(loss)
        if step % 250 == 249:
            print("the encoder alone, step %d: %.1f nats, each pixel by itself" % (step + 1, c.n * running), flush=True)
    model.enc.zero_grad(set_to_none=True)
    return None if running is None else c.n * running
