# SPDX-License-Identifier: MIT
"""Normalises sentences and names as the library does before a model reads them (web/lib/base/typed.js).

Your own sentences must have the same form in training as the input that the model later receives. Texts of language models are not
normalised, because such models read every character.
"""
import re
import unicodedata

PICTURE = ("[\u00a9\u00ae\u203c\u2049\u2122\u2139\u2194-\u21aa\u231a-\u23ff\u24c2\u25aa-\u27bf\u2934\u2935\u2b05-\u2b55\u3030\u303d\u3297\u3299\U0001f000-\U0001f1e5\U0001f201-\U0001f3fa"
           "\U0001f400-\U0001faff]")     # matches a little more than Extended_Pictographic of Unicode
ONE = PICTURE + "(?:[\U0001f3fb-\U0001f3ff]|\ufe0f)?"
# One emoji with its skin tone, its joiners and the joined characters
EMOJI = "[\U0001f1e6-\U0001f1ff]{2}|[#*0-9]\ufe0f?\u20e3|%s[\U000e0020-\U000e007f]*(?:\u200d%s)*" % (ONE, ONE)
# Default_Ignorable_Code_Point of Unicode, and the control characters that are not white space
UNSEEN = re.compile("(%s)|[\0-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8"
                    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]" % EMOJI)
# Matches full-width letters and punctuation (without quotes), and ligatures.
WIDE = re.compile("[\uff01\uff03-\uff06\uff08-\uff5e\ufb00-\ufb06]")
SIGNS = {ord(sign): plain for signs, plain in (("\u2010\u2011\u2212", "-"), ("\u201c\u201d\u201e\u201f\u00ab\u00bb\u2033\uff02", '"'), ("\u2018\u2019\u201a\u201b\u2032\u02bc\u00b4`\uff07\u2039\u203a", "'"))
         for sign in signs}


def plain(text):
    """Normalises a text: removes invisible characters (except within an emoji), composes letters, and replaces special forms of letters,
    hyphens, quotes and apostrophes with the forms on keyboards."""
    seen = unicodedata.normalize("NFC", UNSEEN.sub(lambda found: found.group(1) or "", text.replace("\x85", " ")))
    return WIDE.sub(lambda wide: unicodedata.normalize("NFKC", wide.group()), seen).translate(SIGNS)


def sentence(text):
    """Returns a sentence in the form in which models read it: plain(), with single spaces."""
    return " ".join(plain(text).split())


def name(text):
    """Returns the name of a class, a speaker or a file with composed letters: macOS and its archives store Hangul and accented letters as
    several code points."""
    return unicodedata.normalize("NFC", text)
