# SPDX-License-Identifier: MIT
"""Generates spoken digits with a WaveNet: 0 to 9 in the voices of six speakers, sample by sample at 8 kHz.

    python3 weights/train/train.py wavenet
    python3 weights/train/export.py wavenet --type f32 --out build/wavenet-1.gguf
    python3 weights/train/train.py wavenet --stage 2 --from build/wavenet-1.gguf
    python3 weights/train/export.py wavenet --run wavenet-2 --out build/wavenet-2.gguf
    python3 weights/train/train.py wavenet --stage 3 --from build/wavenet-2.gguf
    sh weights/train/gpu.sh together wavenet
    python3 weights/train/export.py wavenet --run wavenet-4 --type f32 --out build/wavenet-4.gguf
    python3 weights/train/train.py wavenet --stage 5 --from build/wavenet-4.gguf
"""
settings = dict(
    rate=8000, levels=257, classes=10, speakers=6, dataset="fsdd",
    dilations=(1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 1, 2, 4, 8, 16, 32), residual_length=32, gate_length=32, skip_length=64, head_length=96,
    minutes=16.0, clock="cpu", batch=4, lr=3e-3, warmup=150, every=8.0, ema=0.998, threads=1, sheets=0, valid_images=60,
)
# The second run adds six layers, with dilations up to 2,048, so that the receptive field covers a whole word. The first 3.6 minutes of the
# second run used the learning rates of a schedule of 30 minutes. The third run doubles the width of the residual stream, and the model
# learns when a word ends. In the file of the third run, the class vectors are multiplied by the factor for which listen.py measures the
# best result. The fourth and fifth runs are for a GPU (gpu.sh).
LONG = dict(dilations=settings["dilations"] + (64, 128, 256, 512, 1024, 2048))
WIDE = dict(LONG, residual_length=64, end_weight=20.0, class_gain=1.25, clock="wall", warmup=150, valid_images=120)
GPU = dict(WIDE, batch=16, ema=0.9995, best=True, every=1.0)
stages = (
    dict(LONG, minutes=5.4, lr=2e-3, warmup=100),
    dict(WIDE, minutes=70.0, lr=2e-3, ema=0.999, seed=3, every=6.0),
    dict(GPU, minutes=7.0, lr=2e-3, seed=4),
    dict(GPU, minutes=3.6, lr=1.5e-3, seed=5),
)
own = dict(minutes=20.0, lr=1e-3, warmup=20)
gpu = dict(stage=4)
card = dict(
    name="wavenet",
    description="WaveNet for spoken digits at 8 kHz: says a digit in the voice of a speaker, goes on with a sound and scores it.",
    class_names=["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"],
    speaker_names=["george", "jackson", "lucas", "nicolas", "theo", "yweweler"],
    license="CC-BY-SA-4.0",
    dataset="Free Spoken Digit Dataset (Jackson et al.), takes 7 to 49: 2,580 recordings of six speakers",
    dataset_license="CC BY-SA 4.0",
    command="python3 weights/train/train.py wavenet",
)
