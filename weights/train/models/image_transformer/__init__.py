# SPDX-License-Identifier: MIT
"""The Image Transformer (Parmar et al. 2018)."""

from common import page as pages


def page(get):
    """Returns the name of the page in web/pages/ that opens the file, and a suggestion of what to try there. get: a function that returns a
    metadata value of the file, given its key without the architecture prefix"""
    return pages.of_pictures(get, "image-transformer")
