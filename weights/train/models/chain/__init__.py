# SPDX-License-Identifier: MIT
"""Linear chains over tags: HMM (Rabiner 1989), MEMM (McCallum, Freitag and Pereira 2000), CRF (Lafferty, McCallum and Pereira 2001)."""

# The name of the page in web/pages/ that opens files of this model, and a suggestion of what to try there. common/page.py prints both.
PAGE = "chains", "give it a sentence of yours"
