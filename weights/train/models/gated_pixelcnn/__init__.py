# SPDX-License-Identifier: MIT
"""Gated PixelCNN (van den Oord et al. 2016b)."""

# The name of the page in web/pages/ that opens files of this model, and a suggestion of what to try there. common/page.py prints both.
PAGE = "pixelcnn", "choose a class, then draw the upper half of a picture"
