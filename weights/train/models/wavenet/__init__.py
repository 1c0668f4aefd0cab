# SPDX-License-Identifier: MIT
"""WaveNet (van den Oord et al. 2016)."""

from common import page as pages


def page(get):
    """Returns the page under web/pages/ that shows the file, and an input to try first. get: a function that reads the file's metadata by
    keys without the architecture"""
    if get("sound.rate"):
        return "wavenet", "choose each of its classes, and draw again with another seed"
    return pages.of_pictures(get, "image-transformer")
