# SPDX-License-Identifier: MIT
"""A small Jukebox (Dhariwal et al. 2020)."""
