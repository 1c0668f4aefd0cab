// SPDX-License-Identifier: MIT
// Holds the state of a completion figure in one object, and notifies listeners when the state changes.
// @ts-check
/** @import { Model, ModelInfo } from '../library.js' */
/** @import { Phase } from '../run/transport.js' */

/**
 * @typedef {Object} Source the picture to complete
 * @property {Uint8Array} pixels 8-bit grey levels in raster order; 0 is paper
 * @property {string} name name to show in labels, such as 'Test digit 7' or 'Your drawing'
 * @property {number} digit index of the digit in the strip; -1 if the picture is not from the strip
 */
/**
 * @typedef {{ sample: number, row: number, column: number }} Pixel a pixel of one of the completions
 */

/**
 * @typedef {Object} State
 * @property {Model | null} model
 * @property {ModelInfo | null} info
 * @property {Phase} phase phase of the current run
 * @property {Source | null} source
 * @property {number} rows number of given rows, which are above the line
 * @property {number} seed
 * @property {number} temperature
 * @property {number} speed speed of each drawing in pixels per second; Infinity for no limit
 * @property {string} label name of the class; '' for none
 * @property {boolean} surprise whether the pictures show surprisals
 * @property {Float32Array | null} truth surprisal of each pixel of the source, in nats
 * @property {Pixel | null} hover pixel under the pointer
 * @property {Pixel | null} asked most recently selected pixel
 */

/** @returns {State} */
export const initialState = () => ({
  model: null,
  info: null,
  phase: 'empty',
  source: null,
  rows: 12,
  seed: 7,
  temperature: 1,
  speed: 250,
  label: '',
  surprise: false,
  truth: null,
  hover: null,
  asked: null,
});

/**
 * @template {object} T
 * @typedef {Object} Store
 * @property {T} now the current state; use set() to change it
 * @property {(patch: Partial<T>) => void} set
 * @property {(keys: (keyof T)[], listener: (state: T) => void) => void} on
 */

/**
 * @template {object} T
 * @param {T} initial
 * @returns {Store<T>}
 */
export function createStore(initial) {
  /** @type {{ keys: (keyof T)[], listener: (state: T) => void }[]} */
  const listeners = [];
  const store = {
    now: initial,
    /** @param {Partial<T>} patch */
    set(patch) {
      const before = store.now;
      store.now = { ...before, ...patch };
      const changed = /** @type {(keyof T)[]} */ (Object.keys(patch)).filter((key) => before[key] !== store.now[key]);
      if (!changed.length) return;
      for (const { keys, listener } of listeners) if (keys.some((key) => changed.includes(key))) listener(store.now);
    },
    /** @param {(keyof T)[]} keys @param {(state: T) => void} listener */
    on(keys, listener) {
      listeners.push({ keys, listener });
    },
  };
  return store;
}
