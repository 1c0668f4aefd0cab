# SPDX-License-Identifier: MIT
"""Generates colour emoji of 32x32 pixels in one pass, with a self-attention GAN that is conditioned on the kind of object.

    python3 weights/train/train.py sagan-emoji-plain --run sagan-first --steps 5162 --lr-floor 1        # without attention
    python3 weights/train/train.py sagan-emoji --begun sagan-first                                      # continues with attention
"""
from models.sagan.emoji import CARD, SETTINGS

settings = dict(SETTINGS)
own = dict(minutes=20.0)
card = dict(
    CARD,
    name="sagan-emoji",
    description="A self-attention GAN for 32x32 colour emoji of eight kinds: draws one at once and shows where it looked.",
    command="python3 weights/train/train.py sagan-emoji --begun sagan-first",
)
