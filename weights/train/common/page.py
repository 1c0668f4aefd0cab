# SPDX-License-Identifier: MIT
"""Finds the page that shows a file; export.py prints the page's address at the end."""
import importlib
import os
import urllib.parse

import data

SERVED = ("build", "weights")            # folders that web/tools/serve.js serves
ADDRESS = "http://127.0.0.1:8080/"       # the default address of npm start


def page_of(metadata):
    """Returns (name of a page, what to try on it) for a file with this metadata. models/NAME/__init__.py defines this pair as PAGE, or as
    page(get) if the pair depends on the file."""
    architecture = metadata["general.architecture"]
    model = importlib.import_module("models." + architecture.replace("-", "_"))
    return model.page(lambda key: metadata.get("%s.%s" % (architecture, key))) if hasattr(model, "page") else model.PAGE


def of_pictures(get, page):
    """Returns the name of the page for a picture model, and a suggestion of what to try there. All models of colour pictures share one
    page."""
    if get("image.channels") == 3:
        return "colour", "choose a picture that the model was not trained on; the page completes or enlarges it"
    return page, "draw the upper half of a picture and let the model complete it"


def address_of(path, metadata):
    """Returns the address of the page that opens this file, or \"\" if npm start does not serve the file"""
    inside = os.path.relpath(os.path.realpath(path), os.path.realpath(data.ROOT)).split(os.sep)
    if inside[0] not in SERVED or inside[0] == "build" and len(inside) > 2:
        return ""
    return "%sweb/pages/%s/?model=%s" % (ADDRESS, page_of(metadata)[0], urllib.parse.quote("../../../" + "/".join(inside)))


def said(path, metadata):
    """Returns the message that explains how to open a file that was just written."""
    page, tries = page_of(metadata)
    address = address_of(path, metadata)
    if address:
        return "To see it: npm start, then %s\nThere: %s. (Where npm start says another port than 8080, that one.)" % (address, tries)
    return "To see it: npm start, open %sweb/pages/%s/ and choose the file under \"Your own file\" there: %s. Files in build/ open by a link." % (ADDRESS, page, tries)
