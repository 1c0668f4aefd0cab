# SPDX-License-Identifier: MIT
"""The fully visible sigmoid belief network (Frey, Hinton and Dayan 1995)."""
