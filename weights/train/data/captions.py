# SPDX-License-Identifier: MIT
"""Reads your own pictures with captions: a folder of pictures, each with a sentence.

The sentence is in a text file with the name of the picture (dog.txt for dog.png), or in a table in the folder: captions.tsv, captions.csv
or metadata.jsonl with "file_name" and "text". The first two columns of a table are the file and the sentence, unless the first line of the
table names the columns. If a picture has several sentences, the last one is used. Sentences are normalised as in the library (typed.py);
words are in lower case, without punctuation. The SHA-256 of a picture decides which split the picture belongs to. A tenth of the pictures
is held out, and another tenth is for validation.
"""
import functools
import json
import os
import re

import numpy as np

import data
from data import folder, typed
from data.files import Found, Unreadable, count, hidden, read_text, table
from data.scenes import SIDE, Scene

LEAST = 20
TABLES = re.compile(r"(captions|metadata|labels)\.(tsv|csv|jsonl)$", re.I)


# Accepted names of the two columns in the first line of a table: the file, and the sentence.
FILES, SENTENCES = ("file_name", "filename", "file", "image", "picture", "path"), ("text", "caption", "sentence", "description")


def words_of(sentence):
    return re.findall(r"[^\W_]+(?:['’-][^\W_]+)*", typed.sentence(sentence).lower())


def key(path):
    """Returns the key by which a picture is looked up: its path in lower case and Unicode composed form, with forward slashes."""
    return typed.name(os.path.normpath(path.replace("\\", "/"))).lower()


def lines_of(text, ending):
    """Yields (file, sentence) for each line of a table, or None for a line without a file or a sentence."""
    if ending == ".jsonl":
        for line in text.split("\n"):
            try:
                value = json.loads(line) if line.strip() else None
            except ValueError:
                value = ""
            if value is not None:
                found = [next((value[name] for name in names if isinstance(value.get(name), str)), None) for names in (FILES, SENTENCES)] if isinstance(value, dict) else [None]
                yield tuple(found) if all(found) else None
        return
    columns = None
    for _, row in table(text, ending):
        if columns is None:
            names = [side.strip().lower() for side in row]
            named = [next((names.index(name) for name in of if name in names), None) for of in (FILES, SENTENCES)]
            columns = (0, 1) if None in named else named
            if None not in named:
                continue
        yield tuple(row[column].strip() for column in columns) if len(row) > max(columns) else None


def tables(directory, found):
    """Reads {key of a picture: sentence} from the tables in the folder."""
    sentences, pictures = {}, {key(path) for path in Found(directory, "pictures").paths()}
    for at, folders, names in os.walk(directory):
        folders[:] = [name for name in folders if not hidden(name)]
        for name in sorted(names):
            path = os.path.join(at, name)
            if not TABLES.match(name):
                continue
            found.used(path)
            try:
                rows = list(lines_of(read_text(path, found), os.path.splitext(name)[1].lower()))
            except Unreadable as error:
                found.skip(path, error)
                continue
            keys = [key(os.path.join(at, row[0])) for row in rows if row]
            known = [name for name in keys if name in pictures]
            for number, reason in ((rows.count(None), "without a file and a sentence"), (len(keys) - len(known), "for pictures that the folder does not have"),
                                   (len(known) - len(set(known)), "replaced by a later line for the same picture")):
                if number:
                    found.skip(path, "%s %s" % (count(number, "line"), reason))
            sentences.update(zip(keys, (row[1] for row in rows if row)))
    return sentences


@functools.lru_cache(maxsize=1)
def scanned(directory):
    found, read_in = Found(directory, "pictures"), []
    paths = folder.files(directory, found).values()
    sentences = tables(directory, found)
    texts = {key(os.path.join(at, name)): os.path.join(at, name) for at, _, names in os.walk(directory) for name in names if name.lower().endswith(".txt")}
    for path in paths:
        try:
            sentence = sentences.get(key(path))
            beside = texts.get(os.path.splitext(key(path))[0] + ".txt")
            if beside:
                found.used(beside)
            if sentence is None and beside:
                sentence = read_text(beside, found)
            words = words_of(sentence or "")
            if not words:
                raise Unreadable("no caption: a table captions.tsv has none for it, and no .txt file has its name")
            read_in.append((folder.picture(path, SIDE, SIDE, 3), words))
        except Unreadable as error:
            found.skip(path, error)
    return {split: read_in[part] for split, part in folder.split_of(len(read_in)).items()}, found


class Captioned:
    """A list of pictures with captions that has the interface of scenes.Scenes."""

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
    """Returns the pictures and captions of a split as Captioned. Only this function opens your own captions."""
    if split not in ("train", "validation"):
        data.check_evaluation(evaluation, "split %r" % split)
    parts, found = scanned(directory)
    total = sum(map(len, parts.values()))
    if total < LEAST:
        found.short("%s with captions" % count(total, "picture"), "at least %d are needed" % LEAST)
    found.say("%s with captions" % count(total, "picture"))
    return Captioned(parts[split], split)
