# SPDX-License-Identifier: MIT
"""Writes stories in English with a memory network, an LSTM that attends to all its earlier states.

    python3 weights/train/train.py lstmn
"""
settings = dict(
    # model: 0.9 M parameters, of which 0.7 M are embeddings of the vocabulary of `stories`
    dataset="stories", vocabulary="stories", values=4096, context_length=512, embedding_length=160, window=64,
    # schedule: `minutes` counts the CPU time of one thread, which other programs do not affect
    clock="cpu", threads=1, minutes=5.0, batch=64, lr=4e-3, warmup=100, every=4.0, sheets=2, valid_images=128, final_valid_images=800, ema=0.995,
)
card = dict(
    name="lstmn",
    description="A memory-network that goes on with tales in English and shows, at each word, which earlier words it looks at.",
    license="CC0-1.0",
    dataset="21 books of fairy tales (Project Gutenberg, public domain) but for those held out, and 2,316 stories of TinyStories (Eldan and Li 2023)",
    dataset_license="public domain; TinyStories: CDLA-Sharing-1.0",
    command="python3 weights/train/train.py lstmn",
)
