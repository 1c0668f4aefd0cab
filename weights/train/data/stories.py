# SPDX-License-Identifier: MIT
"""Reads stories: 21 books of fairy tales that are out of copyright, and 2,316 short stories from TinyStories.

fairy-tales.txt.xz (10.7 MB) has a form feed before each book; the first line of a book is its title, and each further line is a paragraph.
tinystories_2mb.txt.xz (2.1 MB) has a line <|endoftext|> after each story. Whole books are assigned to the parts, in the order of the
SHA-256 of their titles. The two books by the Grimms are in the same part, because they contain the same stories. The SHA-256 of a story's
text decides which split the story belongs to.
"""
import hashlib
import lzma
import os

import data

FILES = ("fairy-tales.txt.xz", "tinystories_2mb.txt.xz")
MARK = FILES[0]
CLASSES = []
OWN = "texts"
DEFAULT_DIR = os.path.join(data.ROOT, "data", "stories")
HELD_OUT, VALIDATION = 0.08, 0.03        # fractions of the stories, and approximate fractions of the bytes of the books
END = "<|endoftext|>"


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()


def split_of_books(sizes):
    """Maps {title: bytes} to {title: "train" | "validation" | "test"}"""
    group = {title: "Grimm" if "Grimm" in title else title for title in sizes}
    part, seen, total = {}, 0, sum(sizes.values())
    for name in sorted(set(group.values()), key=digest):
        titles = [title for title in sizes if group[title] == name]
        split = "test" if seen < HELD_OUT * total else "validation" if seen < (HELD_OUT + VALIDATION) * total else "train"
        part.update({title: split for title in titles})
        seen += sum(sizes[title] for title in titles)
    return part


def split_of_story(story):
    at = int(digest(story)[:8], 16) / 2 ** 32
    return "test" if at < HELD_OUT else "validation" if at < HELD_OUT + VALIDATION else "train"


def text_of(directory, name):
    path = os.path.join(directory, name)
    if not os.path.exists(path):
        data.missing("stories", path)
    with lzma.open(path) as f:
        return f.read().decode("utf-8")


def read_books(directory, split, evaluation=False):
    """Returns the books as a list of texts"""
    if split not in ("train", "validation"):
        data.check_evaluation(evaluation, "split %r" % split)
    books = dict(book.split("\n", 1) for book in text_of(directory, FILES[0]).split("\f") if book.strip())
    part = split_of_books({title: len(text.encode()) for title, text in books.items()})
    return [books[title].strip() for title in books if part[title] == split]


def read(directory, split, evaluation=False):
    """Returns (books, stories), lists of texts"""
    books = read_books(directory, split, evaluation)
    stories = [story.strip() for story in text_of(directory, FILES[1]).split(END) if story.strip()]
    return books, [story for story in stories if split_of_story(story) == split]


def load(directory, split):
    """Loads the split "train" or "validation"."""
    return read(directory, split)


def load_test_for_evaluation(directory):
    """Returns the held-out books and stories; only evaluation may call this function (evaluate.py, held_out.py)."""
    return read(directory, "test", evaluation=True)
