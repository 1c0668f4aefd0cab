# SPDX-License-Identifier: MIT
"""German characters to English words by recurrent networks: a softmax shares its attention among the characters.

    python3 weights/train/train.py seq2seq-characters-simple --from build/seq2seq-characters.gguf

The file that it begins with is that of seq2seq-characters-structured, whose recipe says how it is made.
"""
from models.seq2seq import shared

settings = shared.characters(structure="simple")
card = shared.card("seq2seq-characters-simple", "a softmax shares its attention among the characters.")
