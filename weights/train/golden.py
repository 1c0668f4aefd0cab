#!/usr/bin/env python3
"""Golden values for the C and JS tests, into tests/golden/.

    python3 weights/train/golden.py           tiny random models: <name>.gguf, <name>.golden.gguf
    python3 weights/train/golden.py digits    the trained model:  digits.golden.gguf, digits-test100.*

A golden file is a GGUF container of F32 tensors (general.architecture = "golden"):
    values (n)            the elements x_0..x_{n-1}       label (1)        class, -1 = none
    embedding (n, d)      layer-0 input                   blk.K.output (n, d)
    logits (n, V)         of x_i given x_<i               nats (n)         -log p(x_i | x_<i)
All are in GENERATION order.  Models with other outputs or patterns have besides
    outputs               = logits: the output layer's numbers
    values, nats (n, C)   dmol: 8-bit values; -log p(R), -log p(G|R), -log p(B|R,G)
    order (n)             raster index of each position   image (H*W*C)    the picture, 8 bits, raster order
    input (h*w*C)         super-resolution: 8-bit values  enc.embedding, enc.blk.K.output (h*w, d), encoder (h*w, d)
They are computed in double precision from the weights as stored in the .gguf file, so a difference is the
engine's own rounding.  Random weights are large enough that attention is far from uniform.
"""
import argparse
import gzip
import json
import math
import os
from dataclasses import replace

import numpy as np
import torch

import data
import distributions
import gguf_writer as gguf
from export import TYPES, export, load_average, load_stored
from model import Config, ImageTransformer
from train import Split

TINY_PLAIN = 6                           # the first ones have the plain tensors only
OUT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tests/golden"))

BASE = Config(height=6, width=7, channels=1, levels=4, block_count=2, embedding_length=16, feed_forward_length=32,
              head_count=2, key_length=8, pattern="full", position="sinusoidal")
SMALL = replace(BASE, height=5, width=6, embedding_length=24, feed_forward_length=40, head_count=3, position="learned")
TINY = [  # name, config, label, weight type
    ("full-sinusoidal", BASE, -1, "f32"),
    # the last query block is short (60 = 4*14 + 4), l_m < l_q, 256 levels, [row | column] tables
    ("rgb-local-classes", Config(height=5, width=4, channels=3, levels=256, block_count=3, embedding_length=24,
     feed_forward_length=40, head_count=3, key_length=8, pattern="local-1d", query_block=14, memory_block=9,
     position="learned", position_width="half", classes=3), 1, "f32"),
    # l_m > l_q, heads*key_length != d, biases in q, k, v, o, row + column tables, class dropped
    ("local-summed-bias", Config(height=8, width=8, channels=1, levels=16, block_count=2, embedding_length=32,
     feed_forward_length=48, head_count=3, key_length=4, pattern="local-1d", query_block=8, memory_block=20,
     position="learned", position_width="full", classes=2, attention_bias=True), -1, "f32"),
    # the smallest of everything: d = 4 has one frequency, two levels
    ("rgb-two-levels", Config(height=3, width=3, channels=3, levels=2, block_count=1, embedding_length=4,
     feed_forward_length=4, head_count=1, key_length=4, pattern="full", position="sinusoidal"), -1, "f32"),
    # stored weights of other types (the golden values are those of the stored, rounded weights)
    ("local-f16", replace(BASE, levels=16, embedding_length=32, feed_forward_length=64, key_length=16, pattern="local-1d",
     query_block=14, memory_block=14, position="learned", classes=10), 7, "f16"),
    ("local-q8_0", replace(BASE, levels=16, embedding_length=64, feed_forward_length=96, key_length=32, pattern="local-1d",
     query_block=14, memory_block=14, position="learned", classes=10), 3, "q8_0"),
    # blocks of 3x4 that do not divide the grid, flanges on all sides, twelve colours, pre-norm
    ("palette-2d", replace(SMALL, height=7, width=9, channels=3, levels=12, palette=True, norm="pre", pattern="local-2d",
     block_rows=3, block_cols=4, flange_rows=2, flange_cols=3, classes=2), 1, "f32"),
    ("dmol-full", replace(SMALL, height=5, width=6, channels=3, levels=256, output="dmol", mixtures=3, classes=1), 0, "f32"),
    # super-resolution, no output bias, summed positions, blocks wider than the image's remainder
    ("dmol-2d-sr", replace(SMALL, height=6, width=8, channels=3, levels=256, norm="pre", pattern="local-2d", block_rows=4,
     block_cols=5, flange_rows=3, flange_cols=2, output="dmol", mixtures=2, output_bias=False, position_width="full",
     input_height=3, input_width=4, encoder_block_count=2), -1, "f32"),
    # positions are channels: blocks of 2x5 of them cut pixels, post-norm, biases
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
]


@torch.no_grad()
def randomise(model, seed):
    """Seeded weights of a numpy generator (the same in every torch version); scores q.k/sqrt(d_k) have deviation about 2.5."""
    rng, d = np.random.default_rng(seed), model.c.embedding_length
    for name, p in model.named_parameters():
        z = torch.from_numpy(rng.standard_normal(tuple(p.shape)).astype(np.float32))
        if "position" in name or name.startswith("class"):
            z = 0.7 * z
        elif "norm.weight" in name:
            z = 1 + 0.2 * z
        elif name.endswith(".bias"):
            z = 0.3 * z + (p if name == "output.bias" else 0)            # there mixtures start spread out and narrow
        else:
            gain = 1.6 if "attn_q" in name or "attn_k" in name else 1.5 if name.startswith("output") else 1.0
            z = gain / math.sqrt(d if name.startswith("token") else p.shape[1]) * z
        p.copy_(z)
    if model.c.palette:
        model.palette.weight.copy_(torch.from_numpy(rng.integers(0, 256, (model.c.levels, 3)).astype(np.float32)))


def stored(path, c):
    """The model as a reader of the file sees it, in double precision."""
    model = ImageTransformer(c)
    load_stored(model, path)
    return model.double().eval()


def write_golden(path, tensors):
    metadata = {"general.architecture": "golden", "general.quantization_version": 2, "general.alignment": gguf.ALIGNMENT}
    arrays = {k: np.asarray(v, np.float32) for k, v in tensors.items()}
    size = gguf.write(path, metadata, {k: (v, gguf.F32) for k, v in arrays.items()})
    for k, (x, _) in gguf.read(path)[1].items():
        assert np.array_equal(x, arrays[k]), k
    print("%s: %d bytes" % (os.path.relpath(path), size))


def small_of(c, seed):
    """The random 8-bit input (1, h*w, C) of a super-resolution model."""
    shape = (1, c.input_height * c.input_width, c.channels)
    return torch.from_numpy(np.random.default_rng(300 + seed).integers(0, 256, shape)) if c.encoder_block_count else None


@torch.no_grad()
def tiny():
    for seed, (name, c, label, kind) in enumerate(TINY):
        model = ImageTransformer(c)
        randomise(model, 100 + seed)
        path = os.path.join(OUT, name + ".gguf")
        size = export(path, model, TYPES[kind], dict(name=name, description="random weights for tests"))
        print("%s: %d bytes" % (os.path.relpath(path), size))
        model = stored(path, c)
        rng = np.random.default_rng(200 + seed)
        x = torch.from_numpy(rng.integers(0, c.levels, (1, c.n) + ((c.channels,) if c.output == "dmol" else ())))
        if c.output in ("dmol", "logistic", "gaussian"):                 # the open bins at both ends, and likely values
            near = model.generate(torch.tensor([label]), None, 1.0, torch.Generator().manual_seed(seed), small_of(c, seed))
            x[:, ::3] = near[:, ::3]
            x[:, 1::9], x[:, 4::9] = 0, c.levels - 1
        y, small, kept, kept_encoder = torch.tensor([label]), small_of(c, seed), [], []
        logits = model(x, y, small, kept, kept_encoder)
        nats = distributions.nats(c, logits, x)[0]
        tensors = {"values": x[0], "label": [label], "embedding": kept[0][0]}
        tensors.update({"blk.%d.output" % k: h[0] for k, h in enumerate(kept[1:])})
        tensors.update({"logits": logits[0], "nats": nats})
        if seed >= TINY_PLAIN:
            tensors.update({"outputs": logits[0], "order": model.order, "image": data.decode(x.numpy(), model)[0].reshape(-1)})
        if small is not None:
            tensors.update({"input": small.reshape(-1), "enc.embedding": kept_encoder[0][0], "encoder": model.enc(small)[0]})
            tensors.update({"enc.blk.%d.output" % k: h[0] for k, h in enumerate(kept_encoder[1:])})
        write_golden(os.path.join(OUT, name + ".golden.gguf"), tensors)


@torch.no_grad()
def trained(name, run, directory, count=100):
    """<name>.golden.gguf: logits of one validation image, of the F32 weights and of the Q8_0 ones (of many numbers those of
    64 positions only, named by `rows`);
    <name>-test100.u8.gz / .labels.u8 / .json: 100 held-out images (8-bit) and their nats from the F32 weights."""
    model, checkpoint = load_average(run)
    module = data.dataset(checkpoint["settings"].get("dataset", "mnist"))
    directory = directory or module.DEFAULT_DIR
    images, labels = module.load(directory, "validation")
    x, y, small = Split(images[:1], labels[:1], model).take(slice(1), "cpu")
    work = os.path.join(OUT, name + ".tmp.gguf")
    tensors = {"values": x[0], "label": y}
    if small is not None:
        tensors["input"] = small.reshape(-1)
    for suffix, kind in (("", "f32"), ("_q8_0", "q8_0")):
        export(work, model, TYPES[kind], dict(name=name))
        logits = stored(work, model.c)(x, y, small)
        rows = data.spread(model.c.n, 64 if logits.numel() > 20000 else 0)
        if len(rows) < model.c.n:
            tensors["rows"] = rows
        tensors["logits" + suffix] = logits[0, rows]
        tensors["nats" + suffix] = distributions.nats(model.c, logits, x)[0]
        os.remove(work)
    write_golden(os.path.join(OUT, name + ".golden.gguf"), tensors)

    images, labels = module.load_test_for_evaluation(directory)
    pick = np.arange(count) if name == "digits" else data.spread(len(images), count)
    images, labels = images[pick], labels[pick]
    base = os.path.join(OUT, name + "-test%d" % count)
    with open(base + ".u8.gz", "wb") as f:
        f.write(gzip.compress(images.tobytes(), 9, mtime=0))
    labels.tofile(base + ".labels.u8")
    test, free, given = Split(images, labels, model), [], []
    for i in range(0, count, 10):
        x, y, small = test.take(slice(i, i + 10), "cpu")
        free += model.nats(x, torch.full_like(y, -1), small).tolist()
        given += model.nats(x, y, small).tolist()
    record = dict(step=checkpoint["step"], labels=labels.tolist(), nats_unconditional=[round(v, 4) for v in free],
                  nats_conditional=[round(v, 4) for v in given])
    with open(base + ".json", "w") as f:
        json.dump(record, f, indent=1)
    print("%s.json: mean %.3f nats, %.3f given the class" % (
        os.path.relpath(base), np.mean(record["nats_unconditional"]), np.mean(record["nats_conditional"])))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recipe", nargs="?", help="a trained recipe; without it the tiny random models")
    parser.add_argument("--run", default="", help="run folder, default the recipe's name; files are named after the recipe")
    parser.add_argument("--data", default="", help="default data/<data set>")
    args = parser.parse_args()
    torch.set_num_threads(2)
    os.makedirs(OUT, exist_ok=True)
    trained(args.recipe, args.run or args.recipe, args.data) if args.recipe else tiny()


if __name__ == "__main__":
    main()
