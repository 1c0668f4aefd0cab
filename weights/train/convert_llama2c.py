#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Converts a checkpoint of karpathy/llama2.c (version 0, .bin) and its tokenizer (.bin) to a GGUF file of the architecture llama:

    python3 weights/train/convert_llama2c.py stories260K.bin tok512.bin stories260K.gguf --type q8_0

A checkpoint starts with seven i32 (width, inner width, layers, heads, key/value heads, signed number of ids, positions); f32 tensors
follow. The first tensor is the embedding. The next nine tensors are attn_norm, attn_q, attn_k, attn_v, attn_output, ffn_norm, ffn_gate
(w1), ffn_down (w2) and ffn_up (w3). Each of these nine tensors contains the values of all layers. Then come the final norm, and two tables
of rotary angles, which can be computed from the sizes. The output matrix is last; it is stored only if the number of ids is negative
(otherwise the embedding is used). Both formats apply the rotary angles to adjacent dimensions of a head, so the rows of queries and keys
keep their order.

A tokenizer file starts with one i32. For each id, the id's score (f32), the length of its text (i32) and the text follow.

In the quantised types, a matrix whose row length is not a multiple of 32 stays in F16. In q4_0 the output matrix, tied or not, has 8 bits,
because every logit depends on it. The matrices of keys and values, the smallest ones, also have 8 bits. Quantised matrices are rounded so
that their outputs change little for texts that the model itself generates (common/calibrated.py); --plain rounds each weight to the nearest
value. In q8_0, rounding is repeated a few times, with texts from other seeds, until the rounded model generates the same greedy text of 200
ids as the checkpoint.
"""
import struct

import numpy as np

from common import arguments, calibrated, gguf

TYPES = dict(f32=gguf.F32, f16=gguf.F16, q8_0=gguf.Q8_0, q4_0=gguf.Q4_0)
TRIES, SAFE_MARGIN = 8, 0.005                            # the margin, in logits, is well above the rounding error of single precision
NORMAL, UNKNOWN, CONTROL, BYTE = 1, 2, 3, 6              # tokenizer.ggml.token_type
SPACE = "\u2581"                                          # SentencePiece writes a space as this character


def read_checkpoint(path):
    """Reads a checkpoint -> (header dict, {tensor name: float32 array})"""
    with open(path, "rb") as f:
        raw = f.read()
    d, inner, layers, heads, groups, ids, length = struct.unpack("<7i", raw[:28])
    if min(d, inner, layers, heads, groups, length) < 1 or not ids or d % heads or heads % groups:
        raise SystemExit("%s is not a version 0 checkpoint of llama2.c" % path)
    tied, ids, key = ids > 0, abs(ids), d // heads
    numbers, at = np.frombuffer(raw, "<f4", offset=28), 0

    def take(*shape):
        nonlocal at
        n = int(np.prod(shape))
        at += n
        if at > numbers.size:
            raise SystemExit("%s is truncated" % path)
        return numbers[at - n:at].reshape(shape)

    tensors = {"token_embd.weight": take(ids, d)}
    parts = [("attn_norm", d), ("attn_q", d, d), ("attn_k", groups * key, d), ("attn_v", groups * key, d), ("attn_output", d, d),
             ("ffn_norm", d), ("ffn_gate", inner, d), ("ffn_down", d, inner), ("ffn_up", inner, d)]
    for part, *shape in parts:
        for i, x in enumerate(take(layers, *shape)):
            tensors["blk.%d.%s.weight" % (i, part)] = x
    tensors["output_norm.weight"] = take(d)
    take(2, length, key // 2)                            # skips the tables of cosines and sines
    if not tied:
        tensors["output.weight"] = take(ids, d)
    if at != numbers.size:
        raise SystemExit("%s holds %d numbers more than its header says" % (path, numbers.size - at))
    return dict(d=d, inner=inner, layers=layers, heads=heads, groups=groups, ids=ids, length=length, key=key, tied=tied), tensors


def read_tokenizer(path, ids):
    """Reads a tokenizer -> (tokens, scores, types)"""
    with open(path, "rb") as f:
        raw = f.read()
    tokens, scores, types, at = [], [], [], 4
    for i in range(ids):
        score, n = struct.unpack_from("<fi", raw, at)
        text = raw[at + 8:at + 8 + n].decode("utf-8")
        at += 8 + n
        special = ("<unk>", "<s>", "</s>")
        byte = len(text) == 6 and text.startswith("<0x") and text.endswith(">")
        tokens.append(special[i] if i < 3 else text if byte else text.replace(" ", SPACE))
        scores.append(score if i > 2 else 0.0)
        types.append((UNKNOWN, CONTROL, CONTROL)[i] if i < 3 else BYTE if byte else NORMAL)
    if at != len(raw):
        raise SystemExit("%s has another number of ids than the checkpoint" % path)
    return tokens, scores, types


def convert(checkpoint, tokenizer, out, kind, name="", licence="", plain=False, seed=1):
    """Converts a checkpoint and returns the number of bytes written"""
    h, tensors = read_checkpoint(checkpoint)
    tokens, scores, types = read_tokenizer(tokenizer, h["ids"])
    metadata = {"general.architecture": "llama", "general.name": name or checkpoint.split("/")[-1].rsplit(".", 1)[0]}
    if licence:
        metadata["general.license"] = licence
    metadata.update({
        "llama.vocab_size": h["ids"], "llama.context_length": h["length"], "llama.embedding_length": h["d"], "llama.block_count": h["layers"],
        "llama.feed_forward_length": h["inner"], "llama.attention.head_count": h["heads"], "llama.attention.head_count_kv": h["groups"],
        "llama.attention.layer_norm_rms_epsilon": 1e-5, "llama.rope.dimension_count": h["key"], "llama.rope.freq_base": 10000.0,
        "tokenizer.ggml.model": "llama", "tokenizer.ggml.tokens": tokens, "tokenizer.ggml.scores": scores, "tokenizer.ggml.token_type": types,
        "tokenizer.ggml.unknown_token_id": 0, "tokenizer.ggml.bos_token_id": 1, "tokenizer.ggml.eos_token_id": 2,
        "tokenizer.ggml.add_bos_token": True, "tokenizer.ggml.add_eos_token": False})
    head = "token_embd.weight" if h["tied"] else "output.weight"

    def type_of(tensor, x):
        if x.ndim == 1:
            return gguf.F32
        if kind in ("q8_0", "q4_0") and x.shape[1] % 32:
            return gguf.F16
        return gguf.Q8_0 if kind == "q4_0" and (tensor == head or "attn_k" in tensor or "attn_v" in tensor) else TYPES[kind]

    kinds = {n: type_of(n, x) for n, x in tensors.items()}
    rounded = {n: k for n, k in kinds.items() if k in (gguf.Q8_0, gguf.Q4_0)}
    done = {}
    for tried in range(seed, seed + (0 if plain or not rounded else TRIES)):
        done = calibrated.round_llama(h, tensors, rounded, tried)
        if kind != "q8_0":  # with so few bits, the rounded model is not expected to generate the same greedy text
            break
        margin = calibrated.greedy_margin(h, tensors, done)
        print("texts of seed %d: the greedy text keeps a margin of %.4f" % (tried, margin))
        if margin > SAFE_MARGIN:
            break
    return gguf.write(out, metadata, {n: done.get(n, (x, kinds[n])) for n, x in tensors.items()})


def main():
    parser = arguments.Parser(__doc__)
    parser.add_argument("checkpoint")
    parser.add_argument("tokenizer")
    parser.add_argument("out")
    parser.add_argument("--type", choices=TYPES, default="q8_0")
    parser.add_argument("--name", default="", help="general.name, default the checkpoint's")
    parser.add_argument("--license", default="", help="general.license")
    parser.add_argument("--plain", action="store_true", help="round each weight to the nearest")
    parser.add_argument("--seed", type=int, default=1, help="of those texts")
    args = parser.parse_args()
    size = convert(args.checkpoint, args.tokenizer, args.out, args.type, args.name, args.license, args.plain, args.seed)
    print("%s: %d bytes" % (args.out, size))


if __name__ == "__main__":
    main()
