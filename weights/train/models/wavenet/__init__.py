# SPDX-License-Identifier: MIT
"""WaveNet (van den Oord et al. 2016)."""
