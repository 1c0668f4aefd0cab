// SPDX-License-Identifier: MIT
// @ts-check

/** Checks what a caller asks for, and says what to do where it cannot be done. */

import { argumentError } from './error.js';
import { MAX_SAMPLES } from './protocol.js';

/** @import { ModelInfo, Resample, Settings } from './protocol.js' */

/** @typedef {string | number | null | undefined} Label  a class by name or index; null or undefined: none */

/**
 * @typedef {object} DrawOptions
 * @property {number} [samples]       images to draw, each with noise of its own, 1 to 64. Default 1
 * @property {number | bigint} [seed] of the noise, 0 to 2^64 - 1. The same seed gives the same images. Default: a
 *   random one
 * @property {number} [temperature]   0 to 100; below 1 the images keep closer to the likely, 0 always takes the most
 *   probable. Default 1
 * @property {number} [topK]          draw among the k most probable values only; 0: all. Default 0
 * @property {number} [topP]          draw among the most probable values that together have this probability, over 0 to
 *   1. Default 1
 * @property {Label} [label]          the class to draw
 * @property {boolean} [lookAhead]    false: compute every pixel in a pass of its own even where the model could guess
 *   ahead (`info.lookAhead`), as it does for a single sample. The image is the same. Default true
 * @property {number} [resample]      the samples compete while they are drawn, in groups of so many neighbours, of which there is to be a
 *   whole number: every few rows the less likely half of each group is given up, and what is left goes on twice, with noise of its
 *   own. At the end the samples of a group stand in the order of their likelihood, the likeliest first. The larger the group, the fewer slips,
 *   and the plainer the image. 0 or 1: no sample is given up. Default 0
 * @property {number} [resampleRows]  after how many rows, or as many elements where the model draws blocks, 1 to the image's height.
 *   Default 4
 * @property {boolean} [maps]         true: every step is one position of each sample and says what it looked at (`step.maps`). Slower, and
 *   nothing is guessed ahead; the image is the same. Default false
 * @property {number} [chunk]         the most elements in a step, rounded up to whole pixels where the model draws these
 *   as a whole. Default: as many as take about 10 ms
 * @property {AbortSignal} [signal]   stops the run
 */

/**
 * What every function that takes options makes sure of.
 *
 * @param {any} options
 * @internal
 */
export function checkOptions(options) {
  const wrong = (/** @type {string} */ what, /** @type {unknown} */ value) => argumentError(`${what}, not ${show(value)}`);
  if (typeof options !== 'object' || options === null) throw wrong('options must be an object', options);
  const { signal, onProgress, patience } = options;
  if (signal !== undefined && typeof signal?.throwIfAborted !== 'function') throw wrong('signal must be an AbortSignal', signal);
  if (onProgress !== undefined && typeof onProgress !== 'function') throw wrong('onProgress must be a function', onProgress);
  if (patience !== undefined) wholeNumber('patience', patience, 1, 2 ** 31 - 1);
}

/**
 * @param {DrawOptions} options
 * @param {ModelInfo} info
 * @returns {{ settings: Settings, label: number, resample?: Resample, maps: boolean, seed: number | bigint, chunk: number }} seed: as
 *   it was given
 * @internal
 */
export function checkDraw(options, info) {
  const { samples = 1, seed = randomSeed(), temperature = 1, topK = 0, topP = 1, label, lookAhead = true, resample = 0, resampleRows = Math.min(4, info.height), maps = false, chunk } = options;
  wholeNumber('samples', samples, 1, MAX_SAMPLES);
  number('temperature', temperature, 0, 100);
  wholeNumber('topK', topK, 0, 2 ** 31 - 1);
  number('topP', topP, 0, 1);
  if (topP === 0) throw argumentError('topP must be over 0: 1 keeps every value');
  wholeNumber('resample', resample, 0, samples);
  wholeNumber('resampleRows', resampleRows, 1, info.height);
  wholeNumber('samples / resample', samples / (resample || 1), 1, samples);
  if (typeof lookAhead !== 'boolean') throw argumentError(`lookAhead must be true or false, not ${show(lookAhead)}`);
  if (typeof maps !== 'boolean') throw argumentError(`maps must be true or false, not ${show(maps)}`);
  if (chunk !== undefined) wholeNumber('chunk', chunk, 1, 2 ** 31 - 1);
  return {
    settings: { seed: checkSeed(seed), samples, temperature, topK, topP, lookAhead },
    label: checkLabel(label, info),
    resample: resample > 1 ? { group: resample, every: resampleRows * info.positions / info.height } : undefined,
    maps,
    seed,
    chunk: chunk ?? 0,
  };
}

/**
 * How many rows are known. With local 2D attention these are whole rows of blocks, for what is known must come first in
 * generation order.
 *
 * @param {number | undefined} rows  undefined: half of them, or what is possible and closest to it
 * @param {Pick<ModelInfo, 'height' | 'blockRows'>} info
 * @returns {number}
 * @internal
 */
export function checkRows(rows, { height, blockRows }) {
  const step = blockRows || 1;
  if (rows === undefined) {
    const below = step * Math.floor(height / 2 / step);
    const above = Math.min(below + step, height);
    return height / 2 - below <= above - height / 2 ? below : above;
  }
  if (canBeKnown(rows, { height, blockRows })) return rows;
  wholeNumber('rows', rows, 0, height);
  const possible = Array.from({ length: Math.ceil(height / step) }, (_, i) => i * step).join(', ');
  throw argumentError(`rows must be ${possible} or ${height}, not ${rows}: this model draws blocks of ${step} rows`);
}

/**
 * @param {number} rows
 * @param {Pick<ModelInfo, 'height' | 'blockRows'>} info
 * @internal
 */
export function canBeKnown(rows, { height, blockRows }) {
  return Number.isInteger(rows) && rows >= 0 && rows <= height && (rows % (blockRows || 1) === 0 || rows === height);
}

/**
 * @param {Label} label
 * @param {ModelInfo} info
 * @returns {number} class index, or -1 for none
 * @internal
 */
export function checkLabel(label, { classes }) {
  if (label === undefined || label === null) return -1;
  if (classes.length === 0) throw argumentError('This model takes no label');
  const index = typeof label === 'string' ? classes.indexOf(label) : label;
  if (Number.isInteger(index) && index >= 0 && index < classes.length) return index;
  const some = classes.slice(0, 10).join(', ') + (classes.length > 10 ? ', ...' : '');
  throw argumentError(`label must be one of ${some}, or an index from 0 to ${classes.length - 1}, not ${show(label)}`);
}

/**
 * @param {string} name
 * @param {unknown} value
 * @param {number} low
 * @param {number} high
 * @internal
 */
export function wholeNumber(name, value, low, high) {
  if (Number.isInteger(value) && Number(value) >= low && Number(value) <= high) return;
  throw argumentError(`${name} must be a whole number from ${low} to ${high}, not ${show(value)}`);
}

/**
 * @param {string} name
 * @param {unknown} value
 * @param {number} low
 * @param {number} high
 */
export function number(name, value, low, high) {
  if (typeof value === 'number' && value >= low && value <= high) return;
  throw argumentError(`${name} must be a number from ${low} to ${high}, not ${show(value)}`);
}

/**
 * @param {unknown} seed
 * @returns {bigint}
 */
export function checkSeed(seed) {
  if (typeof seed === 'bigint' && seed >= 0n && seed < 1n << 64n) return seed;
  if (typeof seed === 'number' && Number.isSafeInteger(seed) && seed >= 0) return BigInt(seed);
  throw argumentError(`seed must be a whole number from 0 to 2^53 - 1, or a bigint below 2^64, not ${show(seed)}`);
}

/** A whole number of 53 bits, so that it can be shown and typed in again. */
export function randomSeed() {
  const [high, low] = crypto.getRandomValues(new Uint32Array(2));
  return (high >>> 11) * 2 ** 32 + low;
}

/** @param {unknown} value */
export function show(value) {
  return typeof value === 'string' ? JSON.stringify(value) : typeof value === 'bigint' ? `${value}n` : typeof value === 'object' && value ? 'an object' : String(value);
}
