# SPDX-License-Identifier: MIT

# The name of the page in web/pages/ that opens files of this model, and a suggestion of what to try there. common/page.py prints both.
PAGE = "sagan", "choose each class, and walk from one picture to another"
