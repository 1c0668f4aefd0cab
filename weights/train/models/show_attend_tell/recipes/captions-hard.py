# SPDX-License-Identifier: MIT
"""Writes captions for composed emoji scenes, with hard attention. Training starts from the weights after stage 1 of the recipe `captions`,
which uses soft attention.

    python3 weights/train/train.py captions-hard --from build/captions-1.gguf
    sh weights/train/gpu.sh together captions-hard
    python3 weights/train/export.py captions-hard --run captions-hard-2 --type f32 --out build/captions-hard-2.gguf
    python3 weights/train/train.py captions-hard --stage 3 --from build/captions-hard-2.gguf
    python3 weights/train/export.py captions-hard --run captions-hard-3 --out build/captions-hard-3.gguf
    python3 weights/train/train.py captions-hard --stage 4 --from build/captions-hard-3.gguf      with the drawings of drawings.py
    python3 weights/train/export.py captions-hard --run captions-hard-4
    python3 weights/train/export.py captions --run captions-hard-4 --out weights/captions.gguf
"""
settings = dict(
    dataset="scenes", values=255, attention="hard", minutes=18.0, threads=1, batch=64, lr=4e-4, warmup=100, lr_floor=0.02, ema=0.997, clip=1.0,
    every=3.0, valid_images=256, final_valid_images=2000)
# the first two stages are for a GPU (gpu.sh)
stages = (dict(minutes=7.0, batch=96, lr=1e-3, warmup=150, ema=0.999, every=1.0, seed=2),
          dict(minutes=3.6, batch=96, lr=6e-4, warmup=150, ema=0.999, every=1.0, seed=5),
          # this stage runs on one thread, with three more styles, which drawings.py makes
          dict(minutes=66.0, lr=8e-4, ema=0.999, every=6.0, seed=7, expected=0.7, further=True, bf16=False))
gpu = dict(stage=2)
start = "captions.gguf"
card = dict(
    name="captions-hard",
    description="Show, attend and tell, hard attention: says in a short sentence what a scene of two or three emoji shows, and sees one place of it for each word.",
    license="CC-BY-4.0",
    dataset="scenes composed of emoji: Noto Emoji of 2017, 2018 and 2023, EmojiTwo, FxEmoji, Twemoji, Fluent Emoji",
    dataset_license="Noto Emoji: Apache 2.0; EmojiTwo, FxEmoji and Twemoji: CC BY 4.0; Fluent Emoji: MIT",
    command="python3 weights/train/train.py captions-hard",
    type="q8_0")
