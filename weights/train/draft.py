#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Adds a draft to a model: see models/image_transformer/draft.py."""
from common import needed

needed.require("numpy", "torch")

from models.image_transformer import draft

if __name__ == "__main__":
    draft.main()
