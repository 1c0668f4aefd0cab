// SPDX-License-Identifier: MIT
// @ts-check

/** From whatever a page has as a sound to the samples that a model hears: one channel, at its rate. */

import { bytesOfBlob, isBlob } from '../../base/blob.js';
import { show } from '../../base/checks.js';
import { NextPixelError, argumentError } from '../../base/error.js';
import { resample } from './resample.js';
import { isWav, readWav } from './wav.js';
import { isBytes } from '../../load/source.js';

/** @import { Dom } from '../../base/dom.js' */
/** @import { Recorded } from './wav.js' */

/** Samples between -1 and 1, of one channel or several of the same length, and how many there are in a second.
 * @typedef {{ data: ArrayLike<number> | ArrayLike<number>[], rate: number }} PlainSound */

/**
 * A sound: an AudioBuffer; a Blob or the bytes of a file, a WAV or, in a browser, whatever it decodes; or samples.
 *
 * @typedef {Dom<'AudioBuffer'> | Blob | ArrayBuffer | Uint8Array | PlainSound} SoundSource
 */

/**
 * A sound as the model hears it.
 *
 * @typedef {object} Heard
 * @property {Float32Array} samples  at the model's rate, one channel
 * @property {number} rate           of the sound as it was given
 * @property {number} channels       of the sound as it was given
 * @property {string} said           what was done to it, as a sentence: 'The sound was brought from 44100 to 8000 samples a second and its 2
 *   channels were mixed.' '' where nothing was
 */

/** The longest sound that is heard, in seconds. */
export const LONGEST_SECONDS = 60;
/** Samples a second that a sound can have. */
const RATES = [1000, 768000];

/**
 * @param {SoundSource} sound
 * @param {number} rate  of the model
 * @param {AbortSignal} [signal]
 * @returns {Promise<Heard>}
 */
export async function hear(sound, rate, signal) {
  const { data, rate: given, channels } = await recordedOf(sound, signal);
  signal?.throwIfAborted();
  if (data.length === 0) throw argumentError('The sound is empty: it has no sample');
  if (data.length > LONGEST_SECONDS * given) throw tooLong(data.length / given);
  const broken = data.findIndex((sample) => !Number.isFinite(sample));
  if (broken >= 0) throw argumentError(`The sound is broken: sample ${broken} is not a number`);
  const done = [
    ...(given === rate ? [] : [`was brought from ${given} to ${rate} samples a second`]),
    ...(channels === 1 ? [] : [`was mixed to one channel of ${channels}`]),
  ];
  const samples = given === rate ? Float32Array.from(data) : resample(Float32Array.from(data), given, rate);
  if (samples.length === 0) throw argumentError('The sound is too short: at the rate of the model nothing is left of it');
  return { samples, rate: given, channels, said: done.length > 0 ? `The sound ${done.join(' and ')}.` : '' };
}

/** @param {number} seconds */
const tooLong = (seconds) => new NextPixelError('limit', Number.isFinite(seconds) ?
  `The sound has ${Math.round(seconds)} seconds: give at most ${LONGEST_SECONDS}` : `The sound has no end: give at most ${LONGEST_SECONDS} seconds`);

/**
 * @param {any} sound
 * @param {AbortSignal} [signal]
 * @returns {Promise<Recorded>}
 */
async function recordedOf(sound, signal) {
  if (isBlob(sound)) return fileOf(await bytesOfBlob(sound), signal);
  if (isBytes(sound)) return fileOf(new Uint8Array(sound), signal);
  if (typeof sound?.getChannelData === 'function') {
    const { sampleRate, numberOfChannels, length } = sound;
    if (length > LONGEST_SECONDS * sampleRate) throw tooLong(length / sampleRate);
    return mixed(Array.from({ length: numberOfChannels }, (_, i) => sound.getChannelData(i)), sampleRate);
  }
  const { data, rate } = typeof sound === 'object' && sound !== null ? sound : /** @type {any} */ ({});
  if (data === undefined || typeof data !== 'object' || data === null || typeof data.length !== 'number') {
    throw argumentError(`A sound is an AudioBuffer, a Blob, the bytes of a WAV file, or { data, rate }, not ${show(sound)}`);
  }
  if (!(Number.isFinite(rate) && rate >= RATES[0] && rate <= RATES[1])) throw argumentError(`rate must be samples a second, ${RATES[0]} to ${RATES[1]}, not ${show(rate)}`);
  return mixed(data.length > 0 && typeof data[0] === 'object' ? Array.from(data) : [data], rate);
}

/**
 * @param {ArrayLike<number>[]} channels
 * @param {number} rate
 * @returns {Recorded}
 */
function mixed(channels, rate) {
  const { length } = channels[0] ?? [];
  if (!(length <= LONGEST_SECONDS * rate)) throw tooLong(length / rate);
  if (channels.some((channel) => channel.length !== length)) throw argumentError('The channels of a sound are of the same length');
  const data = Float32Array.from({ length }, (_, i) => channels.reduce((sum, channel) => sum + Number(channel[i]), 0) / channels.length);
  return { data, rate, channels: channels.length };
}

/**
 * @param {Uint8Array} bytes
 * @param {AbortSignal} [signal]
 * @returns {Promise<Recorded>}
 */
async function fileOf(bytes, signal) {
  if (bytes.length === 0) throw argumentError('The sound is empty: the file has no byte');
  if (isWav(bytes)) return readWav(bytes, LONGEST_SECONDS * RATES[1]);
  if (typeof OfflineAudioContext !== 'function') throw new NextPixelError('unsupported', 'The sound is no WAV file: outside of a browser nothing else is decoded');
  try {
    const buffer = await new OfflineAudioContext(1, 1, 44100).decodeAudioData(/** @type {ArrayBuffer} */ (bytes.slice().buffer));
    signal?.throwIfAborted();
    return recordedOf(buffer, signal);
  } catch (cause) {
    if (cause instanceof NextPixelError || signal?.aborted) throw cause;
    throw new NextPixelError('format', 'The sound cannot be read: this browser does not decode it. Save it as WAV', { cause });
  }
}
