# SPDX-License-Identifier: MIT
"""Generates binarised MNIST digits with a gated PixelCNN, which has a vertical and a horizontal stack. Training hides the class of half of
the pictures.

    python3 weights/train/train.py gated-pixelcnn-digits
    python3 weights/train/export.py gated-pixelcnn-digits --type f32 --out build/gated.gguf
    python3 weights/train/train.py gated-pixelcnn-digits --stage 2 --from build/gated.gguf
    sh weights/train/gpu.sh together gated-pixelcnn-digits

In the first run, the vertical stack has no taps in the pixel's own row, which saves a quarter of a layer's products. The second run adds
these taps, which removes the blind spot.
"""
settings = dict(
    height=28, width=28, levels=2, output="bernoulli", dataset="binarised_mnist",
    block_count=9, embedding_length=32, input_kernel=7, kernel=5, head_length=64, classes=10, class_drop=0.5, own_row=False,
    minutes=70.0, batch=32, lr=2e-3, warmup=100, every=4.0, ema=0.998,
)
# The second run continues from the first run, which was stopped after 38 of its 70 minutes. In the second run, the vertical stack also
# reads the pixel's own row. The third run is for a GPU (gpu.sh).
stages = (dict(own_row=True, minutes=31.0, lr=1.5e-3, warmup=30, ema=0.99),
          dict(own_row=True, minutes=6.5, batch=64, lr=1.5e-3, warmup=100, ema=0.9995, best=True, every=1.0, valid_images=2000, seed=3))
gpu = dict(stage=3, compile=1)
card = dict(
    name="gated-pixelcnn-digits",
    description="Gated PixelCNN for 28x28 binarised handwritten digits: draws (also a digit that is named), completes and scores them.",
    class_names=["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"],
    license="CC-BY-SA-3.0",
    dataset="binarised MNIST (Larochelle and Murray 2011, from MNIST by LeCun, Cortes, Burges), 50,000 training images",
    dataset_license="CC BY-SA 3.0",
    command="python3 weights/train/train.py gated-pixelcnn-digits",
    golden_note="100 of the 10,000 test pictures of binarised MNIST (Larochelle and Murray 2011), every hundredth; from MNIST, "
                "Yann LeCun, Corinna Cortes and Christopher Burges, CC BY-SA 3.0",
)
