# SPDX-License-Identifier: MIT
"""Jukebox (Dhariwal et al. 2020) in small."""
