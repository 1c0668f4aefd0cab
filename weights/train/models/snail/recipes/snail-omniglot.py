# SPDX-License-Identifier: MIT
"""Trains a SNAIL to classify characters of unseen alphabets, given one example of each character.

    python3 weights/train/train.py snail-omniglot
"""
settings = dict(
    dataset="omniglot", minutes=65.0, clock="wall", lr=1e-3, warmup=100, lr_floor=0.02, ema=0.995, clip=1.0,
    every=5.0, threads=1, sheets=-1, valid_images=100, final_valid_images=1000,
)
own = dict(minutes=10.0, lr=3e-4, warmup=20)
card = dict(
    name="snail-omniglot",
    description="SNAIL for signs: names a drawn sign after one example each of up to twenty, of alphabets it never saw.",
    license="MIT",
    dataset="Omniglot (Lake, Salakhutdinov and Tenenbaum), 26 of the 30 background alphabets",
    dataset_license="MIT",
    command="python3 weights/train/train.py snail-omniglot",
)
