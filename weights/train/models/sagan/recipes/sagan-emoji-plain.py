# SPDX-License-Identifier: MIT
"""Trains the control for sagan-emoji: the same network without attention, from the same first run and for the same number of steps.

    python3 weights/train/train.py sagan-emoji-plain --begun sagan-first
"""
from models.sagan.emoji import CARD, SETTINGS

settings = dict(SETTINGS, attention_size=0)
card = dict(
    CARD,
    name="sagan-emoji-plain",
    description="A GAN for 32x32 colour emoji of eight kinds without attention: the control of sagan-emoji.",
    command="python3 weights/train/train.py sagan-emoji-plain --begun sagan-first",
)
