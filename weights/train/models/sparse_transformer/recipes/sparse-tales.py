# SPDX-License-Identifier: MIT
"""Fairy tales byte by byte through fixed attention over 2,048 bytes: half of the heads see their own block of 128, half the ends of all blocks before.

    python3 weights/train/train.py sparse-tales
"""
settings = dict(
    levels=257, output="categorical", context_length=2048, dataset="stories",
    block_count=6, embedding_length=128, feed_forward_length=512, head_count=4, key_length=32,
    pattern="fixed", stride=128, summary=16, combine="heads",
    minutes=22.0, batch=4, lr=2e-3, warmup=150, every=4.0, ema=0.998, sheets=-1, valid_images=24, final_valid_images=120,
)
# from the first run's weights, with half as many windows a step
stages = (dict(minutes=19.0, batch=2, lr=1.5e-3, warmup=40, seed=2),)
card = dict(
    name="sparse-tales",
    description="Sparse Transformer that goes on with fairy tales in English, byte by byte, and looks 2,048 bytes back.",
    license="CC0-1.0",
    dataset="21 books of fairy tales (Project Gutenberg, public domain) but for those held out",
    dataset_license="public domain",
    command="python3 weights/train/train.py sparse-tales",
)
