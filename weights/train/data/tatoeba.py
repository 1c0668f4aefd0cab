# SPDX-License-Identifier: MIT
"""Reads sentence pairs from Tatoeba: short everyday sentences in German and English, translated by people. The licence is CC BY 2.0 FR; the
authors are the contributors of tatoeba.org.

deu-eng.tsv.xz has 181,623 pairs of at most 15 words, the shortest first. A line is a German sentence, a tab and its translation.  The
SHA-256 of the English sentence decides the split of a pair, because many English sentences have several German translations. A fiftieth of
the English sentences is held out, and another fiftieth is for validation. A further hundredth, chosen by the CRC-32 of the English
sentence, is held out too.

everyday.tsv has twenty sentences that a visitor might type, each with a regular expression that matches the correct translations
(weights/eval/kinds/text/everyday.js tests them).  No split contains any of these sentences.
"""
import hashlib
import lzma
import os
import re
import zlib

import data

MARK = "deu-eng.tsv.xz"
CLASSES = []
OWN = "pairs"
DEFAULT_DIR = os.path.join(data.ROOT, "data", "tatoeba")
PARTS = 50
EVERYDAY = os.path.join(data.ROOT, "weights", "train", "data", "everyday.tsv")


def plain(sentence):
    """Returns the words of a sentence in lower case, without punctuation."""
    return " ".join(re.findall(r"\w+", sentence.lower()))


def asked():
    """Returns the sentences of everyday.tsv, normalised by `plain`."""
    with open(EVERYDAY, encoding="utf-8") as f:
        return {plain(line.split("\t")[0]) for line in f}


def split_of(target):
    part = int.from_bytes(hashlib.sha256(target.encode()).digest()[:8], "big") % PARTS
    return "test" if part == 0 or zlib.crc32(target.encode()) % 100 == 0 else "validation" if part == 1 else "train"


def read(directory, split, evaluation=False):
    """Returns (sources, targets), two lists of sentences.  Only this function opens the file."""
    if split not in ("train", "validation"):
        data.check_evaluation(evaluation, "split %r" % split)
    path = os.path.join(directory, MARK)
    if not os.path.exists(path):
        data.missing("tatoeba", path)
    with lzma.open(path) as f:
        pairs = [tuple(" ".join(side.split()) for side in line.split("\t")) for line in f.read().decode("utf-8").rstrip("\n").split("\n")]
    questions = asked()
    kept = [pair for pair in pairs if split_of(pair[1]) == split and plain(pair[0]) not in questions]
    return [source for source, _ in kept], [target for _, target in kept]


def load(directory, split):
    """Loads the split "train" or "validation"."""
    return read(directory, split)


def load_test_for_evaluation(directory):
    """Returns the held-out pairs; only evaluation may call this function (evaluate.py, held_out.py)."""
    return read(directory, "test", evaluation=True)
