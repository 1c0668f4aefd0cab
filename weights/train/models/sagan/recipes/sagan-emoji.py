# SPDX-License-Identifier: MIT
"""Emoji 32x32 in colour, drawn at once: a self-attention GAN by kind of thing.

    python3 weights/train/train.py sagan-emoji

The shipped file was trained for 11,600 steps, as the control was, and 5,617 more at half the rates (--lr 2e-4 --critic-lr 4e-4).
"""
from models.sagan.emoji import CARD, SETTINGS

settings = dict(SETTINGS)
card = dict(
    CARD,
    name="sagan-emoji",
    description="A self-attention GAN for 32x32 colour emoji of four kinds: draws one at once and shows where it looked.",
    command="python3 weights/train/train.py sagan-emoji",
)
