# SPDX-License-Identifier: MIT
"""Enlarges photographs from 8x8 to 32x32 with the decoder of `cifar10`, where each pixel is also conditioned on the small picture
(direct.py).

    python3 weights/train/train.py cifar10-sr
"""
settings = dict(
    # model: 1.3 M parameters
    dataset="cifar10", height=32, width=32, channels=3, levels=256, output="dmol", mixtures=10,
    block_count=6, embedding_length=128, feed_forward_length=512, head_count=4, key_length=32,
    pattern="local-1d", query_block=64, memory_block=64, input_height=8, input_width=8, direct=True,
    norm="pre", classes=10,
    # schedule
    minutes=60.0, batch=4, lr=6e-4, fresh_rate=4.0, warmup=100, every=5.0, sheets=3, valid_images=100, final_valid_images=500,
    round_to="q8_0", flip=True, class_drop=0.5, dropout=0.0, ema=0.999,
)
start = "cifar10.gguf"                   # a file in weights/; --from names another file
card = dict(
    name="cifar10-sr",
    description="Image Transformer that draws a 32x32 photograph from 8x8 pixels; told of each pixel what the small picture says about it, which is not in the paper.",
    class_names=["airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"],
    license="other",                     # the author of the data states no licence
    dataset="CIFAR-10 (Alex Krizhevsky, University of Toronto, technical report 2009), first 48,000 training images",
    dataset_license="none stated (A. Krizhevsky, Univ. of Toronto, tech report 2009: no explicit licence)",
    command="python3 weights/train/train.py cifar10-sr",
)
