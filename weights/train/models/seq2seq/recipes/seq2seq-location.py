# SPDX-License-Identifier: MIT
"""Translates German to English with recurrent networks and the location-based attention of Luong et al.: the decoder's state alone selects
source positions, regardless of the words there.

    python3 weights/train/train.py seq2seq-location

The word embeddings, the encoder and the decoder's GRU are copied from seq2seq-additive. Therefore a few minutes of training are enough to
compare the kinds of attention.
"""
from models.seq2seq import shared

start = "seq2seq-additive.gguf"
settings = shared.settings(score="location", positions=48, minutes=2.0, lr=1.5e-3, warmup=100)
card = shared.card("seq2seq-location", "it says which places to look at without looking at the words (Luong's location-based attention).")
