# SPDX-License-Identifier: MIT
"""German characters to English words by recurrent networks, attention with structure [Kim, Denton, Hoang and Rush 2017]: marginals of a chain.

    python3 weights/train/train.py seq2seq-characters-structured --from weights/seq2seq-general.gguf --turns 1 --minutes 12 --run seq2seq-characters
    python3 weights/train/export.py seq2seq-characters-structured --run seq2seq-characters --type f32 --out build/seq2seq-characters.gguf
    python3 weights/train/train.py seq2seq-characters-structured --from build/seq2seq-characters.gguf
"""
from models.seq2seq import shared

settings = shared.characters(structure="segmentation")
card = shared.card("seq2seq-characters-structured", "it looks at segments: what a chain of bits, one a character, is expected to be.")
