# SPDX-License-Identifier: MIT
"""Draws pictures with one model, and compares the scores of these pictures under two models: python3 pixels.py FILE.gguf OTHER.gguf"""
import sys

import numpy as np

import nextpixel

one, other = nextpixel.open(sys.argv[1]), nextpixel.open(sys.argv[2])
ids = one.generate(one.part.length, seed=1, samples=4)                       # shape (784, 4, 1): four pictures of 28 x 28
pictures = ids[:, :, 0].T                                                    # shape (4, 784)
bits = np.array([[model.score(picture).sum() / np.log(2) for picture in pictures] for model in (one, other)])
difference = bits[1] - bits[0]                                               # for each picture
print('bits a picture:', *bits.mean(axis=1).round(2))
print(f'difference: {difference.mean():.2f}, standard error {difference.std(ddof=1) / len(difference) ** 0.5:.2f}')
