# SPDX-License-Identifier: MIT
"""Finds the head of each word in an English sentence. The heads form a projective dependency tree.

    python3 weights/train/train.py parents-en --prose FOLDER
"""
TEMPLATES = "word@0 form@0 prefix1@0 prefix2@0 prefix3@0 suffix1@0 suffix2@0 suffix3@0 suffix4@0 shape@0 cluster@0 cluster@-1|cluster@0".split()
settings = dict(
    features=12000, width=len(TEMPLATES), templates=" ".join(TEMPLATES), clusters=256, embedding_length=128, feed_forward_length=384, block_count=4,
    head_count=4, reach=15, dropout=0.25, forget=0.15, softened=0.5, dataset="ud_ewt",
    minutes=34.0, batch=64, lr=2e-3, warmup=100, lr_floor=0.01, clip=1.0, ema=0.998, every=2.0, save_seconds=60, sheets=-1, valid_images=400,
    final_valid_images=2001, threads=1,
)
own = dict(minutes=10.0, lr=5e-4, warmup=20)
card = dict(
    name="parents-en",
    description="Projective dependency trees of English sentences: every word points at its parent, the softer the less sure.",
    languages=["en"],
    license="CC-BY-SA-4.0",
    dataset="UD English EWT, the English Web Treebank of Universal Dependencies (official split, release of May 2025), 12,255 of 12,544 sentences; "
            "word clusters of these and of 21 books of fairy tales of Project Gutenberg",
    dataset_license="CC BY-SA 4.0",
    command="python3 weights/train/train.py parents-en --prose FOLDER, which holds fairy-tales.txt.xz",
    type="q8_0",
)
