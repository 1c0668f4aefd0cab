# SPDX-License-Identifier: MIT

# The page under web/pages/ that shows files of this model, and an input to try first (common/page.py).
PAGE = "structure", "give it a sentence of yours"
