# SPDX-License-Identifier: MIT

# The page under web/pages/ that shows files of this model, and an input to try first (common/page.py).
PAGE = "captions", "choose a picture that the model was not trained on"
