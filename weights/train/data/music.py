# SPDX-License-Identifier: MIT
"""Reads your own music from standard MIDI files, by the rules of web/lib/kinds/note (midi.js, given.js). A file has one to four voices.

The voices of a file are its parts: the tracks (or the channels of a single track) that have notes, without drums. If the parts have the
names of different voices of the model, each part becomes the voice of this name. Otherwise the parts become the first voices, from the
highest part down. A single part with chords is split into voices that have one note at a time. Notes are moved to the nearest sixteenth.
Music outside the range of the voices is transposed, by octaves if possible. Files within RIFF (.rmi) and files with bytes after the last
track are accepted. Files are split in the order of the SHA-256 of their bytes: a tenth of the files is held out, and another tenth is for
validation.
"""
import functools
import struct

import numpy as np

import data
from data import chorales, folder, typed
from data.files import Unreadable, count

LEAST = 10                               # minimum number of pieces
TICKS = 4                                # ticks per quarter note
MOST_TICKS = 20000                       # maximum number of ticks of a piece
NAME, END = 0x103, 0x12f                 # 0x100 plus the type of a meta event: track name; end of track
DRUMS = 9                                # index of the drum channel, counted from 0
DATA_BYTES = {8: 2, 9: 2, 10: 2, 11: 2, 12: 1, 13: 1, 14: 2}


def unwrapped(raw):
    """Returns the MIDI file inside a RIFF container (.rmi, used on Windows); returns other bytes unchanged."""
    if raw[:4] == b"RIFF" and raw[8:12] == b"RMID":
        at = 12
        while at + 8 <= len(raw):
            size = struct.unpack("<I", raw[at + 4:at + 8])[0]
            if raw[at:at + 4] == b"data":
                return raw[at + 8:at + 8 + size]
            at += 8 + size + (size & 1)
        raise Unreadable("a RIFF file without a data chunk")
    return raw


def tracks(raw):
    """Returns the ticks per quarter note, and the bytes of each track"""
    raw = unwrapped(raw)
    if raw[:4] != b"MThd" or len(raw) < 14:
        raise Unreadable("not a MIDI file: it begins with %r" % raw[:4])
    size, form, _, division = struct.unpack(">IHHH", raw[4:14])
    if size < 6:
        raise Unreadable("its header is too short")
    if form == 2:
        raise Unreadable("its tracks are separate pieces (format 2)")
    if division & 0x8000:
        raise Unreadable("its time is in frames of film, not in beats")
    if not division:
        raise Unreadable("a beat has no ticks")
    found, at = [], 8 + size
    while at + 8 <= len(raw) and raw[at:at + 4].isalnum():               # the loop ends where other bytes follow the last track
        name, size = raw[at:at + 4], struct.unpack(">I", raw[at + 4:at + 8])[0]
        if name == b"MTrk":
            track = raw[at + 8:at + 8 + size]
            if len(track) < size:                                        # a truncated track is accepted if it has its end event
                try:
                    end = [data for _, status, data in events(track) if status == END][-1]
                except Unreadable:
                    end = None
                if end is None:
                    raise Unreadable("it is truncated: %d bytes are missing" % (size - len(track)))
                size, track = end, track[:end]
            found.append(track)
        at += 8 + size
    if not found:
        raise Unreadable("it has no track")
    return division, found


def events(track):
    """Yields (tick, status, data) of each event up to the end of a track. `data` has the two data bytes of a channel event, the text of a
    track name, or the position of the end; for other events it is None."""
    at, now, running = 0, 0, 0

    def length():
        nonlocal at
        value = 0
        for _ in range(4):
            byte = track[at]
            at += 1
            value = value * 128 + (byte & 127)
            if byte < 128:
                return value
        raise Unreadable("a length has more than four bytes")
    try:
        while at < len(track):
            now += length()
            status = track[at]
            if status >= 0x80:
                at += 1
            else:
                status = running
            if status == 0xff:
                kind = track[at]
                at += 1
                size = length()
                if kind == 3:
                    yield now, NAME, track[at:at + size]
                at += size
                if kind == 0x2f:
                    yield now, END, at
                    return
            elif status in (0xf0, 0xf7):
                at += length()
            elif 0x80 <= status < 0xf0:
                size, running = DATA_BYTES[status >> 4], status
                yield now, status, track[at:at + size].ljust(2, b"\0")
                if at + size > len(track):
                    raise Unreadable("an event is longer than its track")
                at += size
            else:
                raise Unreadable("an event has no known status (%d)" % status)
    except IndexError:
        raise Unreadable("an event is longer than its track")
    yield now, END, None


def heard(raw):
    """Reads the bytes of a MIDI file -> notes [(start, end, pitch, part)] in quarter notes, names of the parts."""
    division, found = tracks(raw)
    notes, parts = [], {}
    for number, track in enumerate(found):
        name, sounding = "", {}

        def close(now, channel, pitch):
            begun = sounding[channel, pitch].pop(0)
            if now > begun:
                part = parts.setdefault((number, channel), name or "track %d, channel %d" % (number + 1, channel + 1))
                notes.append((begun / division, now / division, pitch, (number, channel)))
                return part
        for now, status, what in events(track):
            if status == NAME:
                name = typed.sentence(what.decode("utf-8", "replace"))
            elif status == END:
                for (channel, pitch), left in sounding.items():
                    while left:
                        close(now, channel, pitch)
            elif status >> 4 in (8, 9) and status & 15 != DRUMS:
                pitch, velocity = what
                if status >> 4 == 9 and velocity:
                    sounding.setdefault((status & 15, pitch), []).append(now)
                elif sounding.get((status & 15, pitch)):
                    close(now, status & 15, pitch)
    if not notes:
        raise Unreadable("it has no notes")
    numbers = {part: i for i, part in enumerate(parts)}
    return sorted(((a, b, pitch, numbers[part]) for a, b, pitch, part in notes), key=lambda n: (n[0], -n[2])), list(parts.values())


def grid(notes, parts, voices):
    """Returns pitches (sixteenths, voices), 0 for a rest.  voices: (name, lowest, highest pitch) of each voice, from the highest voice
    down. Raises Unreadable if the notes do not fit the voices."""
    names = [name for name, _, _ in voices]
    if len(parts) > len(names):
        raise Unreadable("%d tracks or channels have notes, and the model has %d voices" % (len(parts), len(names)))
    whole = [(round(a * TICKS), round(b * TICKS), pitch, part) for a, b, pitch, part in notes]
    whole = [note for note in whole if note[1] > note[0]]
    if not whole:
        raise Unreadable("its notes are all shorter than a sixteenth")
    first, last = min(n[0] for n in whole) // 16 * 16, max(n[1] for n in whole)
    if last - first > MOST_TICKS:
        raise Unreadable("longer than %d bars" % (MOST_TICKS // 16))
    height = [np.mean([n[2] for n in whole if n[3] == part] or [0]) for part in range(len(parts))]
    named = [next((v for v, name in enumerate(names) if name.lower() == part.lower()), None) for part in parts]
    if None in named or len(set(named)) < len(parts):
        down = sorted(range(len(parts)), key=lambda part: -height[part])
        named = [down.index(part) for part in range(len(parts))]
    rows = np.zeros((last - first, len(names)), np.int64)
    chords = len(parts) == 1
    sounding = [[] for _ in range(last - first)] if chords else None
    for start, end, pitch, part in whole:
        if chords:
            for t in range(start - first, end - first):
                if pitch not in sounding[t]:
                    sounding[t].append(pitch)
            continue
        column = rows[start - first:end - first, named[part]]
        if column.any():
            raise Unreadable("two notes at once in the part %r, and a voice sings one" % parts[part])
        column[:] = pitch
    if chords and max(map(len, sounding)) == 1:
        rows[:, named[0]] = [pitches[0] if pitches else 0 for pitches in sounding]
    elif chords:
        if max(map(len, sounding)) > len(names):
            raise Unreadable("chords of %d notes, and the model has %d voices" % (max(map(len, sounding)), len(names)))
        full = next((sorted(p, reverse=True) for p in sounding if len(p) == len(names)), [(low + high) // 2 for _, low, high in voices])
        for t, pitches in enumerate(sounding):
            pitches = sorted(pitches, reverse=True)
            full = pitches if len(pitches) == len(names) else full
            rows[t] = chorales.placed(pitches, full)
    return moved(rows, voices)


def moved(rows, voices):
    """Moves the pitches into the range of the voices. Pitches that fit are not moved; other pitches are moved by one or two octaves or, if
    this does not suffice, to another key."""
    for shift in (0, 12, -12, 24, -24, *(sign * n for n in range(1, 12) for sign in (1, -1))):
        if all(low <= p + shift <= high for v, (_, low, high) in enumerate(voices) for p in np.unique(rows[:, v]) if p):
            return np.where(rows > 0, rows + shift, 0)
    far = next((name, low, high) for v, (name, low, high) in enumerate(voices) for sung in [rows[:, v][rows[:, v] > 0]] if len(sung) and not low <= sung.min() <= sung.max() <= high)
    raise Unreadable("the %s sings the pitches %d to %d, and transposing does not help" % far)


def piece(path, voices):
    """Reads a file as pitches (sixteenths, voices). Raises Unreadable if this is not possible; the message says why."""
    try:
        with open(path, "rb") as f:
            raw = f.read()
    except OSError as error:
        raise Unreadable(error.strerror)
    if not raw:
        raise Unreadable("empty")
    try:
        return grid(*heard(raw), voices)
    except struct.error:
        raise Unreadable("it is truncated")


@functools.lru_cache(maxsize=1)
def scanned(directory, voices):
    """Returns ({split: [piece]}, report), without the pieces of the test part"""
    return folder.scan(directory, "music", lambda path: piece(path, voices))


def read(directory, split, evaluation=False):
    """Returns a list with the pitches (sixteenths, voices) of each piece, 0 for a rest. Only this function opens your own music."""
    from models.sparse_transformer.notes import VOICES
    if split not in ("train", "validation"):
        data.check_evaluation(evaluation, "split %r" % split)
    parts, found = scanned(directory, VOICES)
    total = sum(map(len, parts.values()))
    if total < LEAST:
        found.short(count(total, "piece"), "at least %d are needed" % LEAST)
    found.say(count(total, "piece"))
    return [piece(path, VOICES) if rows is None else rows for path, rows in parts[split]]
