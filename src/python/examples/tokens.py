# SPDX-License-Identifier: MIT
"""Logits and attention of a given text, as arrays: python3 tokens.py FILE.gguf"""
import sys

import numpy as np

import nextpixel

model = nextpixel.open(sys.argv[1])
tokens = model.metadata['tokenizer.ggml.tokens']
ids = [model.metadata.get('tokenizer.ggml.bos_token_id', 0)] + [tokens.index(word) for word in ('Once', 'Ġupon', 'Ġa', 'Ġtime')]
logits = model.logits(ids + [0])[1:]                                         # (5, vocabulary): after each token, those of the next one
for token, row in zip(ids, logits):
    best = np.argsort(-row)[:3]
    print(tokens[token], '->', ', '.join(f'{tokens[i]} {np.exp(row[i] - np.logaddexp.reduce(row)):.3f}' for i in best))
attention = model.attention(ids)[0]
print(attention.name, attention.weights.shape)                               # (layers * heads, positions, keys)
