# SPDX-License-Identifier: MIT

# The page under web/pages/ that shows such files, and an input to try first (common/page.py).
PAGE = "structure", "give it a sentence of yours"
