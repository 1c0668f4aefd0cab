# SPDX-License-Identifier: MIT
"""German characters to English words by recurrent networks: each character has a bit of its own, looked at or not.

    python3 weights/train/train.py seq2seq-characters-sigmoid --from build/seq2seq-characters.gguf

The file that it begins with is that of seq2seq-characters-structured, whose recipe says how it is made.
"""
from models.seq2seq import shared

settings = shared.characters(structure="sigmoid")
card = shared.card("seq2seq-characters-sigmoid", "each character has a bit of its own, looked at or not.")
