# SPDX-License-Identifier: MIT
"""Golden cases of gated PixelCNN; models/pixelcnn/golden.py describes the tensors."""
from dataclasses import replace

from common.golden import Case
from models.gated_pixelcnn.model import Config
from models.gated_pixelcnn.task import TASK
from models.pixelcnn.golden import inputs, outputs, randomise, tensors    # noqa: F401

BASE = Config(height=6, width=7, levels=4, output="categorical", block_count=3, embedding_length=12, input_kernel=5, kernel=3, head_length=16)
TINY = [  # each case: name, config, weight type, class
    ("gated-pixelcnn-tiny", replace(BASE, classes=3), "f32", 1),
    ("gated-pixelcnn-narrow", replace(BASE, height=9, width=2, levels=2, output="bernoulli", input_kernel=7, kernel=5), "f32", -1),
    ("gated-pixelcnn-q8_0", replace(BASE, levels=2, output="bernoulli", embedding_length=32, input_kernel=7, kernel=5, head_length=32, classes=10), "q8_0", 7),
]


def cases():
    return [Case(name, TASK.of(c), kind, label) for name, c, kind, label in TINY]
