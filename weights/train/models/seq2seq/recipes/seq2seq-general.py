"""German to English by recurrent networks, the attention of Luong et al.: the score s . W h after the step.

    python3 weights/train/train.py seq2seq-general
"""
from models.seq2seq import shared

settings = shared.settings(score="general", minutes=30.0)
card = shared.card("seq2seq-general", "it scores a word by a bilinear form (Luong's general attention).")
