# SPDX-License-Identifier: MIT
"""Translates German to English with recurrent networks and the attention of Bahdanau et al. Before each step, an additive score compares
the decoder's state with each source word.

    python3 weights/train/train.py seq2seq-additive
"""
from models.seq2seq import shared

settings = shared.settings(score="additive", order="before", minutes=16.0)
card = shared.card("seq2seq-additive", "it scores a word by a small network before each step (Bahdanau's attention).")
