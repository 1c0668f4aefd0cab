# SPDX-License-Identifier: MIT
"""The classes of a run that trains on your own folder (--labels):

    auto       the model's classes if every folder is named like one of them; otherwise, GANs and models of sounds take the folders as new
               classes, and other models have no classes
    folders    the top-level folders are the classes of the model
    speakers   for sounds: the top-level folders are the speakers of the model
    file       a folder that has the name of a class of the model is that class; files in other folders have no class
    none       no file has a class

A model that starts from a file keeps the vectors of the classes whose names are in the file; new classes start at the mean of the file's
vectors.
"""
import sys

import data
from data import folder, sounds

CHOICES = ("auto", "folders", "speakers", "file", "none")


def choose(task):
    """Sets the numbers and names of the classes and speakers for a run on your own folder."""
    s = task.s
    if s.labels not in CHOICES:
        sys.exit("--labels %s: there are %s" % (s.labels, ", ".join(CHOICES)))
    if not task.labelled or not data.own(s.dataset, s.data):
        return
    of_sounds = task.shape is None
    if s.labels == "speakers" and not of_sounds:
        sys.exit("--labels speakers: for recordings; a model of pictures has classes alone")
    here = sounds.classes_of(s.data) if of_sounds else folder.subfolders(s.data, "pictures")
    inner = sounds.speakers_of(s.data) if of_sounds else []
    known = {name.lower() for name in s.class_names}
    if s.labels in ("folders", "speakers") and not here:
        sys.exit("--labels %s: %s has no folders of %s in it" % (s.labels, s.data, "recordings" if of_sounds else "pictures"))
    how = s.labels
    if how == "auto":
        how = "file" if here and all(name.lower() in known for name in here) else "folders" if len(here) > 1 and (of_sounds or task.every_class) else "none"
    if how == "folders":
        s.class_names, s.classes = tuple(here), len(here)
        print("classes: %s" % ", ".join(here), flush=True)
    elif how == "speakers":
        inner = here
    s.labels = how
    if how == "none" and task.every_class:
        s.class_names, s.classes = (data.name_of(s.data),), 1
    if of_sounds and s.speakers:
        if inner and not all(name.lower() in {n.lower() for n in s.speaker_names} for name in inner):
            s.speaker_names, s.speakers = tuple(inner), len(inner)
            print("speakers: %s" % ", ".join(inner), flush=True)
        elif how == "folders" and not inner:
            s.speaker_names, s.speakers = (), 0          # new classes have no recordings by the file's speakers
