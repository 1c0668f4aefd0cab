# SPDX-License-Identifier: MIT
"""One folder per model: model.py, task.py (see common/task.py), golden.py, recipes/."""
