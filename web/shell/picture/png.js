// SPDX-License-Identifier: MIT
// Encodes RGBA pictures as PNG files, still or animated (APNG). The same pictures give the same pixels everywhere, but the compressed bytes
// depend on the browser's zlib.
// @ts-check
/** @import { Picture } from '../library.js' */

const SIGNATURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10);

const TABLE = Uint32Array.from({ length: 256 }, (_, n) => {
  let c = n;
  for (let k = 0; k < 8; k++) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
  return c;
});

/** @param {Uint8Array} bytes */
function crc32(bytes) {
  let c = 0xffffffff;
  for (const byte of bytes) c = TABLE[(c ^ byte) & 255] ^ (c >>> 8);
  return (c ^ 0xffffffff) >>> 0;
}

/** Encodes numbers as 32-bit words in big-endian order. @param {...number} numbers */
function words(...numbers) {
  const view = new DataView(new ArrayBuffer(4 * numbers.length));
  numbers.forEach((n, i) => view.setUint32(4 * i, n));
  return new Uint8Array(view.buffer);
}

/** @param {...Uint8Array} parts */
function joined(...parts) {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** @param {string} type @param {...Uint8Array} data */
function chunk(type, ...data) {
  const body = joined(
    Uint8Array.from(type, (c) => c.charCodeAt(0)),
    ...data,
  );
  return joined(words(body.length - 4), body, words(crc32(body)));
}

/** @param {Uint8Array<ArrayBuffer>} bytes */
async function deflated(bytes) {
  const packed = new Blob([bytes]).stream().pipeThrough(new CompressionStream('deflate'));
  return new Uint8Array(await new Response(packed).arrayBuffer());
}

/** A rectangular part of a picture. @typedef {{ x: number, y: number, width: number, height: number }} Box */

/**
 * Returns the compressed lines of a part, with each pixel enlarged `scale` times.
 *
 * @param {Picture} picture
 * @param {Box} box
 * @param {number} scale
 */
function packed(picture, { x, y, width, height }, scale) {
  const line = 1 + 4 * width * scale; // each line starts with a zero, which means no filter
  const bytes = new Uint8Array(line * height * scale);
  for (let row = 0; row < height * scale; row++) {
    for (let col = 0; col < width * scale; col++) {
      const from = 4 * ((y + Math.floor(row / scale)) * picture.width + x + Math.floor(col / scale));
      bytes.set(picture.data.subarray(from, from + 4), row * line + 1 + 4 * col);
    }
  }
  return deflated(bytes);
}

/** @param {Picture} picture @param {number} scale */
const header = ({ width, height }, scale) => chunk('IHDR', words(width * scale, height * scale), Uint8Array.of(8, 6, 0, 0, 0)); // 8 bits, RGBA

/** @param {Picture} picture @param {number} [scale] enlargement factor of each pixel */
export async function encodePng(picture, scale = 1) {
  const { width, height } = picture;
  return joined(
    SIGNATURE,
    header(picture, scale),
    chunk('IDAT', await packed(picture, { x: 0, y: 0, width, height }, scale)),
    chunk('IEND'),
  );
}

/** Returns the smallest box that contains all differences between two pictures, or null if they are identical.
 * @param {Picture} a @param {Picture} b @returns {Box | null} */
function changed(a, b) {
  let [left, top, right, bottom] = [a.width, a.height, -1, -1];
  for (let i = 0; i < a.data.length; i++) {
    if (a.data[i] === b.data[i]) continue;
    const col = (i >> 2) % a.width;
    const row = Math.floor((i >> 2) / a.width);
    left = Math.min(left, col);
    right = Math.max(right, col);
    top = Math.min(top, row);
    bottom = Math.max(bottom, row);
  }
  return right < 0 ? null : { x: left, y: top, width: right - left + 1, height: bottom - top + 1 };
}

/**
 * Encodes an animation that repeats forever. A frame that is identical to the previous frame is not stored; the previous frame then lasts
 * longer.
 *
 * @param {{ picture: Picture, ms: number }[]} frames frames of the same size
 * @param {number} [scale]
 */
export async function encodeFilm(frames, scale = 1) {
  /** @type {{ picture: Picture, ms: number, box: Box }[]} */
  const kept = [];
  for (const { picture, ms } of frames) {
    const last = kept.at(-1);
    const box = last ? changed(last.picture, picture) : { x: 0, y: 0, width: picture.width, height: picture.height };
    if (box) kept.push({ picture, ms, box });
    else if (last) last.ms += ms;
  }
  const parts = [SIGNATURE, header(kept[0].picture, scale), chunk('acTL', words(kept.length, 0))];
  let number = 0;
  for (const [i, { picture, ms, box }] of kept.entries()) {
    const { x, y, width, height } = box;
    // the delay is stored as the fraction ms / 1000, in seconds; the box replaces the same pixels of the previous frame
    parts.push(
      chunk(
        'fcTL',
        words(number++, width * scale, height * scale, x * scale, y * scale),
        Uint8Array.of(ms >> 8, ms & 255, 1000 >> 8, 1000 & 255, 0, 0),
      ),
    );
    const data = await packed(picture, box, scale);
    parts.push(i === 0 ? chunk('IDAT', data) : chunk('fdAT', words(number++), data));
  }
  return joined(...parts, chunk('IEND'));
}
