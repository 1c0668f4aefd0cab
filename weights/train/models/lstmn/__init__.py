# SPDX-License-Identifier: MIT

# The name of the page in web/pages/ that opens files of this model, and a suggestion of what to try there. common/page.py prints both.
PAGE = "reading", "begin a text in the style of yours"
