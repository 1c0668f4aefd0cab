# SPDX-License-Identifier: MIT
"""Converts the English Web Treebank from CoNLL-U to lines with a word, its part of speech, its head and the relation to the head."""
import os

from data.originals import Original, reading, write_xz

DATASET = "ud_ewt"
ABOUT = "UD English EWT, release of May 2025: 16,622 sentences, the part of speech of each word given by people (Silveira et al. 2014)"
LICENCE = "CC BY-SA 4.0"
AT = "https://raw.githubusercontent.com/UniversalDependencies/UD_English-EWT/r2.16/"
FILES = tuple(Original("en_ewt-ud-%s.conllu" % part, AT + "en_ewt-ud-%s.conllu" % part, size)
              for part, size in (("train", 13400000), ("dev", 1700000), ("test", 1700000)))
WRITTEN = {
    "train.tsv.xz": "6c9341e4bbb2e34c835ed204d5987131e968ac8b600938aa76537e86aff161fd",
    "dev.tsv.xz": "a9b950bd96ae59dacce2e454ba999c14a7b995ec3abdcd8c027acae303d155b7",
    "test.tsv.xz": "f17f0382093024d3f54d2cd2d9a8d6537e71f060ab03896caf28e9c35cf9fe43",
}


def sentences(text):
    """Yields the rows (form, part of speech, head, relation) of each sentence; ranges (1-2), empty nodes (1.1) and comments are skipped."""
    for block in text.replace("\r", "").strip("\n").split("\n\n"):
        rows = [line.split("\t") for line in block.split("\n") if line and not line.startswith("#")]
        rows = [(row[1], row[3], row[6], row[7]) for row in rows if row[0].isdigit()]
        if rows:
            yield rows


def write(found, directory):
    for name, path in found.items():
        with reading(path), open(path, encoding="utf-8") as f:
            told = "".join("".join("\t".join(row) + "\n" for row in rows) + "\n" for rows in sentences(f.read()))
            if not told:
                raise ValueError("it has no sentence")
        write_xz(os.path.join(directory, name[len("en_ewt-ud-"):-len(".conllu")] + ".tsv.xz"), told.encode())
