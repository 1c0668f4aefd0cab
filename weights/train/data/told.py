# SPDX-License-Identifier: MIT
"""Your own pictures with captions: a folder of pictures, each with a sentence.

The sentence is in a text file of the same name as the picture (dog.png, dog.txt), or in a table in the folder: captions.tsv, captions.csv,
or metadata.jsonl with "file_name" and "text". Words are in lower case, without punctuation. A tenth is held out, a tenth is for validation,
by the SHA-256 of the picture.
"""
import csv
import functools
import json
import os
import re

import numpy as np

import data
from data import folder
from data.files import Found, Unreadable, count, read_text
from data.scenes import SIDE, Scene

LEAST = 20
TABLES = re.compile(r"(captions|metadata|labels)\.(tsv|csv|jsonl)$", re.I)


def words_of(sentence):
    return re.findall(r"[^\W_]+(?:['’-][^\W_]+)*", sentence.lower())


def tables(directory, found):
    """Reads {path of a picture: sentence} from the tables in the folder."""
    sentences = {}
    for at, folders, names in os.walk(directory):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in sorted(names):
            if not TABLES.match(name):
                continue
            try:
                text = read_text(os.path.join(at, name), found)
            except Unreadable as error:
                found.skip(os.path.join(at, name), error)
                continue
            if name.lower().endswith(".jsonl"):
                rows = []
                for line in text.split("\n"):
                    try:
                        value = json.loads(line)
                        rows.append((value["file_name"], value["text"]))
                    except (ValueError, KeyError, TypeError):
                        pass
            else:
                rows = [row[:2] for row in csv.reader(text.split("\n"), delimiter="\t" if name.lower().endswith(".tsv") else ",") if len(row) >= 2]
            sentences.update({os.path.normpath(os.path.join(at, str(file))): str(sentence) for file, sentence in rows})
    return sentences


@functools.lru_cache(maxsize=1)
def scanned(directory):
    found, read_in = Found(directory, "pictures"), []
    sentences = tables(directory, found)
    for path in folder.files(directory, found).values():
        try:
            sentence = sentences.get(os.path.normpath(path))
            beside = os.path.splitext(path)[0] + ".txt"
            if sentence is None and os.path.exists(beside):
                sentence = read_text(beside, found)
            words = words_of(sentence or "")
            if not words:
                raise Unreadable("no caption: a table captions.tsv has none for it, and no .txt file has its name")
            read_in.append((folder.picture(path, SIDE, SIDE, 3), words))
        except Unreadable as error:
            found.skip(path, error)
    return {split: read_in[part] for split, part in folder.split_of(len(read_in)).items()}, found


class Told:
    """Scenes by index, like scenes.Scenes."""

    def __init__(self, examples, split):
        self.examples, self.split = [Scene(picture, words, [[] for _ in words]) for picture, words in examples], split

    def __len__(self):
        return len(self.examples)

    def scene(self, seed):
        return self.examples[int(str(seed).split()[-1]) % len(self.examples)]


def vocabulary(directory):
    """Returns the words of the training captions, the most frequent first."""
    counts = {}
    for _, words in scanned(directory)[0]["train"]:
        for word in words:
            counts[word] = counts.get(word, 0) + 1
    return sorted(counts, key=lambda word: (-counts[word], word))


def read(directory, split, evaluation=False):
    """-> Told. This is the only place that opens your own captions."""
    if split not in ("train", "validation"):
        data.check_evaluation(evaluation, "split %r" % split)
    parts, found = scanned(directory)
    total = sum(map(len, parts.values()))
    if total < LEAST:
        found.short("%s with captions" % count(total, "picture"), "at least %d are needed" % LEAST)
    found.say("%s with captions" % count(total, "picture"))
    return Told(parts[split], split)
