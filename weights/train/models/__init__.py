# SPDX-License-Identifier: MIT
"""One folder a model: model.py, task.py (see common/task.py), golden.py, recipes/."""
