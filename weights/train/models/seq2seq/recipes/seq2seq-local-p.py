# SPDX-License-Identifier: MIT
"""Translates German to English with recurrent networks and the local attention of Luong et al.: a window around a position that the state
predicts.

    python3 weights/train/train.py seq2seq-local-p

The word embeddings, the encoder and the decoder's GRU are copied from seq2seq-additive. Therefore a few minutes of training are enough to
compare the kinds of attention.
"""
from models.seq2seq import shared

start = "seq2seq-additive.gguf"
settings = shared.settings(score="general", range="local-p", window=3, minutes=2.0, lr=1.5e-3, warmup=100)
card = shared.card("seq2seq-local-p", "it looks through a window about a place that it predicts (Luong's local-p).")
