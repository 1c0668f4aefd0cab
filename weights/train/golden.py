#!/usr/bin/env python3
"""Golden values for the C and JS tests, into tests/golden/.

    python3 weights/train/golden.py           tiny random models: <name>.gguf, <name>.golden.gguf
    python3 weights/train/golden.py digits    the trained model:  digits.golden.gguf, digits-test100.*

A golden file is a GGUF container of F32 tensors (general.architecture = "golden"):
    values (n)            the elements x_0..x_{n-1}       label (1)        class, -1 = none
    embedding (n, d)      layer-0 input                   blk.K.output (n, d)
    logits (n, V)         of x_i given x_<i               nats (n)         -log p(x_i | x_<i)
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
import gguf_writer as gguf
from export import TYPES, export, load_average
from model import Config, ImageTransformer

OUT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tests/golden"))

BASE = Config(height=6, width=7, channels=1, levels=4, block_count=2, embedding_length=16, feed_forward_length=32,
              head_count=2, key_length=8, pattern="full", position="sinusoidal")
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
]


@torch.no_grad()
def randomise(model, seed):
    """Seeded weights of a numpy generator (the same in every torch version); scores q.k/sqrt(d_k) have deviation about 2.5."""
    rng, d = np.random.default_rng(seed), model.c.embedding_length
    for name, p in model.named_parameters():
        z = torch.from_numpy(rng.standard_normal(tuple(p.shape)).astype(np.float32))
        if name.startswith(("position", "class")):
            z = 0.7 * z
        elif "norm.weight" in name:
            z = 1 + 0.2 * z
        elif name.endswith(".bias"):
            z = 0.3 * z
        else:
            gain = 1.6 if "attn_q" in name or "attn_k" in name else 1.5 if name.startswith("output") else 1.0
            z = gain / math.sqrt(d if name.startswith("token") else p.shape[1]) * z
        p.copy_(z)


def stored(path, c):
    """The model as a reader of the file sees it, in double precision."""
    model = ImageTransformer(c)
    model.load_state_dict({k: torch.from_numpy(x.copy()) for k, (x, _) in gguf.read(path)[1].items()})
    return model.double().eval()


def write_golden(path, tensors):
    metadata = {"general.architecture": "golden", "general.quantization_version": 2, "general.alignment": gguf.ALIGNMENT}
    arrays = {k: np.asarray(v, np.float32) for k, v in tensors.items()}
    size = gguf.write(path, metadata, {k: (v, gguf.F32) for k, v in arrays.items()})
    for k, (x, _) in gguf.read(path)[1].items():
        assert np.array_equal(x, arrays[k]), k
    print("%s: %d bytes" % (os.path.relpath(path), size))


@torch.no_grad()
def tiny():
    for seed, (name, c, label, kind) in enumerate(TINY):
        model = ImageTransformer(c)
        randomise(model, 100 + seed)
        path = os.path.join(OUT, name + ".gguf")
        size = export(path, model, TYPES[kind], dict(name=name, description="random weights for tests"))
        print("%s: %d bytes" % (os.path.relpath(path), size))
        model = stored(path, c)
        x = torch.from_numpy(np.random.default_rng(200 + seed).integers(0, c.levels, (1, c.n)))
        y, kept = torch.tensor([label]), []
        logits = model(x, y, kept)
        nats = -torch.log_softmax(logits, -1).gather(2, x[..., None])[0, :, 0]
        tensors = {"values": x[0], "label": [label], "embedding": kept[0][0]}
        tensors.update({"blk.%d.output" % k: h[0] for k, h in enumerate(kept[1:])})
        tensors.update({"logits": logits[0], "nats": nats})
        write_golden(os.path.join(OUT, name + ".golden.gguf"), tensors)


@torch.no_grad()
def trained(name, directory, count=100):
    """<name>.golden.gguf: logits of one validation image, of the F32 weights and of the Q8_0 ones;
    <name>-test100.u8.gz / .labels.u8 / .json: the first 100 test images (8-bit) and their nats from the F32 weights."""
    model, checkpoint = load_average(name)
    c = model.c
    xv, yv = data.load(directory, "validation", c.levels)
    x, y = torch.from_numpy(xv[:1].astype(np.int64)), torch.from_numpy(yv[:1].astype(np.int64))
    work = os.path.join(OUT, name + ".tmp.gguf")
    tensors = {"values": x[0], "label": y}
    for suffix, kind in (("", "f32"), ("_q8_0", "q8_0")):
        export(work, model, TYPES[kind], dict(name=name))
        logits = stored(work, c)(x, y)
        tensors["logits" + suffix] = logits[0]
        tensors["nats" + suffix] = -torch.log_softmax(logits, -1).gather(2, x[..., None])[0, :, 0]
        os.remove(work)
    write_golden(os.path.join(OUT, name + ".golden.gguf"), tensors)

    images, labels = data.load_test_for_evaluation(directory)
    images, labels = images[:count], labels[:count]
    base = os.path.join(OUT, name + "-test%d" % count)
    with open(base + ".u8.gz", "wb") as f:
        f.write(gzip.compress(images.tobytes(), 9, mtime=0))
    labels.tofile(base + ".labels.u8")
    x, y = torch.from_numpy(data.to_levels(images, c.levels).astype(np.int64)), torch.from_numpy(labels.astype(np.int64))
    nats = lambda label: [round(float(v), 4) for i in range(0, count, 10)
                          for v in model.nats(x[i:i + 10], label[i:i + 10]).double().sum(1)]
    record = dict(step=checkpoint["step"], labels=labels.tolist(), nats_unconditional=nats(torch.full_like(y, -1)),
                  nats_conditional=nats(y))
    with open(base + ".json", "w") as f:
        json.dump(record, f, indent=1)
    print("%s.json: mean %.3f nats, %.3f given the class" % (
        os.path.relpath(base), np.mean(record["nats_unconditional"]), np.mean(record["nats_conditional"])))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recipe", nargs="?", help="a trained recipe; without it the tiny random models")
    parser.add_argument("--data", default=data.DEFAULT_DIR)
    args = parser.parse_args()
    torch.set_num_threads(2)
    os.makedirs(OUT, exist_ok=True)
    trained(args.recipe, args.data) if args.recipe else tiny()


if __name__ == "__main__":
    main()
