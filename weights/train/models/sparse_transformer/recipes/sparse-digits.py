# SPDX-License-Identifier: MIT
"""Generates binarised MNIST digits pixel by pixel with strided attention. Layers that attend to the last 28 pixels alternate with layers
that attend to the pixel's own column.

    python3 weights/train/train.py sparse-digits
"""
settings = dict(
    height=28, width=28, levels=2, output="bernoulli", dataset="binarised_mnist",
    block_count=6, embedding_length=128, feed_forward_length=256, head_count=4, key_length=32,
    pattern="strided", stride=28, combine="interleaved",
    minutes=22.0, batch=8, lr=1.5e-3, warmup=150, every=4.0, ema=0.998, final_valid_images=1000,
    sheets=-1,  # no sample sheets: this Python code recomputes all earlier pixels for each pixel (the engine does not)
)
card = dict(
    name="sparse-digits",
    description="Sparse Transformer for 28x28 binarised handwritten digits: draws, completes and scores them.",
    license="CC-BY-SA-3.0",
    dataset="binarised MNIST (Larochelle and Murray 2011, from MNIST by LeCun, Cortes, Burges), 50,000 training images",
    dataset_license="CC BY-SA 3.0",
    command="python3 weights/train/train.py sparse-digits",
    golden_note="100 of the 10,000 test pictures of binarised MNIST (Larochelle and Murray 2011), every hundredth; from MNIST, "
                "Yann LeCun, Corinna Cortes and Christopher Burges, CC BY-SA 3.0",
)
