#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes web/pages/jukebox/recordings.js: some held-out recordings of the Free Spoken Digit Dataset, in the form that the models read.

    cd weights/train && python3 -m models.jukebox.recordings [--data FOLDER]
"""
import argparse
import base64
import os

import numpy as np

from common.recipes import HERE
from data.fsdd import DEFAULT_DIR, SPEAKERS, load_test_for_evaluation

WANTED = ((7, "jackson"), (3, "theo"), (0, "nicolas"), (9, "george"))         # (digit, speaker) whose first held-out take is written
OUT = os.path.normpath(os.path.join(HERE, "../../web/pages/jukebox/recordings.js"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default=DEFAULT_DIR)
    clips, digits, speakers = load_test_for_evaluation(parser.parse_args().data)
    rows = []
    for digit, speaker in WANTED:
        at = int(np.flatnonzero((digits == digit) & (speakers == SPEAKERS.index(speaker)))[0])
        rows.append("  { said: '%d', speaker: '%s', levels: '%s' },\n" % (digit, speaker, base64.b64encode(clips[at].tobytes()).decode()))
    with open(OUT, "w", encoding="utf-8") as f:
        f.write("""// SPDX-License-Identifier: CC-BY-SA-4.0
// Held-out recordings of the Free Spoken Digit Dataset, Zohar Jackson and others, CC BY-SA 4.0, without the silence around them: mu-law levels in base64
// (weights/train/models/jukebox/recordings.py).
// @ts-check

/** @type {{ said: string, speaker: string, levels: string }[]} */
export const RECORDINGS = [
%s];
""" % "".join(rows))


if __name__ == "__main__":
    main()
