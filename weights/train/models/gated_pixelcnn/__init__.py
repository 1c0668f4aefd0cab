# SPDX-License-Identifier: MIT
"""Gated PixelCNN (van den Oord et al. 2016b)."""
