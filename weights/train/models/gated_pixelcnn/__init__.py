# SPDX-License-Identifier: MIT
"""Gated PixelCNN (van den Oord et al. 2016b)."""

# The page under web/pages/ that shows files of this model, and an input to try first (common/page.py).
PAGE = "pixelcnn", "choose a class, then draw the upper half of a picture"
