# SPDX-License-Identifier: MIT
"""Clusters words that occur between similar neighbours. The steps are:

    1. count the left and right neighbours of each word
    2. compute the matrix of the positive pointwise mutual information of words and neighbours
    3. take the first singular vectors of this matrix
    4. run k-means on the sphere

All random steps are seeded.
"""
import re
from collections import Counter

import numpy as np

BESIDE, DIRECTIONS, ROUNDS = 400, 50, 15
CUT = re.compile(r"[A-Za-z]+(?=n't\b)|n't\b|'(?:s|m|d|re|ve|ll)\b|[A-Za-z]+|[0-9][0-9.,:]*|\S", re.I)


def cut(text):
    """Splits prose into words. The result is close to the words of the treebank, which is good enough for counting neighbours."""
    return [word.lower() for word in CUT.findall(text.replace("`", "'"))]


def clusters_of(texts, most, number, least, seed=1):
    """Clusters the words of texts, which are lists of lower-case words. Returns {word: cluster} for the `most` most frequent words, without
    words that occur fewer than `least` times"""
    counts = Counter(word for text in texts for word in text)
    words = [w for w, n in sorted(counts.items(), key=lambda x: (-x[1], x[0]))[:most] if n >= least]
    place = {w: i for i, w in enumerate(words)}
    beside = {w: i for i, w in enumerate(words[:BESIDE])}
    row, column = [], []
    for text in texts:
        for i, w in enumerate(text):
            if w in place:
                r = place[w]
                if i and text[i - 1] in beside:
                    row.append(r), column.append(beside[text[i - 1]])
                if i + 1 < len(text) and text[i + 1] in beside:
                    row.append(r), column.append(BESIDE + beside[text[i + 1]])
    table = np.zeros((len(words), 2 * BESIDE), np.float32)
    np.add.at(table, (np.array(row), np.array(column)), 1)
    total = table.sum()
    expected = table.sum(1, keepdims=True) * table.sum(0, keepdims=True) / total + 1e-9
    table = np.log(np.maximum(table / expected, 1.0)).astype(np.float32)
    rng = np.random.default_rng(seed)
    q = np.linalg.qr(table @ rng.standard_normal((table.shape[1], DIRECTIONS + 10)).astype(np.float32))[0]
    for _ in range(3):
        q = np.linalg.qr(table @ (table.T @ q))[0]
    u, s, _ = np.linalg.svd(q.T @ table, full_matrices=False)
    x = (q @ u)[:, :DIRECTIONS] * np.sqrt(s[:DIRECTIONS])
    x /= np.linalg.norm(x, axis=1, keepdims=True) + 1e-9
    weight = np.sqrt(np.array([counts[w] for w in words], np.float32))
    number = min(number, len(words))
    centre = x[:number].copy()                                   # k-means begins with the most frequent words
    for _ in range(ROUNDS):
        nearest = (x @ centre.T).argmax(1)
        centre[:] = 0
        np.add.at(centre, nearest, x * weight[:, None])
        centre /= np.linalg.norm(centre, axis=1, keepdims=True) + 1e-9
    nearest = (x @ centre.T).argmax(1)
    return {w: int(c) for w, c in zip(words, nearest)}
