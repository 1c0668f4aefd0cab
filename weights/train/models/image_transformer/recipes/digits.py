# SPDX-License-Identifier: MIT
"""Generates MNIST digits (28x28, 16 grey levels) of a given class; training sometimes hides the class. Local-1d attention reaches back over
seven rows.

    python3 weights/train/train.py digits
"""
settings = dict(
    # model: 1.2 M parameters
    height=28, width=28, channels=1, levels=16,
    block_count=6, embedding_length=128, feed_forward_length=512, head_count=4, key_length=32,
    pattern="local-1d", query_block=196, memory_block=196,
    classes=10,
    # schedule
    minutes=60.0, batch=8, lr=2.5e-3, warmup=300, every=5.0,
    class_drop=0.2, dropout=0.0, ema=0.999,
)
own = dict(minutes=10.0, lr=5e-4, warmup=20)
card = dict(
    name="digits",
    description="Image Transformer for 28x28 handwritten digits in 16 grey levels: draws, completes and scores them.",
    class_names=["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"],
    license="CC-BY-SA-3.0",
    dataset="MNIST (LeCun, Cortes, Burges), first 55,000 training images",
    dataset_license="CC BY-SA 3.0",
    command="python3 weights/train/train.py digits",
    golden_first=True,                   # this recipe's golden file has the first test images; other golden files have evenly spaced ones
)
