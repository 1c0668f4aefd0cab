"""Super-resolution of photographs, 8x8 to 32x32: an encoder of the small picture, a local-2d decoder with cross-attention.

    python3 weights/train/train.py cifar10-sr         a GPU; for two CPU cores see cifar10-sr-2d
"""
settings = dict(
    # model: 14.8 M parameters
    dataset="cifar10", height=32, width=32, channels=3, levels=256, output="dmol", mixtures=10,
    block_count=6, embedding_length=320, feed_forward_length=1280, head_count=5, key_length=64,
    pattern="local-2d", block_rows=8, block_cols=8, flange_rows=8, flange_cols=8,
    input_height=8, input_width=8, encoder_block_count=4,
    norm="pre", position="learned", position_width="half", classes=10,
    # schedule: 6 minutes of training, whatever the GPU's speed
    minutes=6.0, batch=64, lr=4e-4, warmup=200, every=3.0, sheets=0, valid_images=500, final_valid_images=2000,
    look_around=True, fit_output=True, round_to="q4_0", round_carried=True, flip=True, class_drop=0.5, dropout=0.0, ema=0.9995,
    compile=True, threads=8,
)
card = dict(
    name="cifar10-sr",
    description="Image Transformer that draws a 32x32 photograph from 8x8 pixels.",
    class_names=["airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"],
    license="other",                     # the author of the data states none
    dataset="CIFAR-10 (Alex Krizhevsky, University of Toronto, technical report 2009), first 48,000 training images",
    dataset_license="none stated (A. Krizhevsky, Univ. of Toronto, tech report 2009: no explicit licence)",
    command="python3 weights/train/train.py cifar10-sr",
)
