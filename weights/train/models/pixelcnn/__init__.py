# SPDX-License-Identifier: MIT
"""PixelCNN (van den Oord et al. 2016a)."""
