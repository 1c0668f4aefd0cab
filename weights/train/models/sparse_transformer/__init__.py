# SPDX-License-Identifier: MIT
"""Sparse Transformer (Child et al. 2019)."""

from common import page as pages


def page(get):
    """Returns the name of the page in web/pages/ that opens the file, and a suggestion of what to try there. get: a function that returns a
    metadata value of the file, given its key without the architecture prefix"""
    if get("notes.ticks"):
        return "chorale", "draw a piece, then give it the first bars of one of your MIDI files"
    if not get("image.height"):
        return "tokens", "begin a text in the style of yours"
    return pages.of_pictures(get, "sparse")
