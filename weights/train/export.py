#!/usr/bin/env python3
"""Checkpoint -> GGUF:  python3 weights/train/export.py digits [--type q8_0|q4_0|f16|f32] [--out FILE]

Exports the averaged weights, reads the file back and compares every tensor.  Default: Q8_0 into weights/<recipe>.gguf.
"""
import argparse
import hashlib
import os

import numpy as np
import torch

import gguf_writer as gguf
from model import ImageTransformer
from rounding import FORMS
from train import HERE, Settings, load_recipe, model_config

TYPES = {"f32": gguf.F32, "f16": gguf.F16, "q8_0": gguf.Q8_0, "q4_0": gguf.Q4_0}


def metadata_of(c, kind, card):
    """Config and model card -> metadata in the order it is written."""
    a = "image-transformer."
    m = {"general.architecture": "image-transformer", "general.name": card["name"],
         "general.description": card.get("description", ""), "general.license": card.get("license", "CC0-1.0"),
         "general.author": card.get("author", "nextpixel"),
         "general.quantization_version": 2, "general.alignment": gguf.ALIGNMENT,
         a + "image.height": c.height, a + "image.width": c.width, a + "image.channels": c.channels,
         a + "image.levels": c.levels, a + "block_count": c.block_count, a + "embedding_length": c.embedding_length,
         a + "feed_forward_length": c.feed_forward_length, a + "attention.head_count": c.head_count,
         a + "attention.key_length": c.key_length, a + "attention.layer_norm_epsilon": float(c.layer_norm_epsilon),
         a + "attention.pattern": c.pattern}
    if c.pattern == "local-1d":
        m.update({a + "attention.query_block": c.query_block, a + "attention.memory_block": c.memory_block})
    if c.pattern == "local-2d":
        m.update({a + "attention." + key: getattr(c, key) for key in ("block_rows", "block_cols", "flange_rows", "flange_cols")})
    m.update({a + "norm": c.norm, a + "position.type": c.position, a + "output.type": c.output})
    if c.output == "dmol":
        m[a + "output.mixtures"] = c.mixtures
    if c.encoder_block_count:
        m.update({a + "input.height": c.input_height, a + "input.width": c.input_width,
                  a + "encoder.block_count": c.encoder_block_count})
    if c.classes:
        m[a + "classes"] = card.get("class_names") or [str(i) for i in range(c.classes)]
    for key in ("dataset", "dataset_license", "command", "quality"):
        if card.get(key):
            m["nextpixel.card." + key] = card[key]
    return m


def type_of(name, x, kind, output, carry=gguf.F16):
    """Matrices of the blocks and the output take the wanted type, the output at least Q8_0; tables, vectors and odd widths stay F32.
    Where the output gives numbers instead of logits, pixels have to arrive exact to a fraction of a grey level: the output and
    what attention carries take at least F16 (with keys in F16 the engine does not round its cache either), or, to save room, the
    latter take `carry`."""
    matrix = x.ndim == 2 and ("blk." in name or name == "output.weight")
    if not matrix or kind in (gguf.Q4_0, gguf.Q8_0) and x.shape[1] % 32:
        return gguf.F32
    if output != "categorical" and kind != gguf.F32:
        if name == "output.weight":
            return gguf.F16
        if any(part in name for part in ("attn_k", "attn_v", "attn_output")):
            return carry
    return gguf.Q8_0 if kind == gguf.Q4_0 and name == "output.weight" else kind


def export(path, model, kind, card, round_to="", carry=gguf.F16):
    """Writes and verifies one file -> bytes written.  round_to: as in training; matrices of the blocks that are not stored in
    `kind` are rounded to it."""
    metadata = metadata_of(model.c, kind, card)
    state = {k: v.detach().float().cpu() for k, v in model.state_dict().items()}
    for k, v in state.items():
        if round_to and "blk." in k and type_of(k, v, kind, model.c.output, carry) not in (kind, gguf.F32):
            state[k] = FORMS[round_to](v)
    state = {k: v.numpy() for k, v in state.items()}
    tensors = {k: (v, type_of(k, v, kind, model.c.output, carry)) for k, v in state.items()}
    size = gguf.write(path + ".tmp", metadata, tensors)
    again, back = gguf.read(path + ".tmp")
    assert list(again) == list(metadata) and list(back) == list(tensors)
    for key, v in metadata.items():
        assert again[key] == (np.float32(v) if isinstance(v, float) else v), key
    for k, (x, t) in tensors.items():
        y, kind_read = back[k]
        assert kind_read == t and y.shape == x.shape, k
        bound = {gguf.F32: 0, gguf.F16: 1e-3 * np.abs(x) + 1e-7}.get(t)     # half a step of f16
        if bound is None:                # half a step (Q4_0: a whole one where 8 steps are cut to 7) + the f16 scale
            top = np.abs(x).reshape(-1, 32).max(1)
            tiny = 2.0 ** -25 * (127 if t == gguf.Q8_0 else 8)           # f16 scales under 6e-5 are multiples of 2^-24
            bound = np.repeat(top * ((0.5 / 127 if t == gguf.Q8_0 else 1 / 8) + 1e-3) + tiny + 1e-7, 32).reshape(x.shape)
        assert (np.abs(y - x) <= bound).all(), k
    os.replace(path + ".tmp", path)
    return size


def load_average(run):
    """Run folder name -> (ImageTransformer with the averaged weights in eval mode, checkpoint dict).
    Of a run on another machine average.pt will do, see train.py."""
    path = os.path.join(HERE, "runs", run, "checkpoint.pt")
    if not os.path.exists(path):
        path = os.path.join(HERE, "runs", run, "average.pt")
    c = torch.load(path, map_location="cpu")
    known = Settings.__dataclass_fields__
    model = ImageTransformer(model_config(Settings(**{k: v for k, v in c["settings"].items() if k in known})))
    model.load_state_dict(c["average"])
    return model.eval(), c


def load_stored(model, path):
    """Gives a model the weights of a file, as a reader sees them; a draft in it is not the model's."""
    tensors = gguf.read(path)[1]
    model.load_state_dict({k: torch.from_numpy(x.copy()) for k, (x, _) in tensors.items() if not k.startswith("draft.")})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recipe")
    parser.add_argument("--run", default="", help="run folder, default the recipe's name")
    parser.add_argument("--type", choices=TYPES, default="q8_0")
    parser.add_argument("--carry", choices=TYPES, default="f16", help="mixtures: the type of what attention carries, see type_of")
    parser.add_argument("--out", default="")
    parser.add_argument("--quality", default="", help="one line for the model card, e.g. the test loss")
    args = parser.parse_args()
    model, checkpoint = load_average(args.run or args.recipe)
    card = dict(load_recipe(args.recipe).card)
    card["quality"] = args.quality or card.get("quality") or "trained %.0f minutes, %d steps%s" % (
        checkpoint["elapsed"] / 60, checkpoint["step"], "" if checkpoint["final"] else " (intermediate)")
    out = args.out or os.path.join(os.path.dirname(HERE), args.recipe + ".gguf")
    size = export(out, model, TYPES[args.type], card, checkpoint["settings"].get("round_to", ""), TYPES[args.carry])
    print("%s: %d bytes, %d parameters, sha256 %s" % (out, size, sum(p.numel() for p in model.parameters()),
                                                    hashlib.sha256(open(out, "rb").read()).hexdigest()))


if __name__ == "__main__":
    main()
