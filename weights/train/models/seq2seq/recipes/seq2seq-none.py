# SPDX-License-Identifier: MIT
"""Translates German to English with recurrent networks without attention (Sutskever et al.): the decoder receives a single vector.

    python3 weights/train/train.py seq2seq-none

As for seq2seq-general, the word embeddings, the encoder and the decoder's GRU are copied from seq2seq-additive. seq2seq-none trains for
more minutes than seq2seq-general, because a single vector must hold the whole sentence. The copied encoder puts little of the sentence into
this vector.
"""
from models.seq2seq import shared

start = "seq2seq-additive.gguf"
settings = shared.settings(score="none", minutes=6.5, lr=1.5e-3, warmup=100)
card = shared.card("seq2seq-none", "without attention: one vector is all that the decoder is told of the sentence (Sutskever et al.).")
