# SPDX-License-Identifier: MIT
"""Enlarges photographs from 8x8 to 32x32 pixels by the paper's method (encoder, cross-attention, blocks). The model is small enough to
train on two CPU cores.

    python3 weights/train/train.py cifar10-sr-2d
"""
settings = dict(
    # model: 2.1 M parameters
    dataset="cifar10", height=32, width=32, channels=3, levels=256, output="dmol", mixtures=10,
    block_count=6, embedding_length=128, feed_forward_length=512, head_count=4, key_length=32,
    pattern="local-2d", block_rows=4, block_cols=8, flange_rows=4, flange_cols=8,
    input_height=8, input_width=8, encoder_block_count=2,
    norm="pre", classes=10,
    # schedule
    minutes=70.0, batch=4, lr=8e-4, warmup=100, every=5.0, sheets=3, valid_images=100, final_valid_images=500,
    look_around=True, fit_output=True, round_to="q8_0", flip=True, class_drop=0.5, dropout=0.0, ema=0.999,
)
card = dict(
    name="cifar10-sr-2d",
    description="Image Transformer that draws a 32x32 photograph from 8x8 pixels.",
    class_names=["airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"],
    license="other",                     # the author of the data states no licence
    dataset="CIFAR-10 (Alex Krizhevsky, University of Toronto, technical report 2009), first 48,000 training images",
    dataset_license="none stated (A. Krizhevsky, Univ. of Toronto, tech report 2009: no explicit licence)",
    command="python3 weights/train/train.py cifar10-sr-2d",
)
