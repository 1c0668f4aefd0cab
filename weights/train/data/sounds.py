# SPDX-License-Identifier: MIT
"""Reads your own recordings: WAV files of any rate, width and number of channels, and, if the package soundfile is installed, FLAC, OGG,
MP3 and AIFF.

The recordings are converted to one channel at the model's rate. The silence at both ends is cut off, and the volume is equalised. Then the
recordings are converted to mu-law levels as in fsdd.py. Recordings longer than the training length are cut into pieces. Top-level folders
are classes or speakers; folders inside a class are its speakers. If all files have names like those in the Free Spoken Digit Dataset,
DIGIT_SPEAKER_TAKE.wav, no folders are needed. Recordings are split in the order of the SHA-256 of their bytes: a tenth of the recordings is
held out, and another tenth is for validation.
"""
import functools
import importlib.util
import io
import math
import os
import re
import struct

import numpy as np

import data
from data import folder, fsdd, typed
from data.files import Found, Unreadable, count

LEAST = 10                               # minimum number of recordings
SHORTEST = 0.05                          # shortest recording that is used, in seconds
REST = 0.25                              # shortest last piece of a cut recording, in seconds
LONGEST = 3600.0                         # longest recording, in seconds
REACH = 16                               # zero crossings of the sinc on each side, as in web/lib/media/resample.js
FORMS = (b"RIFF", b"RF64", b"BW64")      # first bytes of a WAV file
PCM, FLOAT, A_LAW, MU_LAW, EXTENSIBLE = 1, 3, 6, 7, 0xfffe
NAMED = re.compile(r"(\d+)_([^_]+)_(\d+)\.wav$", re.I)


def from_mu_law(u):
    bits = ~u.astype(np.int64) & 255
    size = ((((bits & 15) << 3) + 132) << ((bits >> 4) & 7)) - 132
    return np.where(bits & 128, -size, size) / 32768


def from_a_law(u):
    bits = u.astype(np.int64) ^ 0x55
    segment = (bits >> 4) & 7
    size = np.where(segment == 0, ((bits & 15) << 4) + 8, (((bits & 15) << 4) + 264) << np.maximum(segment - 1, 0))
    return np.where(bits & 128, size, -size) / 32768


def whole(raw, kind):
    return np.frombuffer(raw[:len(raw) // np.dtype(kind).itemsize * np.dtype(kind).itemsize], kind)


def in_24_bits(raw):
    b = whole(raw[:len(raw) // 3 * 3], np.uint8).reshape(-1, 3).astype(np.int32)
    return ((b[:, 0] << 8 | b[:, 1] << 16 | b[:, 2] << 24) >> 8) / 8388608


# Functions from bytes to samples in -1..1, by encoding and bytes per sample.
SAMPLES = {
    (PCM, 1): lambda raw: (whole(raw, np.uint8).astype(np.float64) - 128) / 128, (PCM, 2): lambda raw: whole(raw, "<i2") / 32768,
    (PCM, 3): in_24_bits, (PCM, 4): lambda raw: whole(raw, "<i4") / 2147483648,
    (FLOAT, 4): lambda raw: whole(raw, "<f4").astype(np.float64), (FLOAT, 8): lambda raw: whole(raw, "<f8"),
    (A_LAW, 1): lambda raw: from_a_law(whole(raw, np.uint8)), (MU_LAW, 1): lambda raw: from_mu_law(whole(raw, np.uint8)),
}


def is_chunk(raw):
    """Returns whether the next bytes are the start of another chunk rather than samples."""
    return len(raw) >= 8 and all(0x20 <= byte < 0x7f for byte in raw[:4]) and struct.unpack("<I", raw[4:8])[0] + 8 <= len(raw)


def from_wav(raw):
    """Reads the bytes of a WAV file -> samples (n, channels), rate.  Chunks may be in any order; a chunk whose size is missing or too large
    extends to the end of the file."""
    if raw[:4] not in FORMS + (b"RIFX",) or raw[8:12] != b"WAVE":
        raise Unreadable("not a WAV file: it begins with %r" % raw[:12])
    if raw[:4] == b"RIFX":
        raise Unreadable("a WAV file whose numbers begin with their highest byte (RIFX)")
    form, samples, long, at = None, None, 0, 12
    while at + 8 <= len(raw):
        name, size = raw[at:at + 4], struct.unpack("<I", raw[at + 4:at + 8])[0]
        part = raw[at + 8:at + 8 + size]
        if name == b"fmt " and len(part) >= 16:
            form = list(struct.unpack("<HHIIHH", part[:16]))
            if form[0] == EXTENSIBLE and len(part) >= 26:
                form[0] = struct.unpack("<H", part[24:26])[0]
        elif name == b"ds64" and len(part) >= 16:                        # the ds64 chunk of an RF64 file contains the size of the samples
            long = struct.unpack("<Q", part[8:16])[0]
        elif name == b"data" and samples is None:
            rest = raw[at + 8:]                                          # the header of an interrupted recording has no size
            samples = rest[:long or None] if size == 0xffffffff else rest if size == 0 and not is_chunk(rest) else part
        at += 8 + size + (size & 1 if raw[at + 8 + size:at + 9 + size] in (b"\0", b"") else 0)
    if form is None or samples is None:
        raise Unreadable("a WAV file without a %s chunk" % ("fmt" if form is None else "data"))
    encoding, channels, rate, _, frame, bits = form
    width = -(-bits // 8)
    if (encoding, width) not in SAMPLES:
        raise Unreadable("a WAV file of encoding %d with %d bits, which is not read here: save it as PCM" % (encoding, bits))
    if not channels or not 1000 <= rate <= 768000:
        raise Unreadable("a WAV file of %s at %d Hz" % (count(channels, "channel"), rate))
    if frame != channels * width:        # the page also refuses such files, because programs disagree about where the bits are
        raise Unreadable("a WAV file whose %s of %d bits do not fit its frames of %d bytes" % (count(channels, "channel"), bits, frame))
    x = SAMPLES[encoding, width](samples)
    return x[:len(x) // channels * channels].reshape(-1, channels), rate


def heard(path):
    """Returns the samples (n,), averaged over the channels, and their rate. Raises Unreadable if the file cannot be read as a sound."""
    try:
        with open(path, "rb") as f:
            raw = f.read()
    except OSError as error:
        raise Unreadable(error.strerror)
    if not raw:
        raise Unreadable("empty")
    soundfile = importlib.util.find_spec("soundfile") and importlib.import_module("soundfile")
    if raw[:4] in FORMS:
        try:
            x, rate = from_wav(raw)
        except Unreadable:
            if not soundfile:
                raise
            x = None
    else:
        x = None
        if not soundfile:
            ending = os.path.splitext(path)[1].lower()
            raise Unreadable("not a WAV file" if ending in (".wav", ".wave") else "%s needs the package soundfile: pip install soundfile, or save it as WAV" % ending)
    if x is None:
        try:
            x, rate = soundfile.read(io.BytesIO(raw), always_2d=True)
        except Exception as error:       # soundfile may raise any error of its C library
            raise Unreadable("no sound that can be read (%s)" % error)
    x = np.nan_to_num(x.astype(np.float64).mean(1), nan=0.0, posinf=0.0, neginf=0.0)
    if len(x) > LONGEST * rate:
        raise Unreadable("longer than an hour")
    return x, rate


def resampled(x, rate, wanted):
    """Resamples a sound. Each new sample is a weighted sum of the old samples around it. The weights are a sinc under a Hann window, which
    removes frequencies above half of the lower rate."""
    if rate == wanted:
        return x
    common = math.gcd(rate, wanted)
    up, down, cut = wanted // common, rate // common, min(1.0, wanted / rate)
    half = math.ceil(REACH / cut)
    out, padded = np.empty(int(round(len(x) * wanted / rate))), np.pad(x, half + 1)
    taps = np.arange(-half, half + 1)
    for phase in range(min(up, len(out))):  # outputs at the same fraction between two samples share their weights
        at = np.arange(phase, len(out), up)
        between, first = phase * down % up / up, at * down // up
        t = taps - between
        weights = cut * np.sinc(cut * t) * np.where(abs(t) <= half, 0.5 + 0.5 * np.cos(np.pi * t / half), 0)
        for begin in range(0, len(at), 4096):
            some = first[begin:begin + 4096]
            out[at[begin:begin + 4096]] = padded[some[:, None] + taps + half + 1] @ weights
    return out


def levels(path, rate):
    """Returns the mu-law levels of a recording, resampled to `rate`, with the silence around it cut off and its volume normalised. Raises
    Unreadable if the file is not a usable recording."""
    x, own = heard(path)
    x = resampled(x, own, rate)
    if len(x) < SHORTEST * rate:
        raise Unreadable("shorter than %g seconds" % SHORTEST)
    if np.abs(x).max() < 1e-4:
        raise Unreadable("silent")
    x = fsdd.word(x - x.mean())
    if len(x) < SHORTEST * rate:
        raise Unreadable("shorter than %g seconds without its silence" % SHORTEST)
    return fsdd.compress(x)


def pieces(clip, longest, rate):
    """Cuts a recording into pieces of at most `longest` samples; only the last piece ends in an end token."""
    if len(clip) < longest:
        return [clip]
    found = [clip[at:at + longest] for at in range(0, len(clip), longest)]
    return found if len(found[-1]) >= REST * rate else found[:-1]


@functools.lru_cache(maxsize=1)
def scanned(directory, rate):
    """Returns ({split: [(path, levels)]}, report), without the levels of the test part"""
    return folder.scan(directory, "sounds", lambda path: levels(path, rate))


def named(path):
    """Returns the digit and the speaker of a file name like DIGIT_SPEAKER_TAKE.wav; None for other names."""
    found = NAMED.match(typed.name(os.path.basename(path)))
    return found and found.groups()[:2]


def digits(directory):
    """Returns whether all recordings have names like DIGIT_SPEAKER_TAKE.wav."""
    paths = Found(directory, "sounds").paths()
    return bool(paths) and all(map(named, paths))


def speakers_of(directory):
    """Returns the names of the speakers, from file names like DIGIT_SPEAKER_TAKE.wav or from the folders within the class folders."""
    if digits(directory):
        return sorted({named(path)[1] for path in Found(directory, "sounds").paths()})
    inner = {tuple(typed.name(os.path.relpath(path, directory)).split(os.sep)[1:-1]) for path in Found(directory, "sounds").paths()}
    return sorted({parts[0] for parts in inner if parts})


def classes_of(directory):
    """Returns the names of the classes: the digits in file names like DIGIT_SPEAKER_TAKE.wav, or the names of the top-level folders."""
    if digits(directory):
        return sorted({named(path)[0] for path in Found(directory, "sounds").paths()}, key=int)
    return folder.subfolders(directory, "sounds")


def read(directory, split, evaluation=False, rate=fsdd.RATE, longest=1 << 30, classes=(), speakers=()):
    """Returns a list of mu-law levels, one array per recording, and the indices of the classes (N,) and of the speakers (N,). An index is
    -1 if the recording has none of the given names. Only this function opens your own recordings."""
    if split not in ("train", "validation"):
        data.check_evaluation(evaluation, "split %r" % split)
    parts, found = scanned(directory, rate)
    total = sum(map(len, parts.values()))
    if total < LEAST:
        found.short(count(total, "recording"), "at least %d are needed" % LEAST)
    seconds = sum(len(clip) for split in ("train", "validation") for _, clip in parts[split]) / rate
    found.say("%s, %.0f s without what is held out" % (count(total, "recording"), seconds))
    clips, labels, voices, by_name = [], [], [], digits(directory)
    of = lambda names, name: [n.lower() for n in names].index(name.lower()) if name.lower() in [n.lower() for n in names] else -1
    for path, clip in parts[split]:
        if by_name:
            digit, speaker = named(path)
            label, voice = of(classes, digit), of(speakers, speaker)
        else:
            label, voice = folder.class_of(path, directory, classes), folder.class_of(path, directory, speakers)
        for piece in pieces(levels(path, rate) if clip is None else clip, longest, rate):
            clips.append(piece), labels.append(label), voices.append(voice)
    return clips, np.array(labels, np.int64), np.array(voices, np.int64)
