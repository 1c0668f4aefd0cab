# SPDX-License-Identifier: MIT
"""Linear chains over tags: HMM (Rabiner 1989), MEMM (McCallum, Freitag and Pereira 2000), CRF (Lafferty, McCallum and Pereira 2001)."""
