// SPDX-License-Identifier: MIT
// @ts-check

/** WAV files: read to samples of one channel, written with 16 bits. */

import { NextPixelError } from '../../base/error.js';

/** Samples of one channel between -1 and 1; how many channels there were, and how many samples a second.
 * @typedef {{ data: Float32Array<ArrayBuffer>, rate: number, channels: number }} Recorded */

const PCM = 1;
const FLOAT = 3;
const A_LAW = 6;
const MU_LAW = 7;
const EXTENSIBLE = 0xfffe;

/** @param {string} why */
const broken = (why) => new NextPixelError('format', `The sound cannot be read: ${why}`);

/** Of G.711 mu-law, as files have it. @param {number} byte */
function fromMuLaw(byte) {
  const bits = ~byte;
  const size = (((bits & 15) << 3) + 132 << ((bits >> 4) & 7)) - 132;
  return (bits & 128 ? -size : size) / 32768;
}

/** Of G.711 A-law. @param {number} byte */
function fromALaw(byte) {
  const bits = byte ^ 0x55;
  const segment = (bits >> 4) & 7;
  const size = segment === 0 ? ((bits & 15) << 4) + 8 : ((bits & 15) << 4) + 264 << (segment - 1);
  return (bits & 128 ? size : -size) / 32768;
}

/** The reading of a sample, by encoding and bits. @type {Record<string, (view: DataView, at: number) => number>} */
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
  return /^(RIFF|RF64)....WAVE$/s.test(head);
}

/**
 * Reads a WAV file: 8, 16, 24 or 32 bits, floats, mu-law or A-law, any number of channels, which are averaged. A file that was cut off is
 * read as far as it goes.
 *
 * @param {Uint8Array} bytes
 * @param {number} [longest]  the most samples of a channel
 * @returns {Recorded}
 */
export function readWav(bytes, longest = Infinity) {
  if (!isWav(bytes)) throw broken('it is no WAV file');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  /** @type {{ encoding: number, channels: number, rate: number, frame: number, bits: number } | undefined} */
  let format;
  for (let at = 12; at + 8 <= bytes.length;) {
    const name = String.fromCharCode(...bytes.subarray(at, at + 4));
    const size = view.getUint32(at + 4, true);
    const begin = at + 8;
    if (name === 'fmt ') {
      if (size < 16 || begin + 16 > bytes.length) throw broken('its format is cut off');
      format = {
        encoding: view.getUint16(begin, true), channels: view.getUint16(begin + 2, true), rate: view.getUint32(begin + 4, true),
        frame: view.getUint16(begin + 12, true), bits: view.getUint16(begin + 14, true),
      };
      if (format.encoding === EXTENSIBLE && size >= 26 && begin + 26 <= bytes.length) format.encoding = view.getUint16(begin + 24, true);
    }
    if (name === 'data') {
      if (!format) throw broken('its data come before their format');
      return samplesOf(view, begin, Math.min(size, bytes.length - begin), format, longest);
    }
    at = begin + size + (size % 2);
  }
  throw broken('it has no samples');
}

/**
 * @param {DataView} view
 * @param {number} begin
 * @param {number} size
 * @param {{ encoding: number, channels: number, rate: number, frame: number, bits: number }} format
 * @param {number} longest
 * @returns {Recorded}
 */
function samplesOf(view, begin, size, { encoding, channels, rate, frame, bits }, longest) {
  const read = READERS[`${encoding} ${bits}`];
  if (!read) throw new NextPixelError('unsupported', `The sound is encoded in a way that is not read here (${encoding}, ${bits} bits): save it as WAV with 16 bits`);
  const width = bits / 8;
  if (channels < 1 || frame !== channels * width) throw broken('its channels do not fit its samples');
  if (rate < 1000 || rate > 768000) throw broken(`${rate} samples a second cannot be`);
  const count = Math.floor(size / frame);
  if (count > longest) throw new NextPixelError('limit', `The sound has ${Math.round(count / rate)} seconds: at most ${Math.floor(longest / rate)} can be read`);
  const data = new Float32Array(count);
  for (let i = 0; i < count; i++) {
    let sum = 0;
    for (let c = 0; c < channels; c++) sum += read(view, begin + i * frame + c * width);
    data[i] = sum / channels;
  }
  return { data, rate, channels };
}

/**
 * A WAV file of 16 bits and one channel.
 *
 * @param {Float32Array} samples
 * @param {number} rate
 * @returns {Uint8Array<ArrayBuffer>}
 */
export function writeWav(samples, rate) {
  const bytes = new Uint8Array(44 + 2 * samples.length);
  const view = new DataView(bytes.buffer);
  const text = (/** @type {number} */ at, /** @type {string} */ name) => [...name].forEach((letter, i) => { bytes[at + i] = letter.charCodeAt(0); });
  text(0, 'RIFF');
  view.setUint32(4, bytes.length - 8, true);
  text(8, 'WAVEfmt ');
  view.setUint32(16, 16, true);
  view.setUint16(20, PCM, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, rate, true);
  view.setUint32(28, 2 * rate, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  text(36, 'data');
  view.setUint32(40, 2 * samples.length, true);
  samples.forEach((sample, i) => view.setInt16(44 + 2 * i, Math.round(32767 * Math.min(Math.max(sample, -1), 1)), true));
  return bytes;
}
