# SPDX-License-Identifier: MIT
"""German to English by recurrent networks, without attention (Sutskever et al.): the decoder receives a single vector.

    python3 weights/train/train.py seq2seq-none

Like the models with a score, it starts with the words, the encoder and the recurrence of seq2seq-additive. The model trains for more
minutes than those with a score, because the single vector must hold information that the additive network hardly put into it."""
from models.seq2seq import shared

start = "seq2seq-additive.gguf"
settings = shared.settings(score="none", minutes=6.5, lr=1.5e-3, warmup=100)
card = shared.card("seq2seq-none", "without attention: one vector is all that the decoder is told of the sentence (Sutskever et al.).")
