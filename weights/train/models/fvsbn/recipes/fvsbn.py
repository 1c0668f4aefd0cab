# SPDX-License-Identifier: MIT
"""Generates binarised MNIST digits with 784 logistic regressions, one for each pixel given the pixels before it.

    python3 weights/train/train.py fvsbn
"""
settings = dict(
    height=28, width=28, dataset="binarised_mnist",
    steps=8000, batch=100, lr=2e-2, warmup=100, lr_floor=0.0, clip=0.0, ema=0.998, precision=2.0, precision_power=1.0,
    every=0.2, save_seconds=20, sheets=0, valid_images=10000, final_valid_images=10000, best=True,
)
card = dict(
    name="fvsbn",
    description="Fully visible sigmoid belief network for 28x28 binarised handwritten digits: draws, completes and scores them.",
    license="CC-BY-SA-3.0",
    dataset="binarised MNIST (Larochelle and Murray 2011, from MNIST by LeCun, Cortes, Burges), 50,000 training images",
    dataset_license="CC BY-SA 3.0",
    command="python3 weights/train/train.py fvsbn",
    type="f16",
    golden_note="100 of the 10,000 test pictures of binarised MNIST (Larochelle and Murray 2011), every hundredth; from MNIST, "
                "Yann LeCun, Corinna Cortes and Christopher Burges, CC BY-SA 3.0",
)
