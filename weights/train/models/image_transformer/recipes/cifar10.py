# SPDX-License-Identifier: MIT
"""Generates CIFAR-10 pictures of a given class, with a mixture of ten logistics per pixel and local-1d attention. The model is small enough
to train on two CPU cores.

    python3 weights/train/train.py cifar10

The shipped file went through stage 1 twice, first for 93 and then for 107 minutes. At that time, query and memory blocks had 64 positions.
Stages 2 and 3 followed. Each stage started from the averaged weights of the previous stage, in full precision. NOTEBOOK.md ("A separate
learning rate for the weights that copy exact values") explains the learning rates.
"""
settings = dict(
    # model: 1.2 M parameters
    dataset="cifar10", height=32, width=32, channels=3, levels=256, output="dmol", mixtures=10,
    block_count=6, embedding_length=128, feed_forward_length=512, head_count=4, key_length=32,
    pattern="local-1d", query_block=64, memory_block=128,
    norm="pre", classes=10,
    # schedule
    minutes=90.0, batch=4, lr=8e-4, warmup=100, every=5.0, sheets=3, valid_images=100, final_valid_images=500,
    look_around=True, fit_output=True, round_to="q8_0", flip=True, class_drop=0.15, dropout=0.0, ema=0.999,
)
stages = (                               # the later runs, whose settings override those above
    dict(minutes=27.0, batch=8, lr=5e-4, sharp_rate=0.05, beta2=0.99, warmup=200, ema=0.998, seed=43),
    dict(minutes=42.0, batch=8, lr=4e-4, sharp_rate=0.05, beta2=0.99, warmup=150, ema=0.998, seed=47),
)
card = dict(
    name="cifar10",
    description="Image Transformer for 32x32 photographs of ten kinds: draws, completes and scores them.",
    class_names=["airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"],
    license="other",                     # the author of the data states no licence
    dataset="CIFAR-10 (Alex Krizhevsky, University of Toronto, technical report 2009), first 48,000 training images",
    dataset_license="none stated (A. Krizhevsky, Univ. of Toronto, tech report 2009: no explicit licence)",
    command="python3 weights/train/train.py cifar10",
)
