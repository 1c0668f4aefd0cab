# SPDX-License-Identifier: MIT
"""Reverses words with a Transformer so small that each of its numbers can be inspected.

    python3 weights/train/train.py opened
"""
settings = dict(
    # model: each stack has two blocks, and each block has two heads of width 4
    dataset="letters", vocabulary="", signs="abcdefghijklmnopqrstuvwxyz", values=27, context_length=7,
    block_count=2, encoder_block_count=2, embedding_length=8, feed_forward_length=32, head_count=2,
    # schedule
    clock="cpu", minutes=1.6, batch=256, lr=8e-3, warmup=300, every=1.0, valid_images=1024, final_valid_images=6000, bleu_pairs=1024,
    dropout=0.0, smoothing=0.0, ema=0.998, bf16=False,
)
card = dict(
    name="opened",
    description="A Transformer of two blocks and width 8 that writes a word of up to six letters backwards: small enough to look at every number of it.",
    license="CC0-1.0",
    dataset="words of random letters and the same backwards, made by weights/train/data/letters.py",
    dataset_license="CC0-1.0",
    command="python3 weights/train/train.py opened",
    type="f32",                          # single precision, because the page shows the weights of this file
    inside="planet",                     # word for which the golden file contains every intermediate matrix
)
