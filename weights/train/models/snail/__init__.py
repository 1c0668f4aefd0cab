# SPDX-License-Identifier: MIT

# The page under web/pages/ that shows files of this model, and an input to try first (common/page.py).
PAGE = "snail", "draw one example of each sign, then one of them again"
