// SPDX-License-Identifier: MIT
// @ts-check

/** Generates random weights for the benchmark, with the same bits on every machine, and rounds them to the types of the file formats. */

const BLOCK = 32;

/**
 * Returns a generator of nearly normal numbers with variance 1. Each number is the sum of twelve uniform numbers, minus 6. Computing this
 * number needs only sums of integers and one division, which give the same result on every machine. The results of log and cos differ
 * between machines.
 *
 * @param {number} seed
 * @returns {() => number}
 */
export function normal(seed) {
  let state = (seed * 2654435761) >>> 0 || 1;
  const next = () => {
    // xorshift32
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
  return () => {
    let sum = 0;
    for (let i = 0; i < 6; i++) {
      const bits = next();
      sum += (bits >>> 16) + (bits & 0xffff);
    }
    return (sum + 6) / 65536 - 6;
  };
}

/**
 * @param {() => number} random
 * @param {number} count
 * @param {number} deviation
 * @param {number} [mean]
 */
export function floats(random, count, deviation, mean = 0) {
  const data = new Float32Array(count);
  for (let i = 0; i < count; i++) data[i] = mean + deviation * random();
  return data;
}

const word = new DataView(new ArrayBuffer(4));

/**
 * Rounds a number to half precision. The number must be zero or in the normal range of half precision.
 *
 * @param {number} value
 * @returns {number} the 16 bits of the rounded number
 */
export function half(value) {
  word.setFloat32(0, value);
  const bits = word.getUint32(0);
  const sign = (bits >>> 16) & 0x8000;
  const exponent = ((bits >>> 23) & 255) - 112;
  if (value === 0) return sign;
  if (exponent <= 0 || exponent >= 31) throw new RangeError(`${value} is out of the range of normal half floats`);
  const mantissa = bits & 0x7fffff;
  const down = (exponent << 10) | (mantissa >>> 13);
  const rest = mantissa & 0x1fff;
  return sign | (down + (rest > 0x1000 || (rest === 0x1000 && down & 1) ? 1 : 0));
}

/**
 * Returns the value with the largest magnitude, including its sign.
 *
 * @param {Float32Array} data
 * @param {number} from
 * @param {number} count
 */
function extreme(data, from, count) {
  let best = 0;
  for (let i = from; i < from + count; i++) if (Math.abs(data[i]) > Math.abs(best)) best = data[i];
  return best;
}

/**
 * Rounds to GGUF's Q8_0. A block of 32 numbers consists of a half-precision scale and 32 signed bytes.
 *
 * @param {Float32Array} data
 */
export function q8_0(data) {
  const bytes = new Uint8Array((data.length / BLOCK) * 34);
  const view = new DataView(bytes.buffer);
  for (let b = 0, at = 0; b < data.length; b += BLOCK, at += 34) {
    const scale = Math.abs(extreme(data, b, BLOCK)) / 127;
    view.setUint16(at, half(scale), true);
    for (let i = 0; i < BLOCK; i++) view.setInt8(at + 2 + i, scale ? Math.round(data[b + i] / scale) : 0);
  }
  return bytes;
}

/**
 * Rounds to GGUF's Q4_0. A block of 32 numbers consists of a half-precision scale and 16 bytes. Byte i holds value i in its low nibble and
 * value i + 16 in its high nibble, each plus 8.
 *
 * @param {Float32Array} data
 */
export function q4_0(data) {
  const bytes = new Uint8Array((data.length / BLOCK) * 18);
  const view = new DataView(bytes.buffer);
  for (let b = 0, at = 0; b < data.length; b += BLOCK, at += 18) {
    const scale = extreme(data, b, BLOCK) / -8;
    view.setUint16(at, half(scale), true);
    /** @param {number} i */
    const level = (i) => (scale ? Math.min(15, Math.floor(data[b + i] / scale + 8.5)) : 8);
    for (let i = 0; i < 16; i++) bytes[at + 2 + i] = level(i) | (level(i + 16) << 4);
  }
  return bytes;
}

/**
 * Rounds to signed bytes with a single scale, like quantize_dynamic of ONNX Runtime.
 *
 * @param {Float32Array} data
 * @returns {{ bytes: Int8Array, scale: number }}
 */
export function int8(data) {
  const scale = Math.abs(extreme(data, 0, data.length)) / 127;
  return { bytes: Int8Array.from(data, (value) => Math.round(value / scale)), scale };
}
