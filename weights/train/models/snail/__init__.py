# SPDX-License-Identifier: MIT

# The name of the page in web/pages/ that opens files of this model, and a suggestion of what to try there. common/page.py prints both.
PAGE = "snail", "draw one example of each sign, then one of them again"
