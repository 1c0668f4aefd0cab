# SPDX-License-Identifier: MIT
"""Generates binarised MNIST digits with a WaveNet. The pixels in raster order are one sequence of samples.

    python3 weights/train/train.py wavenet-digits

The dilations double within a row of pixels (1 to 16), then from row to row (28 to 224). The pixel above is 28 samples back.
"""
settings = dict(
    height=28, width=28, levels=2, output="bernoulli", dataset="binarised_mnist",
    dilations=(1, 2, 4, 8, 16, 28, 56, 112, 224, 1, 2, 4, 8, 16, 28, 56, 112, 224, 1, 2), residual_length=32, gate_length=32, skip_length=64, head_length=64,
    minutes=9.0, clock="cpu", batch=16, lr=3e-3, warmup=150, every=4.0, ema=0.998, threads=1, sheets=0, valid_images=500,
)
card = dict(
    name="wavenet-digits",
    description="WaveNet for 28x28 binarised handwritten digits, as a line of pixels: draws, completes and scores them.",
    license="CC-BY-SA-3.0",
    dataset="binarised MNIST (Larochelle and Murray 2011, from MNIST by LeCun, Cortes, Burges), 50,000 training images",
    dataset_license="CC BY-SA 3.0",
    command="python3 weights/train/train.py wavenet-digits",
    golden_note="100 of the 10,000 test pictures of binarised MNIST (Larochelle and Murray 2011), every hundredth; from MNIST, "
                "Yann LeCun, Corinna Cortes and Christopher Burges, CC BY-SA 3.0",
)
