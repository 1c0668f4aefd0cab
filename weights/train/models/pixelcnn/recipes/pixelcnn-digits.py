# SPDX-License-Identifier: MIT
"""Generates binarised MNIST digits with a PixelCNN: a 7x7 convolution with mask A, then residual blocks with 3x3 convolutions and mask B.

    python3 weights/train/train.py pixelcnn-digits
    python3 weights/train/export.py pixelcnn-digits --type f32 --out build/pixelcnn.gguf
    python3 weights/train/train.py pixelcnn-digits --stage 2 --from build/pixelcnn.gguf
    sh weights/train/gpu.sh together pixelcnn-digits
"""
settings = dict(
    height=28, width=28, levels=2, output="bernoulli", dataset="binarised_mnist",
    block_count=12, embedding_length=128, input_kernel=7, kernel=3, head_length=64,
    minutes=60.0, batch=32, lr=2e-3, warmup=150, every=4.0, ema=0.999, threads=1,
)
# The third run is for a GPU (gpu.sh) and sees ten times as many pictures as the first two runs. The shipped file has the averaged weights
# with the lowest validation loss in that run.
stages = (dict(minutes=14.0, lr=1e-3, warmup=30, seed=2), dict(minutes=6.5, batch=64, lr=1.5e-3, warmup=100, ema=0.9995, best=True, every=1.0, valid_images=2000, seed=3))
gpu = dict(stage=3, compile=1)
card = dict(
    name="pixelcnn-digits",
    description="PixelCNN for 28x28 binarised handwritten digits: draws, completes and scores them.",
    license="CC-BY-SA-3.0",
    dataset="binarised MNIST (Larochelle and Murray 2011, from MNIST by LeCun, Cortes, Burges), 50,000 training images",
    dataset_license="CC BY-SA 3.0",
    command="python3 weights/train/train.py pixelcnn-digits",
    golden_note="100 of the 10,000 test pictures of binarised MNIST (Larochelle and Murray 2011), every hundredth; from MNIST, "
                "Yann LeCun, Corinna Cortes and Christopher Burges, CC BY-SA 3.0",
)
