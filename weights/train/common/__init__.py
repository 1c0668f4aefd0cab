# SPDX-License-Identifier: MIT
"""Code that all recipes share: the training loop, files, rounding and distributions.  Nothing here depends on a particular model."""
