#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Converts a model of karpathy/minGPT, in the JSON form of bbycroft/llm-viz ({ name: { shape, data in base64 } }), to a GGUF file of the
architecture gpt2:

    python3 weights/train/convert_mingpt.py gpt-nano-sort-model.json gpt-nano-sort.gguf
    python3 weights/train/convert_mingpt.py gpt-nano-sort-model.json gpt-nano-sort.gguf --recorded gpt-nano-sort-t0-partials.json gpt-nano-sort.golden.gguf

With --recorded, the recorded tensors of a forward pass are written to a golden file, which contains:

    values (n)       the ids x_0..x_{n-1}; the last id was not recorded
    logits (n, V)    of each x_i given the earlier ids; zeros for x_0
    nats (n)         of each x_i
    label            -1

The other sequences of the batch follow as values_1, logits_1, ...

minGPT orders the heads and matrices as GPT-2 does. It stores a linear map as (out, in), as the file requires.
"""
import base64
import json

import numpy as np

from common import arguments, gguf

BLOCK = dict([("ln_1", "attn_norm"), ("attn.c_attn", "attn_qkv"), ("attn.c_proj", "attn_output"), ("ln_2", "ffn_norm"),
              ("mlp.c_fc", "ffn_up"), ("mlp.c_proj", "ffn_down")])
OUTSIDE = dict([("transformer.wte.weight", "token_embd.weight"), ("transformer.wpe.weight", "position_embd.weight"),
                ("transformer.ln_f.weight", "output_norm.weight"), ("transformer.ln_f.bias", "output_norm.bias"),
                ("lm_head.weight", "output.weight")])


def read(path):
    """Reads the JSON -> ({name: array}, config dict or None)"""
    with open(path, "rb") as f:
        entries = json.load(f)
    config = entries.pop("config", None)
    return {name: np.frombuffer(base64.b64decode(e["data"]), "<f4").reshape(e["shape"]) for name, e in entries.items()}, config


def tensors_of(entries, layers):
    """Returns the file's tensors, in the file's order."""
    out = {OUTSIDE[name]: entries[name] for name in ("transformer.wte.weight", "transformer.wpe.weight")}
    for i in range(layers):
        for name, part in BLOCK.items():
            for kind in ("weight", "bias"):
                out["blk.%d.%s.%s" % (i, part, kind)] = entries["transformer.h.%d.%s.%s" % (i, name, kind)]
    for name in ("transformer.ln_f.weight", "transformer.ln_f.bias", "lm_head.weight"):
        out[OUTSIDE[name]] = entries[name]
    return out


def metadata_of(config, entries):
    ids, width = entries["transformer.wte.weight"].shape
    return {
        "general.architecture": "gpt2",
        "general.name": config["model_type"],
        "gpt2.context_length": config["block_size"],
        "gpt2.embedding_length": width,
        "gpt2.block_count": config["n_layer"],
        "gpt2.feed_forward_length": entries["transformer.h.0.mlp.c_fc.weight"].shape[0],
        "gpt2.attention.head_count": config["n_head"],
        "gpt2.attention.layer_norm_epsilon": 1e-5,
        "gpt2.vocab_size": ids,
    }


def golden_of(recorded):
    """Returns the tensors of the golden file. The last id, which was not recorded, is set to 0."""
    out = {"label": np.array([-1.0], np.float32)}
    for i, (ids, logits) in enumerate(zip(recorded["idx"], recorded["lm_head"])):
        values = np.append(ids, 0).astype(np.int64)
        logits = np.concatenate([np.zeros((1, logits.shape[1]), np.float32), logits]).astype(np.float64)
        nats = np.log(np.exp(logits).sum(1)) - logits[np.arange(len(values)), values]
        suffix = "_%d" % i if i else ""
        out.update({"values" + suffix: values, "logits" + suffix: logits, "nats" + suffix: nats})
    return {name: np.asarray(x, np.float32) for name, x in out.items()}


def main():
    parser = arguments.Parser(__doc__)
    parser.add_argument("model")
    parser.add_argument("out")
    parser.add_argument("--recorded", nargs=2, metavar=("PARTIALS", "GOLDEN"))
    args = parser.parse_args()
    entries, config = read(args.model)
    if not config:
        raise SystemExit("%s has no config: it is not a model" % args.model)
    gguf.write(args.out, metadata_of(config, entries), {name: (x, gguf.F32) for name, x in tensors_of(entries, config["n_layer"]).items()})
    if args.recorded:
        recorded, _ = read(args.recorded[0])
        gguf.write(args.recorded[1], {"general.architecture": "golden"}, {name: (x, gguf.F32) for name, x in golden_of(recorded).items()})


if __name__ == "__main__":
    main()
