# SPDX-License-Identifier: MIT
"""Linear chains over tags: HMM (Rabiner 1989), MEMM (McCallum, Freitag and Pereira 2000), CRF (Lafferty, McCallum and Pereira 2001)."""

# The page under web/pages/ that shows files of this model, and an input to try first (common/page.py).
PAGE = "chains", "give it a sentence of yours"
