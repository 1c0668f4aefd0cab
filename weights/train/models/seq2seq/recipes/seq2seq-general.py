# SPDX-License-Identifier: MIT
"""German to English by recurrent networks with an attention of Luong et al.: the score s . W h, where s is the decoder's state after each
step.

    python3 weights/train/train.py seq2seq-general

The model starts with the words, the encoder and the recurrence of seq2seq-additive, so that the scores can be compared after a few minutes.
"""
from models.seq2seq import shared

start = "seq2seq-additive.gguf"
settings = shared.settings(score="general", minutes=2.0, lr=1.5e-3, warmup=100)
card = shared.card("seq2seq-general", "it scores a word by a bilinear form (Luong's general attention).")
