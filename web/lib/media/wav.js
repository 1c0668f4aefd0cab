// SPDX-License-Identifier: MIT
// @ts-check

/** Reads WAV files as samples of one channel, and writes WAV files with 16 bits per sample. */

import { NextPixelError } from '../base/error.js';

/** The lowest and the highest sample rate of a sound. @type {[number, number]} */
export const RATES = [1000, 768000];

/**
 * @typedef {{ encoding: number, channels: number, rate: number, frame: number, bits: number }} Format  frame: number of bytes that one
 *   sample takes in all channels
 */

const PCM = 1;
const FLOAT = 3;
const A_LAW = 6;
const MU_LAW = 7;
const EXTENSIBLE = 0xfffe;

/** Matches the name of a chunk that WAV files usually have. */
const CHUNK = /^(fmt |data|fact|LIST|JUNK|bext|cue |smpl|inst|PEAK|id3 |iXML)$/;

/** Number of bytes read at one position. These bytes contain a chunk's name and size, and all fields of a format chunk. */
const LOOK_BYTES = 64;
/** Number of bytes read per step until the samples are found. */
const PART_BYTES = 1 << 16;
/** Maximum number of chunks; files usually have about ten. */
const MOST_CHUNKS = 1000;

/** @param {string} why */
const broken = (why) => new NextPixelError('format', `The sound cannot be read: ${why}`);

/** Decodes G.711 mu-law. @param {number} byte */
function fromMuLaw(byte) {
  const bits = ~byte;
  const size = ((((bits & 15) << 3) + 132) << ((bits >> 4) & 7)) - 132;
  return (bits & 128 ? -size : size) / 32768;
}

/** Decodes G.711 A-law. @param {number} byte */
function fromALaw(byte) {
  const bits = byte ^ 0x55;
  const segment = (bits >> 4) & 7;
  const size = segment === 0 ? ((bits & 15) << 4) + 8 : (((bits & 15) << 4) + 264) << (segment - 1);
  return (bits & 128 ? size : -size) / 32768;
}

/** Maps an encoding and its number of bits to the function that decodes one sample.
 * @type {Record<string, (view: DataView, at: number) => number>} */
const READERS = {
  [`${PCM} 8`]: (view, at) => (view.getUint8(at) - 128) / 128,
  [`${PCM} 16`]: (view, at) => view.getInt16(at, true) / 32768,
  [`${PCM} 24`]: (view, at) => (view.getUint8(at) | (view.getInt16(at + 1, true) << 8)) / 8388608,
  [`${PCM} 32`]: (view, at) => view.getInt32(at, true) / 2147483648,
  [`${FLOAT} 32`]: (view, at) => view.getFloat32(at, true),
  [`${FLOAT} 64`]: (view, at) => view.getFloat64(at, true),
  [`${A_LAW} 8`]: (view, at) => fromALaw(view.getUint8(at)),
  [`${MU_LAW} 8`]: (view, at) => fromMuLaw(view.getUint8(at)),
};

/** @param {Uint8Array} bytes */
export function isWav(bytes) {
  const head = String.fromCharCode(...bytes.subarray(0, 12));
  return /^(RIFF|RF64|BW64)....WAVE$/s.test(head);
}

/**
 * A sound that can be read in ranges. The length is known before the samples are read.
 *
 * @typedef {object} Reading
 * @property {number} count     number of samples per channel
 * @property {number} rate
 * @property {number} channels
 * @property {(from: number, to: number) => Float32Array<ArrayBuffer>} read  returns the mean of the channels
 */

/**
 * Describes where the samples of a file are; the samples themselves are not read.
 *
 * @typedef {object} Samples
 * @property {number} count     number of samples per channel
 * @property {number} rate
 * @property {number} channels
 * @property {number} begin     offset of the samples in the file
 * @property {number} end
 * @property {(bytes: Uint8Array) => Reading} of  reads the samples, given the file's bytes from `begin` to `end`
 */

/**
 * Reads a WAV file: 8, 16, 24 or 32 bits, floats, mu-law or A-law, with any number of channels. A truncated file, or a file whose writer
 * did not know its length, is read to its end.
 *
 * @param {Uint8Array} bytes
 * @returns {Reading}
 */
export function openWav(bytes) {
  const finding = findSamples(bytes.length);
  for (let step = finding.next(); ; step = finding.next(bytes.subarray(step.value, step.value + LOOK_BYTES))) {
    if (step.done) return step.value.of(bytes.subarray(step.value.begin, step.value.end));
  }
}

/**
 * Finds the samples of a WAV file. Reads only the parts of the file that contain chunk headers.
 *
 * @param {number} size  size of the file in bytes
 * @param {(from: number, to: number) => Promise<Uint8Array>} read  reads a part of the file
 * @returns {Promise<Samples>}
 */
export async function locateWav(size, read) {
  const finding = findSamples(size);
  let begin = 0;
  /** @type {Uint8Array} */
  let part = new Uint8Array(0);
  for (let step = finding.next(); ; ) {
    if (step.done) return step.value;
    const at = step.value;
    if (at < begin || Math.min(at + LOOK_BYTES, size) > begin + part.length)
      [begin, part] = [at, await read(at, Math.min(at + PART_BYTES, size))];
    step = finding.next(part.subarray(at - begin, at - begin + LOOK_BYTES));
  }
}

/**
 * @param {number} size  size of the file in bytes
 * @returns {Generator<number, Samples, Uint8Array>} yields the offset of the next LOOK_BYTES bytes to read; near the end of the file,
 *   fewer bytes are enough
 */
function* findSamples(size) {
  if (!isWav(yield 0)) throw broken('it is not a WAV file');
  /** @type {Format | undefined} */
  let format;
  let long = 0; // length of the data in an RF64 file
  let at = 12;
  for (let chunks = 0; at + 8 <= size; chunks++) {
    if (chunks >= MOST_CHUNKS) throw broken(`more than ${MOST_CHUNKS} chunks precede its samples`);
    const bytes = yield at;
    if (bytes.length < 8) break; // the file has become shorter since its size was read
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const name = text(bytes, 0);
    const said = view.getUint32(4, true);
    const begin = at + 8;
    if (name === 'ds64' && bytes.length >= 24) long = Number(view.getBigUint64(16, true));
    if (name === 'fmt ') {
      if (said < 16 || bytes.length < 24) throw broken('its format is cut off');
      format = {
        encoding: view.getUint16(8, true),
        channels: view.getUint16(10, true),
        rate: view.getUint32(12, true),
        frame: view.getUint16(20, true),
        bits: view.getUint16(22, true),
      };
      if (format.encoding === EXTENSIBLE && said >= 26 && bytes.length >= 34) format.encoding = view.getUint16(32, true);
    }
    if (name === 'data') {
      if (!format) throw broken('its data precedes its format');
      const left = size - begin;
      // The writer of a stream does not know the length at the beginning, so the header has 0 or all ones.
      const open = said === 0xffffffff ? long || left : said === 0 && !isChunk(view, 8, left) ? left : said;
      return samplesOf(format, begin, Math.min(open, left));
    }
    at = begin + said;
    if (said % 2 && !CHUNK.test(text(yield at, 0))) at++; // skips the padding byte, which some writers omit
  }
  throw broken('it has no samples');
}

/** @param {Uint8Array} bytes @param {number} at */
const text = (bytes, at) => String.fromCharCode(...bytes.subarray(at, at + 4));

/**
 * Returns whether the bytes at a position begin another chunk; otherwise they are samples.
 *
 * @param {DataView} view
 * @param {number} at
 * @param {number} left number of bytes from this position to the end of the file
 */
function isChunk(view, at, left) {
  if (at + 8 > view.byteLength) return false;
  const name = [0, 1, 2, 3].map((i) => view.getUint8(at + i));
  return name.every((byte) => byte >= 0x20 && byte < 0x7f) && view.getUint32(at + 4, true) + 8 <= left;
}

/**
 * @param {Format} format
 * @param {number} begin
 * @param {number} size
 * @returns {Samples}
 */
function samplesOf({ encoding, channels, rate, frame, bits }, begin, size) {
  const width = frame / channels; // width of a sample in bytes; if a sample has fewer bits, they are left-aligned
  const sample =
    Number.isInteger(width) && bits <= 8 * width && bits > 8 * width - 8
      ? READERS[`${encoding} ${8 * width}`]
      : READERS[`${encoding} ${bits}`];
  if (!sample)
    throw new NextPixelError(
      'unsupported',
      `The encoding of the sound is not supported (${encoding}, ${bits} bits): save it as WAV with 16 bits`,
    );
  if (channels < 1 || frame !== channels * Math.ceil(bits / 8)) throw broken('its channels do not fit its samples');
  if (rate < RATES[0] || rate > RATES[1]) throw broken(`it has ${rate} samples per second, but ${RATES[0]} to ${RATES[1]} can be read`);
  const count = Math.floor(size / frame);
  return {
    count,
    rate,
    channels,
    begin,
    end: begin + count * frame,
    of: (bytes) => {
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      const read = (/** @type {number} */ from, /** @type {number} */ to) => {
        const data = new Float32Array(to - from);
        for (let i = from; i < to; i++) {
          let sum = 0;
          for (let c = 0; c < channels; c++) sum += sample(view, i * frame + c * width);
          data[i - from] = sum / channels;
        }
        return data;
      };
      return { count, rate, channels, read };
    },
  };
}

/**
 * Returns a 16-bit mono WAV file.
 *
 * @param {Float32Array} samples
 * @param {number} rate
 * @returns {Uint8Array<ArrayBuffer>}
 */
export function writeWav(samples, rate) {
  const bytes = new Uint8Array(44 + 2 * samples.length);
  const view = new DataView(bytes.buffer);
  const put = (/** @type {number} */ at, /** @type {string} */ name) =>
    [...name].forEach((letter, i) => {
      bytes[at + i] = letter.charCodeAt(0);
    });
  put(0, 'RIFF');
  view.setUint32(4, bytes.length - 8, true);
  put(8, 'WAVEfmt ');
  view.setUint32(16, 16, true);
  view.setUint16(20, PCM, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, rate, true);
  view.setUint32(28, 2 * rate, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  put(36, 'data');
  view.setUint32(40, 2 * samples.length, true);
  samples.forEach((sample, i) => view.setInt16(44 + 2 * i, Math.round(32767 * Math.min(Math.max(sample, -1), 1)), true));
  return bytes;
}
