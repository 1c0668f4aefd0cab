# SPDX-License-Identifier: MIT
"""Tags English words with their parts of speech, using a hidden Markov model, which is trained by counting, without gradients.

    python3 weights/train/train.py hmm-en
"""
TEMPLATES = "form@0 word@0 suffix3@0|shape@0 suffix2@0|shape@0 shape@0 any@0"
settings = dict(
    type="hmm", features=40000, width=1, templates=TEMPLATES, first=True, dataset="ud_ewt",
    steps=1, batch=64, lr=0.0, warmup=1, ema=0.0, every=2.0, save_seconds=120, sheets=-1, valid_images=400, final_valid_images=2001, threads=1,
)
card = dict(
    name="hmm-en",
    description="A hidden Markov model that tags English words with their universal part of speech; unknown words by how they look.",
    languages=["en"],
    license="CC-BY-SA-4.0",
    dataset="UD English EWT, the English Web Treebank of Universal Dependencies (official split, release of May 2025), 12,544 sentences",
    dataset_license="CC BY-SA 4.0",
    command="python3 weights/train/train.py hmm-en",
    type="f16",
)
