// SPDX-License-Identifier: MIT
// @ts-check

/** Validates arguments. Each error states the remedy. */

import { argumentError } from './error.js';
import { classOf } from './realm.js';
import { ROWS } from '../settings.js';

/** @import { ModelInfo, Settings } from '../engine/protocol.js' */
/** @import { SettingName } from '../settings.js' */

/** @typedef {string | number | null | undefined} Label  a class by name or index; null or undefined for none */

/** The options for drawing a run on a canvas, grouped by type. Every kind of run accepts them. */
const SHOWN = {
  flags: ['later', 'calm', 'shade', 'caret'],
  functions: ['colours', 'onPaint', 'weights'],
  numbers: ['gap', 'pace', 'from', 'to'],
  others: ['signal', 'mirror'],
};

/** @param {string} what  the requirement, such as 'gap must be a number' @param {unknown} value  the invalid value */
const wrong = (what, value) => argumentError(`${what}, not ${show(value)}`);

/** @param {string} name @param {unknown} value */
function callback(name, value) {
  if (value !== undefined && typeof value !== 'function') throw wrong(`${name} must be a function`, value);
}

/**
 * Throws if `options` is not an object, if an option has an unknown name, or if `signal`, `onProgress` or `patience` has an invalid value.
 *
 * @param {any} options
 * @param {string} whose      name of the function, such as 'generate()'
 * @param {string[]} names    names of the options of this function
 * @internal
 */
export function checkOptions(options, whose, names) {
  if (typeof options !== 'object' || options === null) throw wrong('options must be an object', options);
  if (Symbol.iterator in options) throw argumentError('options must be an object, not a list');
  const given = classOf(options);
  if (given !== 'Object')
    throw argumentError(`options must be an object with names, such as { signal }, not ${/^[AEIOU]/.test(given) ? 'an' : 'a'} ${given}`);
  const none = Object.keys(options).find((name) => !names.includes(name) && options[name] !== undefined);
  if (none !== undefined) {
    const meant = nearest(none, names);
    throw argumentError(`${whose} has no option ${none.slice(0, 80)}${meant ? `: ${meant}?` : '.'} It has ${names.join(', ')}`);
  }
  const { signal, onProgress, patience } = options;
  if (signal !== undefined && !(typeof signal?.throwIfAborted === 'function' && typeof signal.addEventListener === 'function'))
    throw wrong('signal must be an AbortSignal', signal);
  callback('onProgress', onProgress);
  if (patience !== undefined) wholeNumber('patience', patience, 1, 2 ** 31 - 1);
}

/**
 * Throws an error if the options of drawTo() are invalid.
 *
 * @param {any} options
 * @internal
 */
export function checkShown(options) {
  checkOptions(options, 'drawTo()', Object.values(SHOWN).flat());
  for (const name of SHOWN.flags) flag(name, options[name]);
  for (const name of SHOWN.functions) callback(name, options[name]);
  // Values above 1e6 can only be mistakes.
  for (const name of SHOWN.numbers) if (options[name] !== undefined) number(name, options[name], 0, 1e6);
  const { mirror } = options;
  if (mirror !== undefined && mirror !== null && !('textContent' in Object(mirror))) throw wrong('mirror must be an element', mirror);
}

/**
 * Returns the name that the caller probably meant: the one with the smallest edit distance. Case and punctuation are ignored. If one of two
 * long names contains the other, their distance is 1.
 * @param {string} wrong
 * @param {string[]} names
 */
function nearest(wrong, names) {
  const plain = (/** @type {string} */ name) => name.toLowerCase().replace(/[^a-z0-9]/g, '');
  const given = plain(wrong.slice(0, 40));
  const far = names.map((name) => {
    const own = plain(name);
    return own !== given && own.length > 3 && given.length > 3 && (own.includes(given) || given.includes(own)) ? 1 : changes(own, given);
  });
  const least = Math.min(...far);
  return least <= given.length / 3 ? names[far.indexOf(least)] : undefined;
}

/** @param {string} name @param {unknown} value  @internal */
export function flag(name, value) {
  if (value !== undefined && typeof value !== 'boolean') throw wrong(`${name} must be true or false`, value);
}

/**
 * Returns the error for a callback that returned an invalid value. If the callback is asynchronous, the rejection of its promise is
 * ignored, because one error is enough.
 *
 * @param {string} what  the value that the callback must return
 * @param {unknown} value
 * @internal
 */
export function wrongAnswer(what, value) {
  void Promise.resolve(value).catch(() => {});
  return wrong(what, value);
}

/** Returns the edit distance of two strings: the number of letters to insert, delete or change. @param {string} a @param {string} b */
function changes(a, b) {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 0; i < a.length; i++) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j++) next.push(Math.min(next[j] + 1, row[j + 1] + 1, row[j] + (a[i] === b[j] ? 0 : 1)));
    row = next;
  }
  return row[b.length];
}

/**
 * Checks options against the table of settings.
 *
 * @param {string} of  a word such as 'text'; only settings whose column `of` contains this word are checked
 * @param {Record<string, any>} given
 * @param {Partial<Record<SettingName, number | boolean>>} [initial]  defaults that replace those in the table
 * @returns {{ settings: Settings, options: Record<string, any>, seed: number | bigint }}  settings: the options that are fields of
 *   nx_settings; options: all other options; seed: the given seed, or a random one
 * @internal
 */
export function checkSettings(of, given, initial = {}) {
  /** @type {Record<string, any>} */
  const settings = { samples: 1 };
  /** @type {Record<string, any>} */
  const options = {};
  for (const [name, row] of ROWS) {
    if (!row.of.split(' ').includes(of)) continue;
    const value = given[name] === undefined ? (initial[name] ?? row.initial) : given[name];
    if (value !== undefined) checkOne(name, value, row);
    (row.field ? settings : options)[name] = value;
  }
  const { seed = randomSeed() } = options;
  settings.seed = checkSeed(seed);
  return { settings: /** @type {Settings} */ (settings), options, seed };
}

/**
 * @param {string} name
 * @param {unknown} value
 * @param {import('../settings.js').Setting} row
 */
function checkOne(name, value, { whole, number: range, over, flag: isFlag }) {
  if (whole) wholeNumber(name, value, ...whole);
  if (range) number(name, value, ...range);
  if (range && over && Math.fround(/** @type {number} */ (value)) === range[0])
    throw argumentError(`${name} must be over ${range[0]}${range[1] === 1 ? ': 1 keeps every value' : ''}`);
  if (isFlag) flag(name, value);
}

/**
 * @param {Label} label
 * @param {ModelInfo} info
 * @returns {number} index of the class, or -1 for none
 * @internal
 */
export function checkLabel(label, { classes }) {
  if (label === undefined || label === null) return -1;
  if (classes.length === 0) throw argumentError('This model takes no label');
  const index = typeof label === 'string' ? classes.indexOf(label) : label;
  if (Number.isInteger(index) && index >= 0 && index < classes.length) return index;
  const some = classes.slice(0, 10).join(', ') + (classes.length > 10 ? ', ...' : '');
  throw wrong(`label must be one of ${some}, or an index from 0 to ${classes.length - 1}`, label);
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
  throw wrong(`${name} must be a whole number from ${low} to ${high}`, value);
}

/**
 * @param {string} name
 * @param {unknown} value
 * @param {number} low
 * @param {number} high
 */
function number(name, value, low, high) {
  if (typeof value === 'number' && value >= low && value <= high) return;
  throw wrong(`${name} must be a number from ${low} to ${high}`, value);
}

/**
 * @param {unknown} seed
 * @returns {bigint}
 */
function checkSeed(seed) {
  if (typeof seed === 'bigint' && seed >= 0n && seed < 1n << 64n) return seed;
  if (typeof seed === 'number' && Number.isSafeInteger(seed) && seed >= 0) return BigInt(seed);
  throw wrong('seed must be a whole number from 0 to 2^53 - 1, or a bigint below 2^64', seed);
}

/** Returns a random integer of 53 bits: a JavaScript number holds it exactly, so it can be displayed and typed in again. */
function randomSeed() {
  const [high, low] = crypto.getRandomValues(new Uint32Array(2));
  return (high >>> 11) * 2 ** 32 + low;
}

/** Returns a short description of a value for an error message. All messages use this function, because String() throws for some values,
 * and other values are very long. @param {unknown} value @internal */
export function show(value) {
  if (Object(value) === value) return 'an object'; // 'an object' also describes a function
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 80)) : String(value) + (typeof value === 'bigint' ? 'n' : '');
}
