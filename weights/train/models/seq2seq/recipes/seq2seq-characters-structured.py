# SPDX-License-Identifier: MIT
"""Translates German text, read character by character, to English words. The recurrent networks attend to segments. Each character has a
bit, which is 1 if the model attends to the character. The bits form a chain, and their marginals are the attention weights [Kim, Denton,
Hoang and Rush 2017].

    python3 weights/train/train.py seq2seq-characters-structured --from weights/seq2seq-general.gguf --teacher weights/seq2seq-general.gguf --turns 1 --minutes 6 --lr 2e-3 --run seq2seq-characters
    python3 weights/train/export.py seq2seq-characters-structured --run seq2seq-characters --type f32 --out build/seq2seq-characters.gguf
    python3 weights/train/train.py seq2seq-characters-structured --from build/seq2seq-characters.gguf

The first command trains the initial weights of all three seq2seq-characters-* recipes. With `--turns 1`, attention has a random structure
(simple, sigmoid or segmentation) in each training batch. With `--teacher`, an encoder that reads words teaches the encoder that reads
characters. This run was stopped after 4 of its 6 minutes.
"""
from models.seq2seq import shared

settings = shared.characters(structure="segmentation")
card = shared.characters_card("seq2seq-characters-structured", "looks at segments: how probable each one is in a chain of bits, looked at or not.")
