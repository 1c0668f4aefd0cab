# SPDX-License-Identifier: MIT
"""The control of sagan-emoji: the same without attention, trained for as many steps.

    python3 weights/train/train.py sagan-emoji-plain
"""
from models.sagan.emoji import CARD, SETTINGS

settings = dict(SETTINGS, attention_size=0)
card = dict(
    CARD,
    name="sagan-emoji-plain",
    description="A GAN for 32x32 colour emoji of four kinds without attention: the control of sagan-emoji.",
    command="python3 weights/train/train.py sagan-emoji-plain",
)
