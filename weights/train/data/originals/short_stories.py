# SPDX-License-Identifier: MIT
"""Packs short stories as texts separated by form feeds: TinyStories, of which six repositories each contain a part, and storybooks for
two-year-olds."""
import lzma
import os

from data import short_stories
from data.originals import Original, reading, write_xz

DATASET = "short_stories"
ABOUT = "20,252 TinyStories (Eldan and Li 2023) and 679 storybooks for children (African Storybook, Pratham Books), 18 MB"
LICENCE = "TinyStories: CDLA-Sharing-1.0; the storybooks: CC BY (one of them public domain), by the authors that their files name"
HOW = """These texts have no single address. TinyStories: what JasonYao3/Transform-LM@96a3b1a (tinystories_train.bin, tinystories_val.bin), czhou578/train-gpt2@b213c75
(data/tinystories/val.bin, test.bin; both in tokens of GPT-2), maxme1/tiny-stories@037e886 (frontend/src/assets/tiny-stories.json), gusjengis/toy-RNN@e4c7ff8,
mines-opt-ml/decoding-gpt@79274e3 (data/tinystories_10k.txt) and Aditya584cloud/small-scale-gpt2-type-from-scratch@74604cd (data/tinystories_val.bin) on GitHub have of them, those
alone that share their first 160 letters with no other. Storybooks: those under CC BY of global-asp/asp-source@99e0223 and global-asp/pb-source@9ea530d. Give a folder with
tinystories_train.txt.xz, tinystories_dev.txt.xz, tinystories_test.txt.xz and storybooks.txt.xz, in each the texts with a form feed between two: --from FOLDER"""
FILES = tuple(Original(name) for name in (*short_stories.TINY.values(), short_stories.BOOKS))
WRITTEN = {
    "tinystories_train.txt.xz": "8df03ff84ea3769bce100b8157d575a5e63ec10fe11c6ec1ac14413cbc7c85c0",
    "tinystories_dev.txt.xz": "de9267b2d161a12f688a8301cd142e6bb78ab6226e91ac15c5ef8203661e53f7",
    "tinystories_test.txt.xz": "21fb4b02d0d6dd422eb9d74a32cf69bdc17cc63dcf649828a8846c9f0bcb18f1",
    "storybooks.txt.xz": "af792d9bff4edb6e576c1d9003221854580239e08cc8601da7f539daf3a621f5",
}


def write(found, directory):
    missing = [f.name for f in FILES if f.name not in found]
    if missing:
        raise ValueError("%s is missing" % " and ".join(missing))
    for name, path in found.items():
        with reading(path), lzma.open(path) as f:
            texts = f.read().decode("utf-8")
            if len(texts.split("\f")) < 2:
                raise ValueError("it has no form feed between two texts")
        write_xz(os.path.join(directory, name), texts.encode())
