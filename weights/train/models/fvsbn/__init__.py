# SPDX-License-Identifier: MIT
"""The fully visible sigmoid belief network (Frey, Hinton and Dayan 1995)."""

# The page under web/pages/ that shows files of this model, and an input to try first (common/page.py).
PAGE = "fvsbn", "draw the upper half of a picture and let the model complete it"
