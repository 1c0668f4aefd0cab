# SPDX-License-Identifier: MIT
"""A small Jukebox (Dhariwal et al. 2020)."""

# The page under web/pages/ that shows files of this model, and an input to try first (common/page.py).
PAGE = "jukebox", "record a sound, and compare it with the sound decoded from its codes"
