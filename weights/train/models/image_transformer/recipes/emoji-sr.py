# SPDX-License-Identifier: MIT
"""Enlarges emoji from 8x8 to 32x32 with the decoder of the emoji model, where each pixel is also conditioned on the small picture
(direct.py).

    python3 weights/train/train.py emoji-sr               (better with --from a run of emoji in full precision: export.py emoji --type f32)

The feed-forward layers of `emoji-sr` are wider than those of the emoji model; added units begin at zero.  The model is deeper than `emoji`;
added blocks begin as copies of their neighbours (grow.py).  An encoder reads the whole small picture. The encoder is first trained alone
(pretrain.py).  Matrices for which four bits cost almost no accuracy are stored in four bits.
"""
settings = dict(
    # model: 4.3 M parameters
    dataset="emoji", height=32, width=32, channels=3, levels=256, palette=True,
    block_count=8, embedding_length=160, feed_forward_length=1024, head_count=4, key_length=40,
    pattern="local-1d", query_block=256, memory_block=256, input_height=8, input_width=8, direct=True,
    encoder_block_count=2, encoder_feed_forward_length=512, pretrain_encoder=1000,
    stack="0,1,2,3,3,4,4,5",
    classes=5,
    four_bits=r"enc\.blk|blk\.[245]\.ffn_up|blk\.[03456]\.ffn_down",
    # schedule
    minutes=120.0, batch=8, lr=8e-4, fresh_rate=4.0, warmup=50, every=5.0, sheets=2, valid_images=62, final_valid_images=200,
    flip=True, shift=1, drawings=0.5, class_drop=0.5, dropout=0.0, ema=0.998,
)
start = "emoji.gguf"                     # a file in weights/; --from names another file
card = dict(
    name="emoji-sr",
    description="Image Transformer that draws a 32x32 colour emoji from 8x8 pixels; told of each pixel what the small picture says about it, which is not in the paper.",
    class_names=["Noto 2023", "Noto 2018", "Noto Blob 2017", "EmojiTwo", "FxEmoji"],
    license="CC-BY-4.0",
    dataset="Noto Emoji (Google; 2017, 2018, 2023), EmojiTwo (EmojiTwo contributors, from EmojiOne), FxEmoji (Mozilla), 32x32 "
            "on white; the same, Twemoji (Twitter and contributors) and Fluent Emoji (Microsoft) drawn anew; 88 % of the base code points",
    dataset_license="Noto Emoji: Apache-2.0; EmojiTwo, FxEmoji and Twemoji: CC BY 4.0; Fluent Emoji: MIT",
    command="python3 weights/train/train.py emoji-sr",
)
