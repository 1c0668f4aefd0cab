# SPDX-License-Identifier: MIT
"""Translates German text, read character by character, to English words with recurrent networks. A softmax divides the attention among the
characters.

    python3 weights/train/train.py seq2seq-characters-simple --from build/seq2seq-characters.gguf

seq2seq-characters-structured.py describes how this file is trained.
"""
from models.seq2seq import shared

settings = shared.characters(structure="simple")
card = shared.characters_card("seq2seq-characters-simple", "shares its attention among them by a softmax.")
