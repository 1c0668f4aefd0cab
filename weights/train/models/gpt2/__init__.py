# SPDX-License-Identifier: MIT
"""GPT-2 (Radford et al. 2019)."""

# The name of the page in web/pages/ that opens files of this model, and a suggestion of what to try there. common/page.py prints both.
PAGE = "tokens", "begin a text in the style of yours"
