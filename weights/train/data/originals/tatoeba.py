# SPDX-License-Identifier: MIT
"""Tatoeba: the pairs of German and English that manythings.org made of it, as a repository of 2022 has them; the first ones, which are the shortest."""
import os

from data.originals import Original, reading, write_xz

DATASET = "tatoeba"
ABOUT = "Tatoeba: 50,001 short sentences of daily life in German and English, each translated by a person"
LICENCE = "CC BY 2.0 FR, by the contributors of tatoeba.org"
FILES = (Original("deu.txt", "https://raw.githubusercontent.com/DarrenCarvalho/Language-Translation/a30fc3ec31687d0ed561047a9c7d7fdb5915f89c/data/deu.txt", 2200000),)
COUNT = 50001
WRITTEN = {"deu-eng-50k.tsv.xz": "3b39e84eba28ca142aeb7b4682c59f1a2fc4f0f625d80552abba2b923b82334a"}


def write(found, directory):
    """An English sentence, a tab and its translation a line, behind one line that names the columns -> the translation first."""
    path = found["deu.txt"]
    with reading(path), open(path, encoding="utf-8") as f:
        pairs = [line.rstrip("\r\n").split("\t")[:2] for line in f][1:1 + COUNT]
        odd = next((i for i, pair in enumerate(pairs) if len(pair) != 2), None)
        if odd is not None or not pairs:
            raise ValueError("line %d is not a sentence, a tab and its translation" % (2 + (odd or 0)))
    write_xz(os.path.join(directory, "deu-eng-50k.tsv.xz"), "".join("%s\t%s\n" % (german, english) for english, german in pairs).encode())
