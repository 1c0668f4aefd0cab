# SPDX-License-Identifier: MIT
"""Settings that sagan-emoji and sagan-emoji-plain share; sagan-emoji-plain is the control experiment without attention."""
from data.emoji_kinds import CLASSES

SETTINGS = dict(
    classes=len(CLASSES), channels=(128, 96, 64, 32), critic=(32, 64, 96), steps=2200, batch=32, lr=4e-4, critic_lr=8e-4, beta1=0.0, beta2=0.9, lr_floor=0.1, fresh_rate=10.0, warmup=20, clip=0.0, ema=0.999,
    every=5.0, save_seconds=180, threads=1, valid_images=16, final_valid_images=16,
)
CARD = dict(
    class_names=CLASSES,
    license="CC-BY-4.0",
    dataset="Noto Emoji (Google; 2017, 2018, 2023), Twemoji (Twitter), Fluent Emoji (Microsoft; flat and shaded), EmojiOne 2, FxEmoji (Mozilla), drawn 32x32 on "
            "white; of 88 % of the base code points those of eight kinds, 3,188 drawings",
    dataset_license="Noto Emoji: Apache-2.0; Twemoji, EmojiOne, FxEmoji: CC BY 4.0; Fluent Emoji: MIT",
)
