// SPDX-License-Identifier: MIT
// What the page knows, in one object, and who wants to hear when it changes.
// @ts-check

/** @import { Attention, Model } from '../lib/model.js' */
/** @import { ModelInfo } from '../lib/protocol.js' */

/**
 * @typedef {Object} Source the picture to be completed
 * @property {Uint8Array} pixels 8-bit greys in raster order, 0 = paper
 * @property {string} name for labels: 'test digit 7' or 'your drawing'
 */

/**
 * @typedef {{ sample: number, row: number, column: number }} Place a pixel of one ending
 */

/**
 * @typedef {Object} State
 * @property {Model | null} model
 * @property {ModelInfo | null} info
 * @property {'empty' | 'ready' | 'running' | 'paused' | 'done'} phase of the run; empty: no model yet
 * @property {Source | null} source
 * @property {number} rows rows above the line
 * @property {number} seed
 * @property {number} temperature
 * @property {number} speed pixels per second of each picture; Infinity: no limit
 * @property {string} label class name, '' for none
 * @property {boolean} surprise whether the overlay of nats is shown
 * @property {Float32Array | null} truth nats of each pixel of the source itself
 * @property {Place | null} hover the pixel pointed at in Figure 1
 * @property {Place | null} place the pixel that Figure 2 explains
 * @property {number} head index of the chosen head, block * heads + head; -1: the average of all
 * @property {Attention & { place: Place } | null} attention what the model answered last, and for which place
 */

/** @returns {State} */
export const initialState = () => ({
  model: null, info: null, phase: 'empty', source: null, rows: 12, seed: 7, temperature: 1, speed: 250, label: '',
  surprise: false, truth: null, hover: null, place: null, head: -1, attention: null,
});

/**
 * @typedef {Object} Store
 * @property {State} now the current state; read it, change it with set()
 * @property {(patch: Partial<State>) => void} set
 * @property {(keys: (keyof State)[], listener: (state: State) => void) => void} on
 */

/**
 * @param {State} initial
 * @returns {Store}
 */
export function createStore(initial) {
  /** @type {{ keys: (keyof State)[], listener: (state: State) => void }[]} */
  const listeners = [];
  const store = {
    now: initial,
    /** @param {Partial<State>} patch */
    set(patch) {
      const before = store.now;
      store.now = { ...before, ...patch };
      const changed = /** @type {(keyof State)[]} */ (Object.keys(patch)).filter((key) => before[key] !== store.now[key]);
      if (!changed.length) return;
      for (const { keys, listener } of listeners) if (keys.some((key) => changed.includes(key))) listener(store.now);
    },
    /** @param {(keyof State)[]} keys @param {(state: State) => void} listener */
    on(keys, listener) { listeners.push({ keys, listener }); },
  };
  return store;
}
