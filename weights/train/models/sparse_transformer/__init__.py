# SPDX-License-Identifier: MIT
"""Sparse Transformer (Child et al. 2019)."""
