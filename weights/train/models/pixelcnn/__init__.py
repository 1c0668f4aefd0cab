# SPDX-License-Identifier: MIT
"""PixelCNN (van den Oord et al. 2016a)."""

# The page under web/pages/ that shows files of this model, and an input to try first (common/page.py).
PAGE = "pixelcnn", "draw the upper half of a picture and let the model complete it"
