# SPDX-License-Identifier: MIT
"""Tags English words with their parts of speech, using a conditional random field.

    python3 weights/train/train.py crf-en --prose FOLDER
"""
from models.chain.english import CARD, SETTINGS

settings = dict(SETTINGS, type="crf")
own = dict(minutes=0.0, steps=300, lr=1e-2)
card = dict(
    CARD,
    name="crf-en",
    description="A linear-chain conditional random field that tags English words with their universal part of speech.",
    command="python3 weights/train/train.py crf-en --prose FOLDER, which holds fairy-tales.txt.xz",
)
