# SPDX-License-Identifier: MIT
"""WaveNet (van den Oord et al. 2016)."""

from common import page as pages


def page(get):
    """Returns the name of the page in web/pages/ that opens the file, and a suggestion of what to try there. get: a function that returns a
    metadata value of the file, given its key without the architecture prefix"""
    if get("sound.rate"):
        return "wavenet", "choose each of its classes, and draw again with another seed"
    return pages.of_pictures(get, "image-transformer")
