# SPDX-License-Identifier: MIT
"""Reads your own translations from all .tsv, .csv and .tmx files of a folder and its subfolders.

A line of a .tsv or .csv file holds a sentence and its translation. Further columns, such as Tatoeba's attribution, are ignored. If the
first line names two languages, this line holds no pair; it says which column is the source. In a .tmx file (Translation Memory eXchange),
each unit gives a pair of sentences in the recipe's languages. If the unit lacks these languages, the pair has the unit's first two
languages. Sentences are normalised as the library normalises the input of a translation model (typed.py). The SHA-256 of a sentence decides
which split the sentence's pair belongs to. A tenth of the sentences is held out, and another tenth is for validation.
"""
import os
import xml.etree.ElementTree as xml

import data
from data import typed
from data.files import Found, Unreadable, count, read_text, table
from data.texts import split_of

LEAST = 100
SOURCE, TARGET = ("source", "src", "de", "deu", "ger", "german", "deutsch"), ("target", "tgt", "translation", "en", "eng", "english", "englisch")


def swapped(row):
    """Returns None if a line does not name languages, otherwise whether its second column is the source."""
    a, b = (side.strip().strip('"').lower() for side in row[:2])
    if a in SOURCE and b in TARGET:
        return False
    if a in TARGET and b in SOURCE:
        return True
    codes = all(2 <= len(side) <= 3 and side.isascii() and side.isalpha() for side in (a, b))
    return False if codes and a != b and ("en" in (a, b) or "eng" in (a, b)) else None


def rows(path, found):
    """Yields the first two columns of each line that has at least two columns."""
    text, bad, turned, first, ending = read_text(path, found), [], False, True, os.path.splitext(path)[1].lower()
    for number, row in table(text, ending):
        row = [typed.sentence(side) for side in row]
        if len(row) < 2 or not row[0] or not row[1]:
            bad.append(number)
            continue
        names = swapped(row) if first else None
        first = False
        if names is not None:
            turned = names
            continue
        yield (row[1], row[0]) if turned else (row[0], row[1])
    if bad:
        found.skip("%s, line%s %s" % (path, "" if len(bad) == 1 else "s", ", ".join(map(str, bad[:5])) + (" and %d more" % (len(bad) - 5) if len(bad) > 5 else "")),
                   "no sentence and translation, separated by a %s" % ("tab" if ending == ".tsv" else "comma, semicolon or tab"))


def units(path, languages):
    """Reads the pairs of a .tmx file."""
    try:
        tree = xml.parse(path)
    except (xml.ParseError, OSError, ValueError) as error:
        raise Unreadable("no TMX that can be read (%s)" % error)
    for unit in tree.iter("tu"):
        sides = []
        for variant in unit.iter("tuv"):
            code = variant.get("{http://www.w3.org/XML/1998/namespace}lang") or variant.get("lang") or ""
            segment = variant.find("seg")
            if segment is not None and typed.sentence("".join(segment.itertext())):
                sides.append((code.lower(), typed.sentence("".join(segment.itertext()))))
        wanted = [next((text for code, text in sides if code.split("-")[0].split("_")[0] == language), None) for language in languages]
        if all(wanted) and len(wanted) == 2:
            yield tuple(wanted)
        elif len(sides) >= 2:
            yield sides[0][1], sides[1][1]


def read(directory, split, evaluation=False, languages=("de", "en")):
    """Returns (sources, targets), like multi30k.py. Only this function opens your own translations."""
    if split not in ("train", "validation"):
        data.check_evaluation(evaluation, "split %r" % split)
    found, pairs = Found(directory, "pairs"), []
    paths = found.paths()
    for path in paths:
        try:
            pairs += units(path, languages) if path.lower().endswith(".tmx") else rows(path, found)
        except Unreadable as error:
            found.skip(path, error)
    said = "%s in %s" % (count(len(pairs), "pair of sentences", "pairs of sentences"), count(len(paths), "file"))
    if len(pairs) < LEAST:
        found.short(said, "at least %d are needed" % LEAST)
    found.say(said)
    kept = [pair for pair in pairs if split_of(pair[0]) == split]
    return [source for source, _ in kept], [target for _, target in kept]
