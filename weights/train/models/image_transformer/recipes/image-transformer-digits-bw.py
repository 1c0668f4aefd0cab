# SPDX-License-Identifier: MIT
"""Generates binarised MNIST digits (28x28) pixel by pixel, with an Image Transformer trained on the same data as FVSBN and PixelCNN.
Local-1d attention reaches back over seven rows.

    python3 weights/train/train.py image-transformer-digits-bw

The model starts with the weights of weights/digits.gguf, a model of the same size. The darkest and lightest of that file's sixteen levels
become the two levels here. The difference between the logits of these two levels becomes the single logit.  That file was trained on the
first 55,000 training pictures of MNIST in grey, which include most of the validation pictures used here in black and white. The validation
loss is therefore too low. The 10,000 test pictures were never used.
"""
start = "digits.gguf"

settings = dict(
    # model: 1.2 M parameters
    height=28, width=28, channels=1, levels=2,
    block_count=6, embedding_length=128, feed_forward_length=512, head_count=4, key_length=32,
    pattern="local-1d", query_block=196, memory_block=196,
    position="learned", position_width="half", classes=0, output="bernoulli",
    dataset="binarised_mnist",
    # schedule
    minutes=25.0, batch=8, lr=1e-3, warmup=100, every=5.0,
    class_drop=0.0, dropout=0.0, ema=0.999,
)
card = dict(
    name="image-transformer-digits-bw",
    description="Image Transformer for 28x28 binarised handwritten digits: draws, completes and scores them.",
    license="CC-BY-SA-3.0",
    dataset="binarised MNIST (Larochelle and Murray 2011, from MNIST by LeCun, Cortes, Burges), 50,000 training images; begun from digits.gguf, "
            "which learned from the first 55,000 training images of MNIST in 16 grey levels",
    dataset_license="CC BY-SA 3.0",
    command="python3 weights/train/train.py image-transformer-digits-bw",
    golden_note="100 of the 10,000 test pictures of binarised MNIST (Larochelle and Murray 2011), every hundredth; from MNIST, "
                "Yann LeCun, Corinna Cortes and Christopher Burges, CC BY-SA 3.0",
)
