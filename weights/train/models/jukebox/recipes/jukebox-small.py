# SPDX-License-Identifier: MIT
"""Trains the priors of a small Jukebox, which generate spoken digits as codes of jukebox-codes. Training starts from the file of
jukebox-codes.

    python3 weights/train/train.py jukebox-small
    python3 weights/train/export.py jukebox-small --type f32 --out build/jukebox-small-1.gguf
    python3 weights/train/train.py jukebox-small --stage 2 --from build/jukebox-small-1.gguf
    sh weights/train/gpu.sh together jukebox-small
    python3 weights/train/export.py jukebox-small --run jukebox-small-3 --type f32 --out build/jukebox-small-3.gguf
    python3 weights/train/train.py jukebox-small --stage 4 --from build/jukebox-small-3.gguf
"""
start = "jukebox-codes.gguf"
settings = dict(
    part="priors", top_codes=256, bottom_codes=256, bottom_blocks=4,
    minutes=4.5, clock="wall", batch=16, lr=2e-3, warmup=100, ema=0.998, every=4.0, best=True, threads=1, seed=2,
)
# The second run only trains for longer. The later runs are for a GPU (gpu.sh), where each sound occurs so often that training needs
# dropout.
stages = (dict(
    minutes=23.0, lr=1.6e-3, warmup=30, every=3.0, seed=3,
), dict(
    minutes=6.5, batch=32, lr=1.5e-3, warmup=100, ema=0.999, dropout=0.1, every=0.5, sheets=-1, seed=4,
), dict(
    minutes=3.4, batch=32, lr=7e-4, warmup=100, ema=0.999, dropout=0.25, every=0.5, sheets=-1, seed=5,
))
gpu = dict(stage=3)
card = dict(
    name="jukebox-small",
    description="Jukebox in small for spoken digits at 8 kHz: two levels of codes of a sound, and priors that say a digit in the voice of a speaker.",
    class_names=["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"],
    speaker_names=["george", "jackson", "lucas", "nicolas", "theo", "yweweler"],
    license="CC-BY-SA-4.0",
    dataset="Free Spoken Digit Dataset (Jackson et al.), takes 7 to 49: 2,580 recordings of six speakers",
    dataset_license="CC BY-SA 4.0",
    command="python3 weights/train/train.py jukebox-small",
)
