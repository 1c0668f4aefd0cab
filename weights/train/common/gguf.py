# SPDX-License-Identifier: MIT
"""A small GGUF v3 writer and reader (little-endian, alignment 32) for F32, F16, Q4_0 and Q8_0 tensors.

The parts of a file, in order:

    header          magic "GGUF", u32 version 3, u64 tensor count, u64 metadata count
    metadata        for each entry: key (string), u32 type, value
    tensor table    for each tensor: name (string), u32 rank, u64 dimensions with the fastest first, u32 type,
                    u64 offset from the start of the data
    padding         to a multiple of 32 bytes
    data            the bytes of each tensor, padded to a multiple of 32 bytes

A string is u64 length + UTF-8.
"""
import os
import struct
import sys
from typing import NamedTuple, Tuple

import numpy as np

from common.quantisation import dequantize_q4_0, dequantize_q8_0, quantize_q4_0, quantize_q8_0

F32, F16, Q4_0, Q8_0 = 0, 1, 2, 8                        # tensor types
U32, I32, FLOAT32, BOOL, STRING, ARRAY, U64 = 4, 5, 6, 7, 8, 9, 10        # metadata types
ALIGNMENT = 32


class Raw(NamedTuple):
    """A tensor in its stored form."""
    shape: Tuple[int, ...]
    kind: int
    bytes: bytes


def encode(x, kind):
    """Encodes a float32 array as the bytes of a tensor of type `kind`."""
    if kind in (Q4_0, Q8_0):
        return (quantize_q4_0 if kind == Q4_0 else quantize_q8_0)(x)
    return np.ascontiguousarray(x, "<f4" if kind == F32 else "<f2").tobytes()


def decode(raw):
    """Decodes a Raw to a float32 array; the inverse of `encode`."""
    if raw.kind in (Q4_0, Q8_0):
        return (dequantize_q4_0 if raw.kind == Q4_0 else dequantize_q8_0)(raw.bytes, raw.shape)
    return np.frombuffer(raw.bytes, "<f4" if raw.kind == F32 else "<f2").astype(np.float32).reshape(raw.shape)


def _string(s):
    raw = s.encode("utf-8")
    return struct.pack("<Q", len(raw)) + raw


def _value(v):
    """Encodes a Python value as a metadata type and bytes. An int becomes u32, and a float becomes f32; bool and str keep their types. The
    values of a list become i32, f32 or strings."""
    if isinstance(v, str):
        return struct.pack("<I", STRING) + _string(v)
    if isinstance(v, bool):
        return struct.pack("<I?", BOOL, v)
    if isinstance(v, int):
        return struct.pack("<II", U32, v)
    if isinstance(v, float):
        return struct.pack("<If", FLOAT32, v)
    if v and not isinstance(v[0], str):
        kind, code = (FLOAT32, "f") if isinstance(v[0], float) else (I32, "i")
        return struct.pack("<IIQ", ARRAY, kind, len(v)) + struct.pack("<%d%s" % (len(v), code), *v)
    return struct.pack("<IIQ", ARRAY, STRING, len(v)) + b"".join(_string(s) for s in v)


def write(path, metadata, tensors):
    """Writes a file and returns the number of bytes. metadata: {key: bool | int | float | str | list of str, int or float}; tensors: {name:
    (array, type) or Raw}."""
    pad = lambda n: -n % ALIGNMENT
    head = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(metadata))
    for key, v in metadata.items():
        head += _string(key) + _value(v)
    body = b""
    for name, tensor in tensors.items():
        if not isinstance(tensor, Raw):
            x = np.asarray(tensor[0], np.float32)
            tensor = Raw(x.shape, tensor[1], encode(x, tensor[1]))
        shape, kind, raw = tensor
        head += _string(name) + struct.pack("<I", len(shape)) + struct.pack("<%dQ" % len(shape), *shape[::-1])
        head += struct.pack("<IQ", kind, len(body))
        body += raw + bytes(pad(len(raw)))
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)  # a fresh clone has no folder build/
    with open(path, "wb") as f:
        f.write(head + bytes(pad(len(head))) + body)
    return len(head) + pad(len(head)) + len(body)


def read(path):
    """Reads a file -> (metadata dict, {name: (float32 array, type)})"""
    metadata, tensors = read_raw(path)
    return metadata, {name: (decode(raw), raw.kind) for name, raw in tensors.items()}


def read_raw(path):
    """Reads a file -> (metadata dict, {name: Raw}); ends the program if the file is missing or truncated."""
    if not os.path.isfile(path):
        sys.exit("%s: no such file" % path)
    with open(path, "rb") as f:
        raw = f.read()
    if raw[:4] != b"GGUF":
        sys.exit("%s is not a GGUF file: it begins with %r" % (path, raw[:16]))
    try:
        return walked(raw)
    except (struct.error, AssertionError, KeyError, UnicodeDecodeError) as error:
        sys.exit("%s is damaged, truncated or of an unsupported form (%s: %s)" % (path, type(error).__name__, error))


def walked(raw):
    """Parses the bytes of a GGUF file and returns (metadata dict, {name: Raw}), like read_raw."""
    at = 0

    def take(fmt):
        nonlocal at
        v = struct.unpack_from("<" + fmt, raw, at)
        at += struct.calcsize("<" + fmt)
        return v[0] if len(v) == 1 else v

    def string():
        nonlocal at
        n = take("Q")
        at += n
        return raw[at - n:at].decode("utf-8")

    def value(kind):
        if kind == STRING:
            return string()
        if kind == ARRAY:
            inner, n = take("I"), take("Q")
            return [value(inner) for _ in range(n)]
        return take({U32: "I", I32: "i", FLOAT32: "f", BOOL: "?", U64: "Q"}[kind])

    at = 4
    version, tensor_count, metadata_count = take("I"), take("Q"), take("Q")
    assert version == 3
    metadata = {}
    for _ in range(metadata_count):
        key = string()
        metadata[key] = value(take("I"))
    table = []
    for _ in range(tensor_count):
        name, rank = string(), take("I")
        shape = tuple(take("Q") for _ in range(rank))[::-1]
        table.append((name, shape, take("I"), take("Q")))
    start = at + -at % ALIGNMENT
    tensors = {}
    for name, shape, kind, offset in table:
        count = int(np.prod(shape))
        size = {F32: 4 * count, F16: 2 * count, Q4_0: count // 32 * 18, Q8_0: count // 32 * 34}[kind]
        assert (start + offset) % ALIGNMENT == 0 and start + offset + size <= len(raw)
        tensors[name] = Raw(shape, kind, raw[start + offset:start + offset + size])
    return metadata, tensors
