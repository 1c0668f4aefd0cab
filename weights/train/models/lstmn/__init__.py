# SPDX-License-Identifier: MIT

# The page under web/pages/ that shows such files, and an input to try first (common/page.py).
PAGE = "reading", "begin a text in the style of yours"
