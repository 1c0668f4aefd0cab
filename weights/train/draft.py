#!/usr/bin/env python3
"""Adds a draft to a model: see models/image_transformer/draft.py."""
from models.image_transformer import draft

if __name__ == "__main__":
    draft.main()
