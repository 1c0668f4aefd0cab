# SPDX-License-Identifier: MIT

# The page under web/pages/ that shows such files, and an input to try first (common/page.py).
PAGE = "transformer", "translate a sentence like yours"
