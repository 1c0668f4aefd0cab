# SPDX-License-Identifier: MIT
"""Tags English words with their parts of speech, using a maximum-entropy Markov model.

    python3 weights/train/train.py memm-en --prose FOLDER
"""
from models.chain.english import CARD, SETTINGS

settings = dict(SETTINGS, type="memm")
card = dict(
    CARD,
    name="memm-en",
    description="A maximum-entropy Markov model that tags English words with their universal part of speech.",
    command="python3 weights/train/train.py memm-en --prose FOLDER, which holds fairy-tales.txt.xz",
)
