# SPDX-License-Identifier: MIT
"""Tatoeba: short sentences of daily life in German and English, each translated by a person; CC BY 2.0 FR, by the contributors of tatoeba.org.

deu-eng-50k.tsv.xz: 50,001 pairs, the shortest English sentences first; a German sentence, a tab and its translation a line.  Many English sentences have
several German ones, so the split is by the SHA-256 of the English one: a fiftieth held out, a fiftieth for validation.

ASKED are ten questions to a translator who knows daily life.  No split has them or their like: a pair that has all the words of one of them, in either
language, is left out.
"""
import hashlib
import lzma
import os
import re

import data

MARK = "deu-eng-50k.tsv.xz"
CLASSES = []
OWN = "pairs"
DEFAULT_DIR = os.path.join(data.ROOT, "data", "tatoeba")
PARTS = 50
ASKED = (
    ("Wo ist der Bahnhof?", "Where is the train station?"),
    ("Ich habe Hunger.", "I am hungry."),
    ("Wie heißt du?", "What is your name?"),
    ("Das ist mein Bruder.", "This is my brother."),
    ("Es regnet heute.", "It is raining today."),
    ("Ich verstehe dich nicht.", "I do not understand you."),
    ("Wir gehen nach Hause.", "We are going home."),
    ("Kannst du mir helfen?", "Can you help me?"),
    ("Er ist krank.", "He is sick."),
    ("Guten Morgen!", "Good morning!"),
)
SHORT = {"i'm": "i am", "what's": "what is", "where's": "where is", "that's": "that is", "it's": "it is", "don't": "do not", "we're": "we are", "he's": "he is"}


def words(sentence):
    """The set of a sentence's words, in small letters, "I'm" as two."""
    whole = " ".join(SHORT.get(word, word) for word in sentence.lower().replace("’", "'").split(" "))
    return set(re.findall(r"\w+", whole))


def like(pair):
    """Whether a pair has all the words of one of ASKED, in either language."""
    return any(words(asked) <= has for has, asks in zip(map(words, pair), zip(*ASKED)) for asked in asks)


def split_of(target):
    part = int.from_bytes(hashlib.sha256(target.encode()).digest()[:8], "big") % PARTS
    return {0: "test", 1: "validation"}.get(part, "train")


def read(directory, split, evaluation=False):
    """-> (sources, targets), two lists of sentences.  The only place that opens the file."""
    if split not in ("train", "validation"):
        data.check_evaluation(evaluation, "split %r" % split)
    path = os.path.join(directory, MARK)
    if not os.path.exists(path):
        data.missing("tatoeba", path)
    with lzma.open(path) as f:
        pairs = [tuple(" ".join(side.split()) for side in line.split("\t")) for line in f.read().decode("utf-8").rstrip("\n").split("\n")]
    kept = [pair for pair in pairs if split_of(pair[1]) == split and not like(pair)]
    return [source for source, _ in kept], [target for _, target in kept]


def load(directory, split):
    """split "train" or "validation"."""
    return read(directory, split)


def load_test_for_evaluation(directory):
    """The evaluation entry point (evaluate.py, held_out.py)."""
    return read(directory, "test", evaluation=True)
