# SPDX-License-Identifier: MIT
"""Writes stories in English with a Llama model of 4.8 million parameters, trained on 18 books of fairy tales and twenty thousand short
stories.

    python3 weights/train/train.py stories
"""
settings = dict(
    # model: 4.8 M parameters, of which 1 M are embeddings of the vocabulary
    dataset="stories", vocabulary="stories", values=4096, context_length=512,
    block_count=5, embedding_length=256, feed_forward_length=640, head_count=4, head_count_kv=4,
    # schedule
    minutes=76.0, batch=8, lr=2e-3, warmup=150, every=5.0, sheets=2, valid_images=64, final_valid_images=400,
    dropout=0.0, ema=0.998,
)
stages = (                               # the later runs, whose settings override those above
    dict(minutes=52.0, dropout=0.1, lr=1e-3, seed=7),
    # The third run has nine times as many short stories as the first run.
    dict(dataset="tales", minutes=76.0, threads=1, lr=1e-3, warmup=50),
)
own = dict(minutes=20.0, lr=5e-4, warmup=20)
card = dict(
    name="stories",
    description="A small Llama that goes on with tales in English.",
    license="CC0-1.0",
    dataset="18 of 21 books of fairy tales (Project Gutenberg, public domain), 19,589 stories of TinyStories (Eldan and Li 2023) and 679 storybooks for children (African Storybook, Pratham Books), without those held out",
    dataset_license="public domain; TinyStories: CDLA-Sharing-1.0; storybooks: CC BY 4.0",
    command="python3 weights/train/train.py stories",
    type="q4_0",                         # 4 bits per weight halve the download; the loss rises by 0.008 bits per byte of text
)
