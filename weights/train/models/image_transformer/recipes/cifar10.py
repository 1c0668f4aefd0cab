"""CIFAR-10 with mixtures of ten logistics a pixel, class-conditional, local-1d attention of four rows and four above (128 + 128).

    python3 weights/train/train.py cifar10            a GPU; for two CPU cores see cifar10-small
"""
settings = dict(
    # model: 14.2 M parameters
    dataset="cifar10", height=32, width=32, channels=3, levels=256, output="dmol", mixtures=10,
    block_count=8, embedding_length=384, feed_forward_length=1536, head_count=6, key_length=64,
    pattern="local-1d", query_block=128, memory_block=128,
    norm="pre", position="learned", position_width="half", classes=10,
    # schedule: 9 minutes of training, whatever the GPU's speed
    minutes=9.0, batch=64, lr=4e-4, warmup=200, every=3.0, sheets=0, valid_images=500, final_valid_images=2000,
    look_around=True, fit_output=True, round_to="q4_0", round_carried=True, flip=True, class_drop=0.15, dropout=0.0, ema=0.9995,
    compile=True, threads=8,
)
card = dict(
    name="cifar10",
    description="Image Transformer for 32x32 photographs of ten kinds: draws, completes and scores them.",
    class_names=["airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"],
    license="other",                     # the author of the data states none
    dataset="CIFAR-10 (Alex Krizhevsky, University of Toronto, technical report 2009), first 48,000 training images",
    dataset_license="none stated (A. Krizhevsky, Univ. of Toronto, tech report 2009: no explicit licence)",
    command="python3 weights/train/train.py cifar10",
)
