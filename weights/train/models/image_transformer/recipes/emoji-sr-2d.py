"""Super-resolution of emoji, 8x8 to 32x32: an encoder of the small picture, a local-2d decoder with cross-attention.

    python3 weights/train/train.py emoji-sr-2d
"""
settings = dict(
    # model: 3.5 M parameters
    dataset="emoji", height=32, width=32, channels=3, levels=256, palette=True,
    block_count=6, embedding_length=160, feed_forward_length=640, head_count=4, key_length=40,
    pattern="local-2d", block_rows=8, block_cols=8, flange_rows=8, flange_cols=8,
    input_height=8, input_width=8, encoder_block_count=3,
    position="learned", position_width="half", classes=5,
    # schedule: 85 minutes of training, whatever the machine's speed
    minutes=85.0, batch=6, lr=2.2e-3, warmup=150, every=5.0, sheets=2, valid_images=62, final_valid_images=200,
    look_around=True, class_drop=0.5, dropout=0.0, ema=0.999,
)
card = dict(
    name="emoji-sr-2d",
    description="Image Transformer that draws a 32x32 colour emoji from 8x8 pixels.",
    class_names=["Noto 2023", "Noto 2018", "Noto Blob 2017", "EmojiTwo", "FxEmoji"],
    license="CC-BY-4.0",                 # the stricter of its training pictures' licences
    dataset="Noto Emoji (Google; 2017, 2018, 2023), EmojiTwo (EmojiTwo contributors, from EmojiOne), FxEmoji (Mozilla), 32x32 "
            "on white; 88 % of the base code points",
    dataset_license="Noto Emoji: Apache-2.0; EmojiTwo and FxEmoji: CC BY 4.0",
    command="python3 weights/train/train.py emoji-sr-2d",
)
