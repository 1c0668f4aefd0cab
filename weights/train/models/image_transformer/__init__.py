# SPDX-License-Identifier: MIT
"""The Image Transformer (Parmar et al. 2018)."""

from common import page as pages


def page(get):
    """get: the file's metadata, by their keys without the architecture -> the page under web/pages/ that shows the file, and an input to try first"""
    return pages.of_pictures(get, "image-transformer")
