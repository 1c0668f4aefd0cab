# SPDX-License-Identifier: MIT
"""Reads your own files: lists the usable files of a folder, reports how many it found and why it skipped others, and decodes text.

The readers of pictures, sounds, music, texts, pairs and treebanks use this module. A file that cannot be read does not end training: the
reader skips it, and the report of `Found` names it.
"""
import codecs
import csv
import os
import sys

import data

# File extensions of each medium, and the module that reads it.
KINDS = {
    "pictures": ((".png", ".jpg", ".jpeg", ".jfif", ".webp", ".gif", ".bmp", ".tif", ".tiff", ".avif", ".heic", ".heif"), "folder"),
    "sounds": ((".wav", ".wave", ".flac", ".ogg", ".oga", ".opus", ".mp3", ".aif", ".aiff"), "sounds"),
    "music": ((".mid", ".midi", ".rmi", ".kar"), "music"),
    "texts": ((".txt", ".md", ".jsonl", ".ndjson"), "texts"),
    "pairs": ((".tsv", ".csv", ".tmx"), "pairs"),
    "treebanks": ((".conllu", ".conll"), "treebank"),
}
LONGEST = 50                             # maximum number of lines that a quoted column of a table may span
MOST_NAMED = 5                           # maximum number of files that a report names for each reason
_said = set()


class Unreadable(Exception):
    """Raised if a file or a part of it cannot be used; the message says why."""


def hidden(name):
    """Returns whether a file or folder was made by the system: `.DS_Store`, `._photo.png` and `__MACOSX` of macOS, `Thumbs.db` and
    `desktop.ini` of Windows."""
    return name.startswith(".") or name in ("__MACOSX", "@eaDir") or name.lower() in ("thumbs.db", "desktop.ini")


def trained_on(reader):
    """Returns the names of the recipes that have a schedule for your own files (`own`) and read them through this reader."""
    from common import recipes           # recipes import the models, which import their data
    found = (recipes.find(name) for name in recipes.names())
    return [recipe.name for recipe in found if recipe.own and data.reader_of(recipe.dataset) == reader]


class Found:
    """The contents of a folder: the number of files used, and the names of the skipped files by reason."""

    def __init__(self, directory, kind):
        self.directory, self.kind, self.endings = directory, kind, KINDS[kind][0]
        self.skipped = {}                # reason: [name]
        self.others = {}                 # number of files of other kinds, by extension
        self.needed = set()              # paths of used files of another kind, such as tables of captions
        self.notes = []                  # phrases for the report about other events

    def skip(self, path, reason):
        """Adds a skipped file to the report. path: the file, or a name with a line number; reason: a phrase"""
        name = os.path.relpath(path, self.directory) if os.path.isabs(path) or path.startswith(self.directory) else path
        self.skipped.setdefault(str(reason).strip().split("\n")[0].rstrip("."), []).append(name)

    def paths(self):
        """Returns the paths of the files of this kind in the folder and its subfolders, sorted; hidden files are skipped and counted."""
        found = []

        def failed(error):
            if os.path.abspath(error.filename) == os.path.abspath(self.directory):
                sys.exit("--data %s cannot be read: %s" % (self.directory, error.strerror))
            self.skip(error.filename, error.strerror)
        for folder, folders, names in os.walk(self.directory, onerror=failed):
            folders[:] = sorted(name for name in folders if not hidden(name))
            for name in sorted(names):
                path, ending = os.path.join(folder, name), os.path.splitext(name)[1].lower()
                if hidden(name):
                    self.skipped.setdefault("hidden", []).append(os.path.relpath(path, self.directory))
                elif ending in self.endings:
                    found.append(path)
                else:
                    self.others[ending] = self.others.get(ending, 0) + 1
        return found

    def used(self, path):
        """Marks a file of another kind, such as a table, so that it is not reported as skipped."""
        ending = os.path.splitext(path)[1].lower()
        if path in self.needed or not self.others.get(ending):
            return
        self.needed.add(path)
        self.others[ending] -= 1
        if not self.others[ending]:
            del self.others[ending]

    def told(self, others=True):
        """Returns a phrase about the skipped files: \"; skipped 2 (the file is empty: a.png, b.png)\", or \"\" if there are none.
        others: whether to count the files of other kinds"""
        parts = []
        for reason, names in self.skipped.items():
            named = ", ".join(names[:MOST_NAMED]) + (", and %d more" % (len(names) - MOST_NAMED) if len(names) > MOST_NAMED else "")
            parts.append("%d hidden" % len(names) if reason == "hidden" else "%d (%s: %s)" % (len(names), reason, named))
        if others and self.others:
            endings = sorted(ending or "no ending" for ending in self.others)
            parts.append("%d with other endings (%s)" % (sum(self.others.values()), ", ".join(endings[:MOST_NAMED]) + (", ..." if len(endings) > MOST_NAMED else "")))
        return "".join("; " + note for note in self.notes) + ("; skipped " + ", ".join(parts) if parts else "")

    def say(self, what):
        """Prints the files found and those skipped, once per process. what: "57 pictures" """
        line = "%s: %s%s" % (self.directory, what, self.told())
        if line not in _said:
            _said.add(line)
            print(line, flush=True)

    def short(self, what, wanted):
        """Ends the program if a folder has too few files.  what: "3 pictures"; wanted: "at least 10 are needed" """
        also = []
        for kind, (endings, reader) in KINDS.items():
            count = sum(self.others.get(ending, 0) for ending in endings)
            if count and kind != self.kind:
                also.append("%d file%s of %s, which %s read" % (count, "" if count == 1 else "s", kind, ", ".join(trained_on(reader))))
        known = {ending for endings, _ in KINDS.values() for ending in endings}
        rest = sorted({ending or "no ending" for ending in self.others} - known)
        if rest:
            also.append("files with %s" % ", ".join(rest[:MOST_NAMED]))
        empty = not also and not self.told(False)
        sys.exit("%s: %s (%s); %s%s%s" % (self.directory, what, ", ".join(self.endings), wanted, self.told(False),
                                         ". The folder is empty" if empty else ". It has " + " and ".join(also) if also else ""))


MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF32_LE, "utf-32-le"), (codecs.BOM_UTF32_BE, "utf-32-be"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))


def decoded(raw):
    """Decodes the bytes of a text file -> (text, encoding), without a byte order mark, with lines ending in \\n.

    Bytes with a byte order mark are UTF-8, UTF-16 or UTF-32. Bytes without a mark are read as UTF-8 if they are valid UTF-8. Otherwise they
    are read as Korean (CP949) if half of the non-ASCII characters decode to Hangul, and as Windows-1252 if not. Raises Unreadable if the
    bytes are not text.
    """
    for mark, name in MARKS:
        if raw.startswith(mark):
            try:
                return lines(raw[len(mark):].decode(name)), name
            except UnicodeDecodeError:
                raise Unreadable("not %s, although its byte order mark says so" % name.upper())
    if b"\0" in raw:
        if raw[1:200:2].count(0) > 0.4 * len(raw[1:200:2]):              # in UTF-16 without a mark, every Latin letter has a zero byte
            return lines(raw.decode("utf-16-le", "replace")), "utf-16-le"
        raise Unreadable("not text: it has zero bytes")
    try:
        return lines(raw.decode("utf-8")), "utf-8"
    except UnicodeDecodeError as error:
        if error.start >= len(raw) - 3 and error.reason == "unexpected end of data":       # the text was cut in the middle of a character
            return lines(raw[:error.start].decode("utf-8")), "utf-8"
    for name in ("cp949", "cp1252"):
        try:
            text = raw.decode(name)
        except UnicodeDecodeError:
            continue
        foreign = [c for c in text if c > "\x7f"]
        if name == "cp1252" or 2 * sum("\uac00" <= c <= "\ud7a3" for c in foreign) > len(foreign):
            return lines(text), name
    raise Unreadable("not text in UTF-8, UTF-16, CP949 or Windows-1252")


def lines(text):
    return text.replace("\r\n", "\n").replace("\r", "\n").lstrip("\ufeff")


def read_text(path, found=None):
    """Reads the text of a file. found: the report, which records encodings other than UTF-8. Raises Unreadable if the file cannot be read
    or is not text."""
    try:
        with open(path, "rb") as f:
            raw = f.read()
    except OSError as error:
        raise Unreadable(error.strerror)
    if not raw.strip():
        raise Unreadable("empty")
    text, encoding = decoded(raw)
    if not text.strip():
        raise Unreadable("empty")
    if found is not None and encoding != "utf-8":
        found.notes.append("%s is read as %s" % (os.path.relpath(path, found.directory), encoding.upper()))
    return text


csv.field_size_limit(1 << 24)


def unquoted(side):
    """Removes the quotes that a spreadsheet puts around a column that itself contains quotes; other columns are unchanged."""
    bare = side.strip()
    inner = bare[1:-1]
    return inner.replace('""', '"') if len(bare) > 3 and bare[0] == bare[-1] == '"' and '""' in inner and '"' not in inner.replace('""', "") else side


def record(lines, sign):
    """Reads the record at the start of these lines of a .csv file -> (columns, number of lines that it spans).  Quotes may enclose at most
    LONGEST lines. So a quote that is never closed affects only its own line, not the rest of the file."""
    for end in range(1, len(lines) + 1):
        try:
            return next(csv.reader(lines[:end], delimiter=sign, strict=True), []), end
        except csv.Error as error:
            if "unexpected end" not in str(error):                       # any other error is caused by text after a closing quote
                break
    else:
        return [], 1
    try:
        return next(csv.reader(lines[:1], delimiter=sign), []), 1
    except csv.Error:                                                    # the cause is a zero byte, or a column of 16 MB
        return [], 1


def records(lines, sign):
    """Yields (line number, columns) of each record of a .csv file; columns is [] if the record cannot be read."""
    at = 0
    while at < len(lines):
        row, used = record([line + "\n" for line in lines[at:at + LONGEST]], sign)
        if any(side.strip() for side in row) or not row and lines[at].strip():
            yield at + 1, row
        at += used


def separator(lines):
    """Returns the delimiter of a .csv file: the character that divides the most of its first lines into two columns. In a tie with a
    comma, the other character wins, because sentences contain commas."""
    def cut(sign):
        sizes = [len(row) for _, row in records(lines[:100], sign)]
        return sizes.count(2), sum(size > 2 for size in sizes)
    return max("\t;,", key=cut)


def table(text, ending):
    """Yields (line number, columns) of each non-empty line of a table; columns is [] if the line cannot be read. ending: ".csv", or ".tsv",
    whose columns are separated by tabs and usually not quoted."""
    lines = text.split("\n")
    if ending == ".csv":
        yield from records(lines, separator(lines))
        return
    for i, line in enumerate(lines, 1):
        if line.strip():
            yield i, [unquoted(side) for side in line.split("\t")]


def count(number, one, many=""):
    """Formats a count: (3, "picture") -> "3 pictures" """
    return "%d %s" % (number, one if number == 1 else many or one + "s")
