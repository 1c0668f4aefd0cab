# SPDX-License-Identifier: MIT
"""PixelCNN (van den Oord et al. 2016a)."""

# The name of the page in web/pages/ that opens files of this model, and a suggestion of what to try there. common/page.py prints both.
PAGE = "pixelcnn", "draw the upper half of a picture and let the model complete it"
