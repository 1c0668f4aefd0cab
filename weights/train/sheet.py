"""Sample sheets as PNG: a class grid above, completions of validation images below."""
import struct
import zlib

import numpy as np
import torch

import data


def write_png(path, image):
    """image (h, w) or (h, w, 3) uint8 -> PNG."""
    h, w = image.shape[:2]
    raw = b"".join(b"\0" + image[r].tobytes() for r in range(h))
    chunk = lambda kind, body: struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
    with open(path, "wb") as f:
        f.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", w, h, 8, 0 if image.ndim == 2 else 2, 0, 0, 0))
                + chunk(b"IDAT", zlib.compress(raw, 9)) + chunk(b"IEND", b""))


def sample_sheet(model, x, y, path, autocast, device, rows=4, temperature=1.0, seed=0):
    """Columns: classes 0..9 (or ten samples).  Rows: `rows` samples, then original, given top half, completion with the class, completion without."""
    c = model.c
    generator = torch.Generator(device).manual_seed(seed)
    columns, half = c.classes or 10, c.n // 2
    x, y = x[:columns].to(device), y[:columns].to(device)
    label = torch.arange(columns, device=device).repeat(rows) if c.classes else torch.full((columns * rows,), -1, device=device)
    with autocast():
        drawn = model.generate(label, None, temperature, generator)
        done = model.generate(torch.cat([y, torch.full_like(y, -1)]), x[:, :half].repeat(2, 1), temperature, generator)
    given = x.clone()
    given[:, half:] = 0
    tiles = torch.cat([drawn, x, given, done]).cpu().numpy()
    tiles = data.to_bytes(tiles, c.levels).reshape(-1, columns, c.height, c.width, c.channels)
    tiles = np.pad(tiles, ((0, 0), (0, 0), (1, 1), (1, 1), (0, 0)), constant_values=96)
    image = tiles.transpose(0, 2, 1, 3, 4).reshape(tiles.shape[0] * tiles.shape[2], -1, c.channels)
    image = image.repeat(2, 0).repeat(2, 1)
    write_png(path, image[:, :, 0] if c.channels == 1 else image)
