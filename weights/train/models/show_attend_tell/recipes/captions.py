# SPDX-License-Identifier: MIT
"""Writes captions for composed emoji scenes, with soft attention.

    python3 weights/train/train.py captions
    python3 weights/train/export.py captions --type f32 --out build/captions-1.gguf
    python3 weights/train/train.py captions --stage 2 --from build/captions-1.gguf

The shipped file uses soft attention, but has the weights of captions-hard (captions-hard.py). The recipe captions-hard continued from stage
1 of this recipe.
"""
settings = dict(
    dataset="scenes", values=255, minutes=33.0, threads=1, pretrain=3000, batch=64, lr=2e-3, warmup=200, lr_floor=0.01, ema=0.997, clip=1.0,
    every=4.0, valid_images=256, final_valid_images=2000)
stages = (dict(minutes=18.0, lr=4e-4, warmup=100, lr_floor=0.02, drawn=True),)
own = dict(minutes=10.0, lr=4e-4, warmup=20)
card = dict(
    name="captions",
    description="Show, attend and tell, soft attention: says in a short sentence what a scene of two or three emoji shows.",
    license="CC-BY-4.0",
    dataset="scenes composed of emoji: Noto Emoji of 2017, 2018 and 2023, EmojiTwo, FxEmoji, Twemoji, Fluent Emoji",
    dataset_license="Noto Emoji: Apache 2.0; EmojiTwo, FxEmoji and Twemoji: CC BY 4.0; Fluent Emoji: MIT",
    command="python3 weights/train/train.py captions",
    type="q8_0")
