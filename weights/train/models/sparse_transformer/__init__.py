"""Sparse Transformer (Child et al. 2019)."""
