# SPDX-License-Identifier: MIT
"""Combines German-English sentence pairs from Tatoeba that three repositories contain. Two repositories have the selections that
manythings.org made in April and May 2018; the third repository has pairs from 2022."""
import io
import os
import unicodedata
import zipfile

from data.originals import Original, reading, write_xz

DATASET = "tatoeba"
ABOUT = "Tatoeba: 181,623 sentences of daily life of at most 15 words in German and English, each translated by a person"
LICENCE = "CC BY 2.0 FR, by the contributors of tatoeba.org (attribution: www.manythings.org/anki and tatoeba.org)"
RAW = "https://raw.githubusercontent.com/"
FILES = (
    Original("deu-eng-may.zip", RAW + "rioyshky/translation/de48b7027f7318d77010a6e08ed928c10748c23d/deu-eng.zip", 6200000),
    Original("deu-eng-april.zip", RAW + "jhamburg/dats6450_nlp/83156f25185f60cf9da6ff347e4b2c09a4cfab86/deu-eng.zip", 6200000),
    Original("deu.txt", RAW + "DarrenCarvalho/Language-Translation/a30fc3ec31687d0ed561047a9c7d7fdb5915f89c/data/deu.txt", 2200000),
)
INSIDE = "deu.txt"                       # name of the file with the sentences in each archive
FIRST = 50001                            # number of pairs taken from the third original
WORDS = 15
WRITTEN = {"deu-eng.tsv.xz": "204aca2e0594855e46adc92234268f4988cca7f721f5b43da0f80f2a00dcb500"}


def pairs_of(text, first=None):
    """Parses lines that each hold an English sentence, a tab and the translation. Returns pairs with the translation first."""
    lines = [line.rstrip("\r\n").split("\t")[:2] for line in text.splitlines() if line.strip()][:first]
    odd = next((i for i, pair in enumerate(lines) if len(pair) != 2), None)
    if odd is not None or not lines:
        raise ValueError("line %d is not a sentence, a tab and its translation" % (1 + (odd or 0)))
    tidy = lambda side: " ".join(unicodedata.normalize("NFC", side).split())
    return [(tidy(german), tidy(english)) for english, german in lines]


def write(found, directory):
    """Writes all distinct pairs of short sentences, the shortest first."""
    pairs = set()
    for name, path in found.items():
        with reading(path):
            if name.endswith(".zip"):
                with zipfile.ZipFile(path) as archive, io.TextIOWrapper(archive.open(INSIDE), encoding="utf-8") as f:
                    pairs.update(pairs_of(f.read()))
            else:
                with open(path, encoding="utf-8") as f:
                    pairs.update(pairs_of(f.read().split("\n", 1)[1], FIRST))             # skips the header line of deu.txt
    kept = [pair for pair in pairs if all(side and len(side.split()) <= WORDS for side in pair)]
    kept.sort(key=lambda pair: (len(pair[1].split()), pair[1].lower(), pair[0]))
    write_xz(os.path.join(directory, "deu-eng.tsv.xz"), "".join("%s\t%s\n" % pair for pair in kept).encode())
