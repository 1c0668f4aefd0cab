# SPDX-License-Identifier: MIT
"""Translates German to English with recurrent networks and the "general" attention of Luong et al.: the score of a source word is s . W h,
where h is the encoder's state at the word and s is the decoder's state after a step.

    python3 weights/train/train.py seq2seq-general

The word embeddings, the encoder and the decoder's GRU are copied from seq2seq-additive. Therefore a few minutes of training are enough to
compare the kinds of attention.
"""
from models.seq2seq import shared

start = "seq2seq-additive.gguf"
settings = shared.settings(score="general", minutes=2.0, lr=1.5e-3, warmup=100)
card = shared.card("seq2seq-general", "it scores a word by a bilinear form (Luong's general attention).")
