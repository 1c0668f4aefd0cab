# SPDX-License-Identifier: MIT
"""Reads chorales of J. S. Bach in four voices, in steps of a sixteenth note: 229 chorales for training, 76 for validation and 77 held out.
The split is from Boulanger-Lewandowski, Bengio and Vincent (2012), and the file format from Huang et al. (2017).

jsb-chorales-16th.json.xz maps the name of a split to its chorales. A chorale is a list of sixteenths; a sixteenth is a list of MIDI
pitches, soprano first. A resting voice is omitted, so a list with fewer than four pitches does not show which voices rest. The pitches of
such a list are assigned to the voices whose pitches in the nearest full sixteenth are closest (`placed`). In the data, repeated notes
without a gap look like one long note.
"""
import itertools
import json
import lzma
import os

import numpy as np

import data

FILE = "jsb-chorales-16th.json.xz"
MARK = FILE
CLASSES = []
OWN = "music"
DEFAULT_DIR = os.path.join(data.ROOT, "data", "chorales")
NAMES = ("soprano", "alto", "tenor", "bass")
VOICES = len(NAMES)
SPLITS = {"train": "train", "validation": "valid", "test": "test"}


def placed(pitches, near):
    """Assigns at most VOICES pitches, highest first, to voices. Returns the pitch of each voice, 0 for a rest.  near (VOICES): pitches of
    the voices around that time."""
    ways = itertools.combinations(range(VOICES), len(pitches))
    best = min(ways, key=lambda way: sum(abs(near[v] - p) for v, p in zip(way, pitches)))
    row = [0] * VOICES
    for v, p in zip(best, pitches):
        row[v] = int(p)
    return row


def grid(chorale):
    """Converts a list of pitches per sixteenth to pitches (sixteenths, VOICES) int64"""
    full = [row for row in chorale if len(row) == VOICES]
    near, rows = full[0], []
    for row in chorale:
        if len(row) == VOICES:
            near = row
        rows.append(placed(row, near))
    return np.array(rows, np.int64)


def notes(chorale):
    """Converts (sixteenths, VOICES) to [{start, length, pitch, voice}] in sixteenths, ordered by start, then soprano first."""
    found = []
    for v, voice in enumerate(NAMES):
        column = [0, *chorale[:, v].tolist(), 0]
        changes = [t for t in range(1, len(column)) if column[t] != column[t - 1]]
        found += [dict(start=a - 1, length=b - a, pitch=column[a], voice=voice) for a, b in zip(changes, changes[1:]) if column[a]]
    return sorted(found, key=lambda note: (note["start"], NAMES.index(note["voice"])))


def read(directory, split, evaluation=False):
    """Returns a list with the pitches (sixteenths, VOICES) of each chorale, 0 where a voice rests.  Only this function opens the file."""
    if split not in ("train", "validation"):
        data.check_evaluation(evaluation, "split %r" % split)
    path = os.path.join(directory, FILE)
    if not os.path.exists(path):
        data.missing("chorales", path)
    with lzma.open(path) as f:
        return [grid(chorale) for chorale in json.load(f)[SPLITS[split]]]


def load(directory, split):
    """Loads the split "train" or "validation"."""
    return read(directory, split)


def load_test_for_evaluation(directory):
    """Returns the 77 chorales of the test split; only evaluation may call this function."""
    return read(directory, "test", evaluation=True)
