# SPDX-License-Identifier: MIT
"""What every recipe shares: the loop, files, rounding, distributions.  Nothing here knows a model."""
