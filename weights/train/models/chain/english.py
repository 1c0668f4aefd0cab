# SPDX-License-Identifier: MIT
"""Settings that the recipes crf-en and memm-en share: features, schedule and data. The two recipes differ only in the normalisation."""
TEMPLATES = """any@0 form@0 word@0 word@-1 word@1 word@-2 word@2 word@-1|word@0 word@0|word@1 word@-1|word@1 prefix1@0 prefix2@0 prefix3@0 prefix4@0
suffix1@0 suffix2@0 suffix3@0 suffix4@0 suffix3@-1 suffix3@1 suffix2@-1 suffix2@1 shape@0 shape@-1 shape@1 shape@0|word@-1 shape@0|suffix2@0
shape@-1|shape@0|shape@1 cluster@0 cluster@-1 cluster@1 cluster@-2 cluster@2 cluster@-1|cluster@0 cluster@0|cluster@1 cluster@-1|cluster@1
cluster@-1|suffix2@0 suffix2@0|cluster@1""".split()
SETTINGS = dict(
    features=90000, width=len(TEMPLATES), templates=" ".join(TEMPLATES), clusters=256, dataset="ud_ewt",
    steps=2400, batch=64, lr=3e-2, warmup=50, lr_floor=0.02, clip=0.0, ema=0.99, precision=0.3, drop=0.1,
    every=2.0, save_seconds=120, sheets=-1, valid_images=400, final_valid_images=2001, threads=1,
)
CARD = dict(
    languages=["en"],
    license="CC-BY-SA-4.0",
    dataset="UD English EWT, the English Web Treebank of Universal Dependencies (official split, release of May 2025), 12,544 sentences; word clusters "
            "of these and of 21 books of fairy tales of Project Gutenberg",
    dataset_license="CC BY-SA 4.0",
    type="f16",
)
