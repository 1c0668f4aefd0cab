# SPDX-License-Identifier: MIT

# The page under web/pages/ that shows such files, and an input to try first (common/page.py).
PAGE = "snail", "draw one example of each sign, then one of them again"
