# SPDX-License-Identifier: MIT
"""Code that every recipe shares: the loop, files, rounding, distributions.  Nothing here depends on a particular model."""
