# SPDX-License-Identifier: MIT

# The page under web/pages/ that shows files of this model, and an input to try first (common/page.py).
PAGE = "tokens", "begin a text in the style of yours"
