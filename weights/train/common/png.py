# SPDX-License-Identifier: MIT
"""Writes pictures as PNG without a library."""
import struct
import zlib

import numpy as np


def write_png(path, image):
    """Writes image (h, w, 3) uint8 as PNG."""
    h, w = image.shape[:2]
    raw = b"".join(b"\0" + image[r].tobytes() for r in range(h))
    chunk = lambda kind, body: struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
    with open(path, "wb") as f:
        f.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", w, h, 8, 2, 0, 0, 0))
                + chunk(b"IDAT", zlib.compress(raw, 9)) + chunk(b"IEND", b""))


def mosaic(path, tiles):
    """Writes uint8 tiles (rows, columns, H, W, 3 or 1) as one PNG, scaled by two, with lines between the tiles."""
    tiles = np.broadcast_to(tiles, tiles.shape[:4] + (3,))
    tiles = np.pad(tiles, ((0, 0), (0, 0), (1, 1), (1, 1), (0, 0)), constant_values=96)
    image = tiles.transpose(0, 2, 1, 3, 4).reshape(tiles.shape[0] * tiles.shape[2], -1, 3)
    write_png(path, image.repeat(2, 0).repeat(2, 1))
