# SPDX-License-Identifier: MIT
"""What sagan-emoji and its control have in common."""
from data.emoji_kinds import CLASSES

SETTINGS = dict(
    classes=4, channels=(64, 64, 32, 16), critic=(32, 64, 64), steps=20000, batch=16, lr=4e-4, critic_lr=8e-4, beta1=0.0, beta2=0.9, lr_floor=1.0, warmup=20, clip=0.0, ema=0.998,
    every=5.0, save_seconds=180, threads=1, valid_images=16, final_valid_images=16,
)
CARD = dict(
    class_names=CLASSES,
    license="CC-BY-4.0",                 # the stricter of its training pictures' licences
    dataset="Noto Emoji (Google; 2017, 2018, 2023), EmojiTwo (EmojiTwo contributors, from EmojiOne), FxEmoji (Mozilla), 32x32 on white; of 88 % of the base "
            "code points those of four kinds, 926 pictures",
    dataset_license="Noto Emoji: Apache-2.0; EmojiTwo, FxEmoji: CC BY 4.0",
)
