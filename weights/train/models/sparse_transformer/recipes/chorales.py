# SPDX-License-Identifier: MIT
"""Writes chorales in four voices, note by note. Half of the heads see the query's own block of 64 ids. The other half of the heads see the
last ids of every previous block.

    python3 weights/train/train.py chorales
"""
from models.sparse_transformer.notes import TABLE

settings = dict(
    levels=len(TABLE), output="categorical", context_length=1152, dataset="chorales", time_length=640,
    block_count=6, embedding_length=128, feed_forward_length=384, head_count=4, key_length=32,
    pattern="fixed", stride=64, summary=16, combine="heads", dropout=0.15,
    minutes=54.0, threads=1, batch=4, lr=1.5e-3, warmup=150, every=6.0, ema=0.998, best=True, sheets=-1, valid_images=76, final_valid_images=76,
)
own = dict(minutes=10.0, lr=5e-4, warmup=20)
card = dict(
    name="chorales",
    description="Sparse Transformer that sings in four voices: draws chorales, goes on with them, and harmonises a melody.",
    license="CC0-1.0",
    dataset="JSB Chorales (J. S. Bach; the split of Boulanger-Lewandowski et al. 2012 in sixteenths), 229 training chorales in all keys that the voices can sing",
    dataset_license="public domain",
    command="python3 weights/train/train.py chorales",
)
