# SPDX-License-Identifier: MIT
"""Reads your own texts from all .txt, .md and .jsonl files of a folder and its subfolders, in UTF-8, UTF-16, CP949 or Windows-1252.

A line of a .jsonl file is a JSON string, or an object that has the text in "text", "content", "story" or "completion". Long texts are cut
at line ends into pieces of about PIECE characters. The SHA-256 of a piece decides which split the piece belongs to. A tenth of the pieces
is held out, and another tenth is for validation.
"""
import hashlib
import json

import data
from data.files import Found, Unreadable, count, read_text

PIECE = 4000                             # approximate length in characters
LEAST = 10                               # minimum number of pieces
FIELDS = ("text", "content", "story", "completion")


def pieces(text):
    """Cuts a text into pieces that consist of whole lines and have PIECE characters or a little more; very long lines are cut at a
    blank."""
    found, size = [[]], 0
    for line in text.splitlines(keepends=True):
        for part in shortened(line):
            if size >= PIECE:
                found.append([])
                size = 0
            found[-1].append(part)
            size += len(part)
    return ["".join(lines).strip() for lines in found if "".join(lines).strip()]


def shortened(line):
    """Splits a line into parts of at most about PIECE characters."""
    while len(line) > 2 * PIECE:
        at = line.find(" ", PIECE, 2 * PIECE)
        at = at + 1 if at >= 0 else PIECE
        yield line[:at]
        line = line[at:]
    yield line


def split_of(piece):
    at = int(hashlib.sha256(piece.encode("utf-8", "replace")).hexdigest()[:8], 16) / 2 ** 32
    return "test" if at < 0.1 else "validation" if at < 0.2 else "train"


def records(path, found):
    """Yields the text in each line of a .jsonl file."""
    bad = 0
    for line in read_text(path, found).split("\n"):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except ValueError:
            value = None
        if isinstance(value, dict):
            value = next((value[name] for name in FIELDS if isinstance(value.get(name), str)), None)
        if isinstance(value, str) and value.strip():
            yield value.encode("utf-8", "replace").decode("utf-8")
        else:
            bad += 1
    if bad:
        found.skip(path, "%s without a text (a string, or an object with %s)" % (count(bad, "line"), " or ".join('"%s"' % name for name in FIELDS)))


def read(directory, split, evaluation=False):
    """Returns (long texts, short texts), like stories.py; here all texts are short. Only this function opens your own texts."""
    if split not in ("train", "validation"):
        data.check_evaluation(evaluation, "split %r" % split)
    found, all_of = Found(directory, "texts"), []
    paths = found.paths()
    for path in paths:
        try:
            texts = records(path, found) if path.lower().endswith((".jsonl", ".ndjson")) else [read_text(path, found)]
            for text in texts:
                all_of += pieces(text)
        except Unreadable as error:
            found.skip(path, error)
    said = "%s in %s" % (count(len(all_of), "piece of text", "pieces of text"), count(len(paths), "file"))
    if len(all_of) < LEAST:
        found.short(said, "at least %d pieces of %d characters are needed" % (LEAST, PIECE))
    found.say(said)
    kept = [piece for piece in all_of if split_of(piece) == split]
    return [], kept or all_of[:1] if split == "validation" else kept
