// SPDX-License-Identifier: MIT
// @ts-check

/** Converts any sound from a page to the samples that a model reads: one channel, at the model's rate. */

import { abortable } from '../base/abort.js';
import { join } from '../base/arrays.js';
import { bytesOfBlob, isBlob } from '../base/blob.js';
import { show } from '../base/checks.js';
import { NextPixelError, argumentError, reading } from '../base/error.js';
import { part } from '../base/part.js';
import { classOf } from '../base/realm.js';
import { inTurns } from '../base/turns.js';
import { bytesOf, isAddress, isBytes } from '../load/source.js';
import { Resampler } from './resample.js';
import { RATES, isWav, locateWav, openWav } from './wav.js';

/** @import { Dom } from '../base/dom.js' */
/** @import { Reading } from './wav.js' */

/** `samples`: the samples of one channel, between -1 and 1, or a list of channels with the same length. `sampleRate`: samples per second.
 * The samples of an Int8Array, Uint8Array, Int16Array or Int32Array are integers, as in sound files.
 * @typedef {{ samples: ArrayLike<number> | ArrayLike<number>[], sampleRate: number }} PlainSound */

/**
 * A sound: an AudioBuffer, a file (a Blob, its bytes or its address), a MediaStream, or samples. The file is a WAV file or, in a browser,
 * any file that the browser decodes. A MediaStream is recorded until its tracks end, for at most 60 seconds. A sound of more than 2^23
 * samples or bytes is not copied, so do not change it until it has been read.
 *
 * @typedef {Dom<'AudioBuffer'> | Dom<'MediaStream'> | Blob | ArrayBuffer | Uint8Array | string | URL | PlainSound} SoundSource
 */

/**
 * A sound in the form that the model takes.
 *
 * @typedef {object} Heard
 * @property {Float32Array} samples  one channel, at the model's rate
 * @property {number} sampleRate           sample rate of the given sound
 * @property {number} channels       number of channels of the given sound
 * @property {string} said           a sentence about the changes that were made, such as 'The sound was resampled from 44100 to 8000
 *   samples a second and was mixed down to one channel of 2.'; '' if nothing was changed
 */

/** The longest sound that is read, in seconds. */
const LONGEST_SECONDS = 60;
/** Maximum size in bytes of a file that the browser decodes, by format. Each limit is enough for 60 seconds of sound. */
const MOST_BYTES = { lossless: 2 ** 27, other: 2 ** 23 };
/** Number of bytes at the beginning of a file that are examined before the rest is read. */
const HEAD_BYTES = 1 << 16;
/**
 * Maximum number of samples, or bytes of a file, that are copied before they are read. Copying more would block the page for too long.
 */
const MOST_COPIED = 1 << 23;
/** Number of samples read per step. */
const STRETCH = 2048;
const MOST_CHANNELS = 256;
/** Largest accepted absolute value of a sample. A larger value shows that the samples are not on a scale from -1 to 1. */
const LOUDEST = 16;

/**
 * Maps the class of a list to the function that converts its values to numbers between -1 and 1.
 * @type {Record<string, (value: number) => number>}
 */
const SCALES = {
  Int8Array: (value) => value / 128,
  Uint8Array: (value) => (value - 128) / 128,
  Uint8ClampedArray: (value) => (value - 128) / 128,
  Int16Array: (value) => value / 32768,
  Int32Array: (value) => value / 2147483648,
};

/**
 * @param {SoundSource} sound
 * @param {number} rate  sample rate of the model
 * @param {AbortSignal} [signal]
 * @returns {Promise<Heard>}
 */
export async function heardOf(sound, rate, signal) {
  const source = await openSound(sound, signal);
  signal?.throwIfAborted();
  const { count, rate: given, channels } = source;
  if (count === 0) throw argumentError('The sound is empty: it has no sample');
  checkLength(count, given);
  const samples = await inTurns(resampled(source, rate), signal);
  if (samples.length === 0) throw argumentError("The sound is too short: it has no sample at the model's rate");
  const done = [
    ...(given === rate ? [] : [`was resampled from ${given} to ${rate} samples a second`]),
    ...(channels === 1 ? [] : [`was mixed down to one channel of ${channels}`]),
  ];
  return { samples, sampleRate: given, channels, said: done.length > 0 ? `The sound ${done.join(' and ')}.` : '' };
}

/**
 * @param {Reading} source
 * @param {number} rate
 * @returns {Generator<void, Float32Array<ArrayBuffer>, void>}
 */
function* resampled({ count, rate: given, read }, rate) {
  const resampler = new Resampler(given, rate);
  const parts = [];
  let [loudest, whole] = [0, true];
  for (let from = 0; from < count; from += STRETCH) {
    const data = reading('sound', () => read(from, Math.min(from + STRETCH, count)));
    for (const [i, sample] of data.entries()) {
      if (!Number.isFinite(sample)) throw argumentError(`The sound is broken: sample ${from + i} is not a number`);
      loudest = Math.max(loudest, Math.abs(sample));
      whole &&= Number.isInteger(sample);
    }
    parts.push(resampler.push(data));
    yield;
  }
  if (loudest > LOUDEST || (whole && loudest > 1)) {
    throw argumentError(
      `The samples of a sound must be between -1 and 1, not ${loudest}: divide 16-bit samples by 32768, or pass an Int16Array`,
    );
  }
  return join(Float32Array, [...parts, resampler.end()]);
}

/** @param {number} count  number of samples per channel @param {number} rate */
function checkLength(count, rate) {
  if (count <= LONGEST_SECONDS * rate) return;
  const seconds = Math.floor(count / rate);
  throw new NextPixelError(
    'limit',
    !Number.isFinite(seconds)
      ? `The sound has no end: give at most ${LONGEST_SECONDS} seconds`
      : `The sound has ${seconds === LONGEST_SECONDS ? 'more than ' : ''}${seconds} seconds: give at most ${LONGEST_SECONDS}`,
  );
}

/**
 * @param {any} sound
 * @param {AbortSignal} [signal]
 * @returns {Promise<Reading>}
 */
async function openSound(sound, signal) {
  if (isAddress(sound)) return openFile(await (await part(() => import('../load/file-at.js'))).fileAt(sound, signal), signal);
  if (classOf(sound) === 'MediaStream')
    return openFile(await (await part(() => import('./stream.js'))).recorded(sound, LONGEST_SECONDS, signal), signal);
  if (isBlob(sound)) return openFile(sound, signal);
  if (!isBytes(sound)) return reading('sound', () => plain(sound));
  const view = ArrayBuffer.isView(sound) && sound.length > 0 ? sound : bytesOf(sound); // bytesOf() reports a detached array (length 0)
  if (!isWav(view)) return decoded(view, view.length, () => new Uint8Array(view), signal);
  const { count, rate } = openWav(view);
  checkLength(count, rate);
  return openWav(view.length <= MOST_COPIED ? new Uint8Array(view) : view);
}

/**
 * @param {Blob} file
 * @param {AbortSignal} [signal]
 * @returns {Promise<Reading>}
 */
async function openFile(file, signal) {
  const part = async (/** @type {number} */ from, /** @type {number} */ to) => {
    return bytesOfBlob(from === 0 && to === file.size ? file : file.slice(from, to), signal);
  };
  const head = await part(0, Math.min(file.size, HEAD_BYTES));
  if (!isWav(head)) return decoded(head, file.size, () => (head.length === file.size ? head : part(0, file.size)), signal);
  const samples = await locateWav(file.size, (from, to) => (from === 0 ? Promise.resolve(head) : part(from, to)));
  checkLength(samples.count, samples.rate);
  const bytes = samples.end <= head.length ? head.subarray(samples.begin, samples.end) : await part(samples.begin, samples.end);
  if (bytes.length !== samples.end - samples.begin)
    throw new NextPixelError('network', 'The file cannot be read: it has become shorter. Choose it again');
  return samples.of(bytes);
}

/**
 * @param {any} sound
 * @returns {Reading}
 */
function plain(sound) {
  if (typeof sound?.getChannelData === 'function') {
    const { sampleRate, numberOfChannels, length } = sound;
    checkLength(length, sampleRate); // checks the length before the samples are requested
    return mixed(
      Array.from({ length: numberOfChannels }, (_, i) => sound.getChannelData(i)),
      sampleRate,
    );
  }
  const { samples: data, sampleRate: rate } = typeof sound === 'object' && sound !== null ? sound : /** @type {any} */ ({});
  if (!isList(data))
    throw argumentError(
      `A sound is an AudioBuffer, a MediaStream, a Blob, an address, the bytes of a WAV file, or { samples, sampleRate }, not ${show(sound)}`,
    );
  if (!(Number.isFinite(rate) && rate >= RATES[0] && rate <= RATES[1]))
    throw argumentError(`sampleRate must be ${RATES[0]} to ${RATES[1]} samples per second, not ${show(rate)}`);
  if (typeof data[0] !== 'object') return mixed([data], rate);
  if (data.length > MOST_CHANNELS) throw argumentError(`A sound has at most ${MOST_CHANNELS} channels, not ${data.length}`);
  return mixed(Array.from(data), rate);
}

/** @param {any} value */
const isList = (value) => typeof value === 'object' && value !== null && typeof value.length === 'number';

/**
 * @param {any[]} channels
 * @param {number} rate
 * @returns {Reading}
 */
function mixed(channels, rate) {
  const wrong = channels.findIndex((channel) => !isList(channel));
  if (wrong >= 0) throw argumentError(`Channel ${wrong} of the sound must be a list of samples, not ${show(channels[wrong])}`);
  const { length: count } = channels[0] ?? [];
  checkLength(count, rate);
  if (channels.some(({ length }) => length !== count)) throw argumentError('The channels of a sound must have the same length');
  const own = channels.map((channel) =>
    count * channels.length <= MOST_COPIED && typeof channel.slice === 'function' ? channel.slice() : channel,
  ); // only a list of moderate size is copied; longer lists are read in chunks
  const scales = channels.map((channel) => {
    const kind = classOf(channel);
    if (/^(Big|Uint(16|32)|DataView)/.test(kind))
      throw argumentError(`The samples of a sound must be between -1 and 1, or in an Int16Array, not in a ${kind}`);
    return SCALES[kind] ?? ((/** @type {unknown} */ value) => (typeof value === 'number' ? value : NaN));
  });
  const read = (/** @type {number} */ from, /** @type {number} */ to) =>
    Float32Array.from({ length: to - from }, (_, i) => own.reduce((sum, channel, c) => sum + scales[c](channel[from + i]), 0) / own.length);
  return { count, rate, channels: channels.length, read };
}

/**
 * Decodes a file in any format that the browser supports.
 *
 * @param {Uint8Array} head  first bytes of the file
 * @param {number} size
 * @param {() => Uint8Array<ArrayBuffer> | Promise<Uint8Array<ArrayBuffer>>} whole
 * @param {AbortSignal} [signal]
 * @returns {Promise<Reading>}
 */
async function decoded(head, size, whole, signal) {
  if (size === 0) throw argumentError('The sound is empty: the file has no byte');
  const most = /^(fLaC|FORM|caff|wvpk|MAC )/.test(String.fromCharCode(...head.subarray(0, 4))) ? MOST_BYTES.lossless : MOST_BYTES.other;
  if (size > most)
    throw new NextPixelError(
      'limit',
      `The sound file has ${Math.round(size / 1e6)} MB, more than ${LONGEST_SECONDS} seconds of sound need: shorten it first`,
    );
  if (typeof OfflineAudioContext !== 'function')
    throw new NextPixelError('unsupported', 'The sound is not a WAV file: outside a browser, no other format is decoded');
  const bytes = await whole();
  try {
    return plain(await abortable(new OfflineAudioContext(1, 1, 44100).decodeAudioData(bytes.buffer), signal));
  } catch (cause) {
    if (cause instanceof NextPixelError || signal?.aborted) throw cause;
    throw new NextPixelError('format', 'The sound cannot be read: this browser does not decode it. Save it as WAV', { cause });
  }
}
