# SPDX-License-Identifier: MIT
"""Writes fairy-tale books from Project Gutenberg, one paragraph per line, and the beginning of TinyStories."""
import os
import re

from data import stories
from data.originals import Original, reading, write_xz

DATASET = "stories"
ABOUT = "21 books of fairy tales of Project Gutenberg, 10.7 MB, and the first 2.1 MB of TinyStories (Eldan and Li 2023)"
LICENCE = "the books: public domain in the USA; TinyStories: CDLA-Sharing-1.0"
BOOKS = {                                # title: number of the book at Project Gutenberg
    "Alice s Adventures in Wonderland": 11, "Andersen s Fairy Tales": 1597, "Celtic Fairy Tales": 7885, "English Fairy Tales": 7439,
    "Grimms Fairy Tales": 2591, "Household Tales by Brothers Grimm": 5314, "Indian Fairy Tales": 7128, "Japanese Fairy Tales": 4018,
    "The Blue Fairy Book": 503, "The Brown Fairy Book": 3282, "The Crimson Fairy Book": 2435, "The Green Fairy Book": 7277,
    "The Grey Fairy Book": 6746, "The Lilac Fairy Book": 3454, "The Olive Fairy Book": 27826, "The Orange Fairy Book": 3027,
    "The Pink Fairy Book": 5615, "The Red Fairy Book": 540, "The Violet Fairy Book": 641, "The Wonderful Wizard of Oz": 55,
    "The Yellow Fairy Book": 640,
}
TINY, BYTES = "TinyStories-train.txt", 2096346
FILES = tuple(Original("pg%d.txt" % number, "https://www.gutenberg.org/cache/epub/%d/pg%d.txt" % (number, number), 500000) for number in BOOKS.values()) + (
    Original(TINY, "https://huggingface.co/datasets/roneneldan/TinyStories/resolve/main/" + TINY, BYTES, first=BYTES),)
# no hash for the books, because Project Gutenberg corrects them from time to time
WRITTEN = {"tinystories_2mb.txt.xz": "ba02237f5747a07d420cb7329f721fdc51b6f5c35a81788b9c4bb871e15ff30a"}
PLAIN = str.maketrans({"\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"', "\u2014": "--", "\u2013": "-", "\u2026": "...", "\ufeff": "", "_": ""})


def paragraphs(book):
    """Converts a book from Gutenberg to the text between its header and footer, one paragraph per line, with ASCII quotes and dashes."""
    book = book.replace("\r", "")
    inside = re.search(r"\*\*\* ?START OF.*?\*\*\*\n(.*?)\n\*\*\* ?END OF", book, re.S)
    told = (inside.group(1) if inside else book).translate(PLAIN)
    return "\n".join(" ".join(part.split()) for part in re.split(r"\n\s*\n", told) if part.strip())


def write(found, directory):
    books = ""
    for title, number in BOOKS.items():
        path = found["pg%d.txt" % number]
        with reading(path), open(path, encoding="utf-8", errors="replace") as f:
            book = paragraphs(f.read())
            if "\0" in book or book.startswith("<") or not book:
                raise ValueError("it is no plain text" if book else "it is empty")
            books += "\f" + title + "\n" + book + "\n"
    write_xz(os.path.join(directory, stories.FILES[0]), books.encode())
    with open(found[TINY], "rb") as f:
        write_xz(os.path.join(directory, stories.FILES[1]), f.read(BYTES))
