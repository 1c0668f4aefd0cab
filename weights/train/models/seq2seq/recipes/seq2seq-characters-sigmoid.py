# SPDX-License-Identifier: MIT
"""Translates German text, read character by character, to English words with recurrent networks. Attention gives each character an
independent bit: attended or not.

    python3 weights/train/train.py seq2seq-characters-sigmoid --from build/seq2seq-characters.gguf

seq2seq-characters-structured.py describes how this file is trained.
"""
from models.seq2seq import shared

settings = shared.characters(structure="sigmoid")
card = shared.characters_card("seq2seq-characters-sigmoid", "gives each a bit of its own, looked at or not.")
