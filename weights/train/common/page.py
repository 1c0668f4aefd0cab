# SPDX-License-Identifier: MIT
"""The page that shows a file; export.py prints it last."""
import os
import urllib.parse

import data

# By architecture: the page under web/pages/, and an input to try first.
PAGES = {
    "fvsbn": ("fvsbn", "draw the upper half of a picture and let it go on"),
    "pixelcnn": ("pixelcnn", "draw the upper half of a picture and let it go on"),
    "gated-pixelcnn": ("pixelcnn", "choose a class, then draw the upper half of a picture"),
    "sagan": ("sagan", "choose each class, and walk from one picture to another"),
    "snail": ("snail", "draw one example of each sign, then one of them again"),
    "show-attend-tell": ("captions", "choose a picture that it was not trained on"),
    "chain": ("chains", "give it a sentence of yours"),
    "tree": ("structure", "give it a sentence of yours"),
    "transformer": ("transformer", "translate a sentence like yours"),
    "seq2seq": ("alignment", "translate a sentence like yours"),
    "llama": ("tokens", "begin a text as yours begin"),
    "gpt2": ("tokens", "begin a text as yours begin"),
    "lstmn": ("reading", "begin a text as yours begin"),
    "jukebox": ("jukebox", "record a sound, and compare it with what its codes give back"),
}
SERVED = ("build", "weights")            # folders that web/tools/serve.js serves
ADDRESS = "http://127.0.0.1:8080/"       # the address of npm start


def page_of(metadata):
    """The metadata of a file -> (name of a page, input to try)"""
    architecture = metadata["general.architecture"]
    get = lambda key: metadata.get("%s.%s" % (architecture, key))
    if architecture in PAGES:
        return PAGES[architecture]
    if architecture == "wavenet" and get("sound.rate"):
        return "wavenet", "choose each of its classes, and draw again with another seed"
    if architecture == "sparse-transformer" and get("notes.ticks"):
        return "chorale", "draw a piece, then give it the first bars of one of your MIDI files"
    if architecture == "sparse-transformer" and not get("image.height"):
        return "tokens", "begin a text as yours begin"
    if get("image.channels") == 3:
        return "colour", "choose a picture that it was not trained on: it completes or enlarges it"
    return "sparse" if architecture == "sparse-transformer" else "image-transformer", "draw the upper half of a picture and let it go on"


def address_of(path, metadata):
    """-> the address of the page that opens this file, or \"\" if npm start does not serve the file"""
    inside = os.path.relpath(os.path.realpath(path), os.path.realpath(data.ROOT)).split(os.sep)
    if inside[0] not in SERVED or inside[0] == "build" and len(inside) > 2:
        return ""
    return "%sweb/pages/%s/?model=%s" % (ADDRESS, page_of(metadata)[0], urllib.parse.quote("../../../" + "/".join(inside)))


def said(path, metadata):
    """Next steps for a file that was just written, as lines."""
    page, tries = page_of(metadata)
    address = address_of(path, metadata)
    if address:
        return "To see it: npm start, then %s\nThere: %s. (Where npm start says another port than 8080, that one.)" % (address, tries)
    return "To see it: npm start, open %sweb/pages/%s/ and choose the file under \"Your own file\" there: %s. Files in build/ open by a link." % (ADDRESS, page, tries)
