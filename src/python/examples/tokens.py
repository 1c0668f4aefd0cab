# SPDX-License-Identifier: MIT
"""Computes the logits, attention and hidden states of a text as arrays: python3 tokens.py FILE.gguf"""
import sys

import numpy as np

import nextpixel

model = nextpixel.open(sys.argv[1])
tokens = model.metadata['tokenizer.ggml.tokens']
ids = [model.metadata.get('tokenizer.ggml.bos_token_id', 0)] + [tokens.index(word) for word in ('Once', 'Ġupon', 'Ġa', 'Ġtime')]
logits = model.logits(ids + [0])[1:]                                         # shape (5, vocabulary): for each token, the logits of the next token
for token, row in zip(ids, logits):
    best = np.argsort(-row)[:3]
    print(tokens[token], '->', ', '.join(f'{tokens[i]} {np.exp(row[i] - np.logaddexp.reduce(row)):.3f}' for i in best))
attention = model.attention(ids)[0]
print(attention.name, attention.weights.shape)                               # shape (layers * heads, positions, keys)
states = model.hidden_states(ids + [0])[:, 1:]                               # shape (blocks + 1, 5, width): the hidden state of each token, layer by layer
print('hidden states', states.shape, np.linalg.norm(states, axis=2).mean(axis=1).round(2))
