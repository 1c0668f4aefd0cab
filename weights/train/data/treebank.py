# SPDX-License-Identifier: MIT
"""Reads your own tagged sentences from all .conllu files of a folder and its subfolders [Buchholz and Marsi 2006;
universaldependencies.org/format].

The columns of a line that are read:

    2    the word
    4    the universal part of speech of the word
    7    the index of the word's head (0: the root, -1: none given)
    8    the relation of the word to its head

Ranges (1-2), empty nodes (1.1), comments (#), a byte order mark and blank lines are skipped. Words are normalised as the library normalises
them before it tags them (typed.py). If a file name contains -train, -dev or -test, the file belongs to that part. The sentences of other
files are split by the SHA-256 of their words: a tenth of these sentences is held out, and another tenth is for validation.
"""
import os
import re

import data
from data import typed
from data.files import Found, Unreadable, count, read_text
from data.texts import split_of

PARTS = {"-train": "train", "-dev": "validation", "-test": "test"}
LEAST = 100
MOST_WORDS = 128                         # maximum number of words in a sentence that a model of trees reads


def sentences(path, found=None):
    """Yields (words, tags, heads, relations) of each sentence. Lines that are not CoNLL-U are skipped and listed in the report `found`."""
    for block in re.split(r"\n(?:[ \t]*\n)+", read_text(path, found).strip()):
        rows = [line.split("\t") for line in block.split("\n") if line.strip() and not line.startswith("#")]
        if not rows:
            continue
        bad = next((row for row in rows if len(row) != 10), None)
        rows = [row for row in rows if row[0].isdigit()]
        wrong = None
        if bad is not None:
            wrong = "a line without the ten columns of CoNLL-U, separated by tabs: %r" % "\t".join(bad)[:60]
        elif any(not row[1].strip() for row in rows):
            wrong = "an empty word"
        elif any(row[6].isdigit() and int(row[6]) > len(rows) for row in rows):
            wrong = "a head that is no word of its sentence"
        if wrong:
            if found is None:
                raise Unreadable(wrong)
            found.skip(path, wrong)
        elif rows:
            yield ([typed.plain(row[1]).strip() or row[1] for row in rows], [row[3] for row in rows], [int(row[6]) if row[6].isdigit() else -1 for row in rows],
                   [row[7] for row in rows])


def read(directory, split, evaluation=False):
    """Returns four lists, like ud_ewt.py. Only this function opens your own treebank."""
    if split not in ("train", "validation"):
        data.check_evaluation(evaluation, "split %r" % split)
    found, kept, total, long = Found(directory, "treebanks"), [], 0, 0
    paths = found.paths()
    for path in paths:
        part = next((part for mark, part in PARTS.items() if mark in os.path.basename(path)), None)
        try:
            for sentence in sentences(path, found):
                if len(sentence[0]) > MOST_WORDS:
                    long += 1
                    continue
                total += 1
                if (part or split_of(" ".join(sentence[0]))) == split:
                    kept.append(sentence)
        except Unreadable as error:
            found.skip(path, error)
    if long:
        found.notes.append("%s of more than %d words left out" % (count(long, "sentence"), MOST_WORDS))
    said = "%s in %s" % (count(total, "sentence"), count(len(paths), "file"))
    if total < LEAST:
        found.short(said, "at least %d are needed" % LEAST)
    if not kept:
        found.short(said, "none of them is of the %s part: files called -train, -dev and -test are these parts" % split)
    found.say(said)
    return tuple([sentence[k] for sentence in kept] for k in range(4))
