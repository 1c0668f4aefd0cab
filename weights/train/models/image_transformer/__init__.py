"""The Image Transformer (Parmar et al. 2018)."""
