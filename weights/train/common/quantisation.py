# SPDX-License-Identifier: MIT
"""Encodes and decodes blocks of 32 weights with 8 or 4 bits per weight, in the formats of GGUF (Q8_0, Q4_0)."""
import numpy as np


def quantize_q8_0(x):
    """Encodes an array of floats, of shape (..., 32 m), as bytes. A block of 32 values becomes an f16 scale and 32 int8 values:

        scale     (the largest magnitude) / 127
        value     round(x/scale)
    """
    blocks = np.ascontiguousarray(x, np.float32).reshape(-1, 32)
    scale = np.abs(blocks).max(1) / np.float32(127)
    inverse = np.divide(1, scale, out=np.zeros_like(scale), where=scale > 0)
    scaled = blocks * inverse[:, None]                   # rounds half away from zero, like C's roundf
    q = np.clip(np.trunc(scaled + np.copysign(np.float32(0.5), scaled)), -127, 127).astype(np.int8)
    out = np.zeros(len(blocks), dtype=[("d", "<f2"), ("q", "i1", 32)])
    out["d"], out["q"] = scale.astype(np.float16), q
    return out.tobytes()


def dequantize_q8_0(raw, shape):
    b = np.frombuffer(raw, dtype=[("d", "<f2"), ("q", "i1", 32)])
    return (b["d"].astype(np.float32)[:, None] * b["q"].astype(np.float32)).reshape(shape)


def quantize_q4_0(x):
    """Encodes an array of floats, of shape (..., 32 m), as bytes. A block of 32 values becomes an f16 scale and 16 bytes:

        scale     (the value of largest magnitude, with its sign) / -8
        nibble    round(x/scale) + 8, in 0..15
        byte j    nibble j in the low half, nibble 16 + j in the high half
    """
    blocks = np.ascontiguousarray(x, np.float32).reshape(-1, 32)
    scale = blocks[np.arange(len(blocks)), np.abs(blocks).argmax(1)] / np.float32(-8)
    inverse = np.divide(1, scale, out=np.zeros_like(scale), where=scale != 0)
    q = np.minimum(15, blocks * inverse[:, None] + np.float32(8.5)).astype(np.uint8)
    out = np.zeros(len(blocks), dtype=[("d", "<f2"), ("q", "u1", 16)])
    out["d"], out["q"] = scale.astype(np.float16), q[:, :16] | q[:, 16:] << 4
    return out.tobytes()


def dequantize_q4_0(raw, shape):
    b = np.frombuffer(raw, dtype=[("d", "<f2"), ("q", "u1", 16)])
    q = np.concatenate([b["q"] & 15, b["q"] >> 4], 1).astype(np.float32) - 8
    return (b["d"].astype(np.float32)[:, None] * q).reshape(shape)
