# SPDX-License-Identifier: MIT
"""A toy: pictures of independent coins."""
