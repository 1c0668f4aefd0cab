# SPDX-License-Identifier: MIT
"""Converts the recordings of the Free Spoken Digit Dataset to mu-law with 256 levels, and concatenates them."""
import io
import os
import sys
import tarfile
import wave

import numpy as np

from data import fsdd
from data.originals import Original, reading, write_xz

DATASET = "fsdd"
ABOUT = "Free Spoken Digit Dataset: 3,000 recordings of the digits by six speakers, 8 kHz (Jackson 2016)"
LICENCE = "CC BY-SA 4.0"
FILES = (Original("free-spoken-digit-dataset-1.0.10.tar.gz",
                  "https://github.com/Jakobovski/free-spoken-digit-dataset/archive/refs/tags/v1.0.10.tar.gz", 16000000),)
WRITTEN = {fsdd.SAMPLES: "e94ae7b9b000d7ab7b130d5aa09e9072c7f0db9b83a3bf099499c5cdd190d834"}


def samples(wav):
    with wave.open(io.BytesIO(wav)) as f:
        if (f.getframerate(), f.getnchannels(), f.getsampwidth()) != (fsdd.RATE, 1, 2):
            raise ValueError("8 kHz, one channel and 16 bits are expected")
        return np.frombuffer(f.readframes(f.getnframes()), "<i2") / 32768


def write(found, directory):
    recordings = {}
    with reading(found[FILES[0].name]), tarfile.open(found[FILES[0].name]) as tar:
        for member in tar:
            if member.name.endswith(".wav") and os.path.basename(os.path.dirname(member.name)) == "recordings":
                digit, speaker, take = os.path.basename(member.name)[:-len(".wav")].split("_")
                try:
                    recordings[int(digit), speaker, int(take)] = fsdd.compress(samples(tar.extractfile(member).read()))
                except (ValueError, EOFError, wave.Error) as error:
                    sys.exit("%s: %s" % (member.name, error))
    if not recordings:
        sys.exit("%s has no recordings/*.wav" % found[FILES[0].name])
    with open(os.path.join(directory, fsdd.INDEX), "w", encoding="utf-8") as f:
        f.write("digit,speaker,take,samples\n")
        f.writelines("%d,%s,%d,%d\n" % (*key, len(levels)) for key, levels in sorted(recordings.items()))
    write_xz(os.path.join(directory, fsdd.SAMPLES), b"".join(levels.tobytes() for _, levels in sorted(recordings.items())))
