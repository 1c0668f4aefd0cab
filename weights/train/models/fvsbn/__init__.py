# SPDX-License-Identifier: MIT
"""The fully visible sigmoid belief network (Frey, Hinton and Dayan 1995)."""

# The name of the page in web/pages/ that opens files of this model, and a suggestion of what to try there. common/page.py prints both.
PAGE = "fvsbn", "draw the upper half of a picture and let the model complete it"
