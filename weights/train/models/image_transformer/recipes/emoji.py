# SPDX-License-Identifier: MIT
"""Generates 32x32 emoji in a palette of 256 colours. The class is the style of the emoji; local-1d attention reaches back over eight rows.

    python3 weights/train/train.py emoji

The shipped file took 295 minutes in four runs, each of which continued the previous one; the first run did not use drawings. NOTEBOOK.md
has the settings of the four runs.
"""
settings = dict(
    # model: 1.9 M parameters
    dataset="emoji", height=32, width=32, channels=3, levels=256, palette=True,
    block_count=6, embedding_length=160, feed_forward_length=640, head_count=4, key_length=40,
    pattern="local-1d", query_block=256, memory_block=256,
    classes=5,
    # schedule
    minutes=300.0, batch=8, lr=2.2e-3, warmup=150, every=5.0, sheets=2, valid_images=62, final_valid_images=200,
    look_around=True, flip=True, shift=1, drawings=0.5, class_drop=0.15, dropout=0.0, ema=0.999,
)
own = dict(minutes=10.0, lr=5e-4, warmup=20)
card = dict(
    name="emoji",
    description="Image Transformer for 32x32 colour emoji in five styles: draws, completes and scores them.",
    class_names=["Noto 2023", "Noto 2018", "Noto Blob 2017", "EmojiTwo", "FxEmoji"],
    license="CC-BY-4.0",
    dataset="Noto Emoji (Google; 2017, 2018, 2023), EmojiTwo (EmojiTwo contributors, from EmojiOne), FxEmoji (Mozilla), 32x32 "
            "on white; the same, Twemoji (Twitter and contributors) and Fluent Emoji (Microsoft) drawn anew; 88 % of the base code points",
    dataset_license="Noto Emoji: Apache-2.0; EmojiTwo, FxEmoji and Twemoji: CC BY 4.0; Fluent Emoji: MIT",
    command="python3 weights/train/train.py emoji",
)
