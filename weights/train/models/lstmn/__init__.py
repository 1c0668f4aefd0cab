# SPDX-License-Identifier: MIT

# The name of the page in web/pages/ that opens files of this model, and what to try on this page. common/page.py prints both.
PAGE = "reading", "begin a text in the style of yours"
