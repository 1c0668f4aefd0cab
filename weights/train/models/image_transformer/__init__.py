# SPDX-License-Identifier: MIT
"""The Image Transformer (Parmar et al. 2018)."""

from common import page as pages


def page(get):
    """Returns the page under web/pages/ that shows the file, and an input to try first. get: a function that reads the file's metadata by
    keys without the architecture"""
    return pages.of_pictures(get, "image-transformer")
