# SPDX-License-Identifier: MIT
"""Trains only the VQ-VAE of a small Jukebox, which encodes spoken digits as codes of two levels. The recipe jukebox-small starts from the
file of this recipe and trains the priors, which generate codes.

    python3 weights/train/train.py jukebox-codes
    python3 weights/train/export.py jukebox-codes --type f32 --out build/jukebox-codes-1.gguf
    python3 weights/train/train.py jukebox-codes --stage 2 --from build/jukebox-codes-1.gguf
"""
settings = dict(
    part="codes", top_codes=256, bottom_codes=256, top_blocks=0, bottom_blocks=0,
    minutes=20.0, clock="wall", batch=8, lr=2e-3, warmup=100, beta2=0.99, every=3.0, ema=0.99, threads=1, sheets=0, valid_images=60,
)
# the second stage gives more weight to soft sounds, such as hiss and the silence before a "t"
stages = (dict(
    minutes=15.0, lr=1.5e-3, warmup=50, error_weight=0.3, log_weight=1.5, seed=3,
),)
own = dict(minutes=10.0, lr=1e-3, warmup=20)
card = dict(
    name="jukebox-codes",
    description="Sounds at 8 kHz as codes of two levels, and sounds of codes again, learned from spoken digits.",
    license="CC-BY-SA-4.0",
    dataset="Free Spoken Digit Dataset (Jackson et al.), takes 7 to 49: 2,580 recordings of six speakers",
    dataset_license="CC BY-SA 4.0",
    command="python3 weights/train/train.py jukebox-codes",
)
