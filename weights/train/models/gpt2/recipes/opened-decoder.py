# SPDX-License-Identifier: MIT
"""Reverses words with a model that has only a decoder. A line is a word, a separator and the reversed word.

    python3 weights/train/train.py opened-decoder
"""
settings = dict(
    # model: two blocks, each with two heads of width 4; a line has up to six letters, the separator and six letters
    dataset="letters", signs="abcdefghijklmnopqrstuvwxyz=", values=28, context_length=13,
    block_count=2, embedding_length=8, feed_forward_length=32, head_count=2,
    # schedule
    clock="cpu", minutes=1.6, batch=256, lr=8e-3, warmup=300, every=1.0, valid_images=1024, final_valid_images=6000, ema=0.998, bf16=False,
)
card = dict(
    name="opened-decoder",
    description="A decoder alone, GPT-2 with two blocks and width 8, that goes on with a word of up to six letters and = by the word backwards.",
    license="CC0-1.0",
    dataset="words of random letters and the same backwards, made by weights/train/data/letters.py",
    dataset_license="CC0-1.0",
    command="python3 weights/train/train.py opened-decoder",
    type="f32",                          # single precision, because the page shows the weights of this file
    inside="planet",                     # word for which the golden file contains every intermediate matrix
)
