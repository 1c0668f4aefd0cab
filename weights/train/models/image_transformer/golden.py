# SPDX-License-Identifier: MIT
"""Golden cases of the Image Transformer: tiny random models, and the recorded values of a trained one.

    values (n)            the elements x_0..x_{n-1}       label (1)        class, -1 = none
    embedding (n, d)      layer-0 input                   blk.K.output (n, d)
    logits (n, V)         of x_i given x_<i               nats (n)         -log p(x_i | x_<i)
All are in GENERATION order.  Models with other outputs or patterns also have
    outputs (n, P)        the same as logits: the result of the output layer
    values, nats (n, C)   dmol: 8-bit values; -log p(R), -log p(G|R), -log p(B|R,G)
    order (n)             raster index of each position   image (H*W*C)    the picture, 8 bits, raster order
    input (h*w*C)         super-resolution: 8-bit values  enc.embedding, enc.blk.K.output (h*w, d), encoder (h*w, d)
Random weights are large enough that attention is far from uniform.
"""
import math
from dataclasses import replace

import numpy as np
import torch

from common import distributions
from common.golden import Case
from models.image_transformer.model import Config
from models.image_transformer.pictures import decode
from models.image_transformer.task import TASK

TINY_PLAIN = 6                           # the first TINY_PLAIN cases have only the basic tensors

BASE = Config(height=6, width=7, channels=1, levels=4, block_count=2, embedding_length=16, feed_forward_length=32,
              head_count=2, key_length=8, pattern="full", position="sinusoidal")
SMALL = replace(BASE, height=5, width=6, embedding_length=24, feed_forward_length=40, head_count=3, position="learned")
TINY = [  # each case: name, config, label, weight type
    ("full-sinusoidal", BASE, -1, "f32"),
    # the last query block is short (60 = 4*14 + 4), l_m < l_q, 256 levels, [row | column] tables
    ("rgb-local-classes", Config(height=5, width=4, channels=3, levels=256, block_count=3, embedding_length=24,
     feed_forward_length=40, head_count=3, key_length=8, pattern="local-1d", query_block=14, memory_block=9,
     position="learned", position_width="half", classes=3), 1, "f32"),
    # l_m > l_q, heads*key_length != d, biases in q, k, v, o, row + column tables, class dropped
    ("local-summed-bias", Config(height=8, width=8, channels=1, levels=16, block_count=2, embedding_length=32,
     feed_forward_length=48, head_count=3, key_length=4, pattern="local-1d", query_block=8, memory_block=20,
     position="learned", position_width="full", classes=2, attention_bias=True), -1, "f32"),
    # the smallest sizes: two levels, and d = 4, which leaves one frequency
    ("rgb-two-levels", Config(height=3, width=3, channels=3, levels=2, block_count=1, embedding_length=4,
     feed_forward_length=4, head_count=1, key_length=4, pattern="full", position="sinusoidal"), -1, "f32"),
    # weights stored in other types (the golden values use the stored, rounded weights)
    ("local-f16", replace(BASE, levels=16, embedding_length=32, feed_forward_length=64, key_length=16, pattern="local-1d",
     query_block=14, memory_block=14, position="learned", classes=10), 7, "f16"),
    ("local-q8_0", replace(BASE, levels=16, embedding_length=64, feed_forward_length=96, key_length=32, pattern="local-1d",
     query_block=14, memory_block=14, position="learned", classes=10), 3, "q8_0"),
    # blocks of 3x4 that do not divide the grid, flanges on all sides, twelve colours, pre-norm
    ("palette-2d", replace(SMALL, height=7, width=9, channels=3, levels=12, palette=True, norm="pre", pattern="local-2d",
     block_rows=3, block_cols=4, flange_rows=2, flange_cols=3, classes=2), 1, "f32"),
    ("dmol-full", replace(SMALL, height=5, width=6, channels=3, levels=256, output="dmol", mixtures=3, classes=1), 0, "f32"),
    # super-resolution, no output bias, summed positions, blocks wider than the rest of the image
    ("dmol-2d-sr", replace(SMALL, height=6, width=8, channels=3, levels=256, norm="pre", pattern="local-2d", block_rows=4,
     block_cols=5, flange_rows=3, flange_cols=2, output="dmol", mixtures=2, output_bias=False, position_width="full",
     input_height=3, input_width=4, encoder_block_count=2), -1, "f32"),
    # positions are channels, so blocks of 2x5 positions cut through pixels; post-norm, biases
    ("rgb-2d", replace(SMALL, height=5, width=4, channels=3, levels=8, pattern="local-2d", block_rows=2, block_cols=5,
     flange_rows=2, flange_cols=4, attention_bias=True, classes=2), 0, "f32"),
    ("grey-dmol", replace(SMALL, levels=256, output="dmol", mixtures=3, pattern="local-1d", query_block=10, memory_block=12), -1, "f32"),
    ("bernoulli", replace(SMALL, levels=2, output="bernoulli"), -1, "f32"),
    ("logistic-grey", replace(SMALL, levels=256, output="logistic", norm="pre", position="sinusoidal"), -1, "f32"),
    ("gaussian-grey", replace(SMALL, levels=16, output="gaussian"), -1, "f32"),
    # Q4_0 in the blocks, Q8_0 in the output layer
    ("local-q4_0", replace(BASE, levels=16, embedding_length=64, feed_forward_length=96, key_length=32, pattern="local-1d",
     query_block=14, memory_block=14, position="learned", classes=10), 3, "q4_0"),
    # super-resolution into a palette, post-norm, classes, biases
    ("palette-2d-sr", replace(SMALL, height=6, width=8, channels=3, levels=20, palette=True, pattern="local-2d", block_rows=2,
     block_cols=4, flange_rows=2, flange_cols=2, attention_bias=True, input_height=3, input_width=4, encoder_block_count=1, classes=3), 2, "f32"),
    # direct enlargement: first with a palette and cells of 2x3, then with mixtures and an encoder of another width
    ("direct-palette", replace(SMALL, height=6, width=12, channels=3, levels=22, palette=True, pattern="local-1d", query_block=24,
     memory_block=24, input_height=3, input_width=4, direct=True, classes=2), 1, "f32"),
    ("direct-dmol", replace(SMALL, height=4, width=6, channels=3, levels=256, norm="pre", output="dmol", mixtures=3, pattern="full",
     input_height=2, input_width=2, direct=True, encoder_block_count=2, encoder_feed_forward_length=20), -1, "f32"),
]


@torch.no_grad()
def randomise(model, seed):
    """Makes random weights with a seeded numpy generator, so that they are the same in every torch version. Scores q.k/sqrt(d_k) have a
    standard deviation of about 2.5."""
    rng, d = np.random.default_rng(seed), model.c.embedding_length
    for name, p in model.named_parameters():
        z = torch.from_numpy(rng.standard_normal(tuple(p.shape)).astype(np.float32))
        if "position" in name or name.startswith("class"):
            z = 0.7 * z
        elif "norm.weight" in name:
            z = 1 + 0.2 * z
        elif name.endswith(".bias"):
            z = 0.3 * z + (p if name == "output.bias" else 0)            # with this bias, mixtures start spread out and narrow
        else:
            gain = 1.6 if "attn_q" in name or "attn_k" in name else 1.5 if name.startswith("output") else 0.2 if name == "direct.guess.weight" else 1.0
            z = gain / math.sqrt(d if name.startswith("token") else p.shape[1]) * z
        p.copy_(z)
    if model.c.palette:
        model.palette.weight.copy_(torch.from_numpy(rng.integers(0, 256, (model.c.levels, 3)).astype(np.float32)))


def small_of(c, seed):
    """Makes the random 8-bit input (1, h*w, C) of a super-resolution model."""
    shape = (1, c.input_height * c.input_width, c.channels)
    return torch.from_numpy(np.random.default_rng(300 + seed).integers(0, 256, shape)) if c.input_height else None


def cases():
    return [Case(name, TASK.of(c), kind, label) for name, c, label, kind in TINY]


def tensors(case, model, seed):
    """Computes, with the stored model in double precision, the values that the tests compare."""
    c, label = model.c, case.label
    rng = np.random.default_rng(200 + seed)
    x = torch.from_numpy(rng.integers(0, c.levels, (1, c.n) + ((c.channels,) if c.output == "dmol" else ())))
    if c.output in ("dmol", "logistic", "gaussian"):     # the values include the unbounded bins at both ends, and probable values
        near = model.generate(torch.tensor([label]), None, 1.0, torch.Generator().manual_seed(seed), small_of(c, seed))
        x[:, ::3] = near[:, ::3]
        x[:, 1::9], x[:, 4::9] = 0, c.levels - 1
    y, small, kept, kept_encoder = torch.tensor([label]), small_of(c, seed), [], []
    logits = model(x, y, small, kept, kept_encoder)
    found = {"values": x[0], "label": [label], "embedding": kept[0][0]}
    found.update({"blk.%d.output" % k: h[0] for k, h in enumerate(kept[1:])})
    found.update({"logits": logits[0], "nats": distributions.nats(c, logits, x)[0]})
    if seed >= TINY_PLAIN:
        found.update({"outputs": logits[0], "order": model.order, "image": decode(x.numpy(), model)[0].reshape(-1)})
    if small is not None:
        found["input"] = small.reshape(-1)
    if c.encoder_block_count:
        found.update({"enc.embedding": kept_encoder[0][0], "encoder": model.enc(small)[0]})
        found.update({"enc.blk.%d.output" % k: h[0] for k, h in enumerate(kept_encoder[1:])})
    return found


def inputs(x, label, small):
    """Returns the inputs of a trained model."""
    return dict({"values": x[0], "label": label}, **({} if small is None else {"input": small.reshape(-1)}))


def outputs(model, x, label, small):
    """Returns logits (n, V) and nats"""
    logits = model(x, label, small)
    return logits[0], distributions.nats(model.c, logits, x)[0]
