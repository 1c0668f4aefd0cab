# SPDX-License-Identifier: MIT
"""The Image Transformer (Parmar et al. 2018)."""
