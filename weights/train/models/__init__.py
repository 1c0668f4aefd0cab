# SPDX-License-Identifier: MIT
"""Each model has a folder with model.py, task.py (see common/task.py), golden.py and recipes/."""
