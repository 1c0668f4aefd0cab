# SPDX-License-Identifier: MIT
"""A small Jukebox (Dhariwal et al. 2020)."""

# The name of the page in web/pages/ that opens files of this model, and a suggestion of what to try there. common/page.py prints both.
PAGE = "jukebox", "record a sound, and compare it with the sound decoded from its codes"
