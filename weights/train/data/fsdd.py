# SPDX-License-Identifier: MIT
"""Reads the Free Spoken Digit Dataset: 3,000 recordings of the digits 0 to 9 by six speakers, fifty takes of each, 8 kHz, CC BY-SA 4.0.

The folder has fsdd_index.csv (digit,speaker,take,samples) and fsdd_8k_mulaw.u8.xz (all recordings concatenated, mu-law of 256 levels), or
the published recordings themselves, recordings/7_jackson_32.wav. The author of the data set defines takes 0 to 4 as the test set. Takes 5
and 6 are for validation, and the other 43 takes of each digit and speaker are for training.

Silence before and after the word is cut off (`word`), and each recording is scaled so that its largest sample is 0.8.
"""
import csv
import glob
import lzma
import os
import re

import numpy as np

import data

INDEX, SAMPLES = "fsdd_index.csv", "fsdd_8k_mulaw.u8.xz"
MARK = INDEX
OWN = "sounds"
CLASSES = [str(i) for i in range(10)]
SPEAKERS = ["george", "jackson", "lucas", "nicolas", "theo", "yweweler"]
DEFAULT_DIR = os.path.join(data.ROOT, "data", "fsdd")
RATE = 8000
PEAK = 0.8                               # peak of every recording after normalisation
FRAME, QUIET, BEFORE, AFTER = 80, 0.03, 2, 3  # frame length in samples; threshold relative to the peak; frames kept before and after a word


def expand(u):
    """Converts mu-law levels 0..255 to samples -1..1."""
    y = np.asarray(u, np.float64) / 255 * 2 - 1
    return np.sign(y) * (256.0 ** np.abs(y) - 1) / 255


def compress(x):
    """Converts samples -1..1 to mu-law levels 0..255."""
    x = np.clip(np.asarray(x, np.float64), -1, 1)
    return np.floor((np.sign(x) * np.log1p(255 * np.abs(x)) / np.log(256) + 1) / 2 * 255 + 0.5).astype(np.uint8)


def word(x):
    """Removes the silence around a word and normalises the volume. A frame (10 ms) is loud if it is above 3 % of the peak. Keeps two frames
    before the first loud frame, and up to two frames after the last loud frame."""
    x = x / np.abs(x).max()
    frames = x[:len(x) // FRAME * FRAME].reshape(-1, FRAME)
    loud = np.flatnonzero(np.sqrt((frames ** 2).mean(1)) > QUIET)
    # If no frame is loud, the recording is a click after the last whole frame.
    return PEAK * x[max(0, loud[0] - BEFORE) * FRAME:(loud[-1] + AFTER) * FRAME] if len(loud) else PEAK * x


def split_of(take):
    return "test" if take < 5 else "validation" if take < 7 else "train"


def packed(directory):
    """Yields (digit, speaker, take, read) for each recording; read() returns its samples"""
    with lzma.open(os.path.join(directory, SAMPLES)) as f:
        samples, at = np.frombuffer(f.read(), np.uint8), 0
    with open(os.path.join(directory, INDEX), encoding="utf-8") as f:
        for row in csv.DictReader(f):
            part = samples[at:at + int(row["samples"])]
            at += len(part)
            yield int(row["digit"]), row["speaker"], int(row["take"]), lambda part=part: expand(part)


def published(directory):
    """Returns whether the folder contains the published recordings (recordings/7_jackson_32.wav and so on), all by speakers of the data
    set."""
    names = [os.path.basename(path) for path in glob.glob(os.path.join(glob.escape(directory), "recordings", "*.wav"))]
    return bool(names) and all(re.fullmatch(r"\d_(%s)_\d+\.wav" % "|".join(SPEAKERS), name) for name in names)


def recorded(directory):
    from data import sounds
    for path in sorted(glob.glob(os.path.join(glob.escape(directory), "recordings", "*.wav"))):
        digit, speaker, take = os.path.basename(path)[:-4].split("_")
        yield int(digit), speaker, int(take), lambda path=path: sounds.resampled(*sounds.heard(path), RATE)


def read(directory, split, evaluation=False):
    """Returns a list with the mu-law levels of each word, an array of digits, and an array of speakers.  Only this function opens the
    recordings."""
    if split not in ("train", "validation"):
        data.check_evaluation(evaluation, "split %r" % split)
    if not os.path.exists(os.path.join(directory, INDEX)) and not published(directory) and os.path.isdir(directory):
        from data import sounds
        return sounds.read(directory, split, evaluation, RATE, classes=CLASSES, speakers=SPEAKERS)
    here = packed if os.path.exists(os.path.join(directory, INDEX)) else recorded
    found = sorted(((digit, speaker, take, read) for digit, speaker, take, read in here(directory) if split_of(take) == split), key=lambda r: r[:3])
    if not found:
        data.missing("fsdd", os.path.join(directory, INDEX))
    return ([compress(word(r[3]())) for r in found], np.array([r[0] for r in found], np.int64),
            np.array([SPEAKERS.index(r[1]) for r in found], np.int64))


def load(directory, split):
    """Loads the split "train" or "validation"."""
    return read(directory, split)


def load_test_for_evaluation(directory):
    """Returns the 300 recordings of takes 0 to 4; only evaluation may call this function."""
    return read(directory, "test", evaluation=True)
