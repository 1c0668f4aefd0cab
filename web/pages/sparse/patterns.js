// SPDX-License-Identifier: MIT
// Defines the sets of keys in sparse attention (Child et al. 2019, section 4), as in src/attention/sparse.h. A test compares these sets
// with the models' attention maps.
// @ts-check
import { phrase } from '../../shell/page/phrase.js';

/** Bit flags for the sets A1 and A2. */
export const NEAR = 1;
export const FAR = 2;

/**
 * @typedef {Object} Pattern
 * @property {'strided' | 'fixed'} kind
 * @property {number} n number of positions
 * @property {number} stride l
 * @property {number} summary c, used by the fixed pattern
 */

/** @typedef {'interleaved' | 'merged' | 'heads'} Combine */

/**
 * For each way to combine the sets, the parts of a model and the sets that each part uses. The parts are alternating layers, all layers, or
 * the two halves of the heads.
 *
 * @type {Record<Combine, { name: string, sets: number }[]>}
 */
export const PARTS = {
  interleaved: [
    { name: phrase`Layers 1, 3, 5`, sets: NEAR },
    { name: phrase`Layers 2, 4, 6`, sets: FAR },
  ],
  merged: [{ name: phrase`Every layer`, sets: NEAR | FAR }],
  heads: [
    { name: phrase`Half of the heads`, sets: NEAR },
    { name: phrase`The other half`, sets: FAR },
  ],
};

/** Returns whether query i sees key j. @param {Pattern} pattern @param {number} sets @param {number} i @param {number} j */
export function sees({ kind, stride, summary }, sets, i, j) {
  if (j > i) return false;
  const near = kind === 'strided' ? j > i - stride : Math.floor(i / stride) === Math.floor(j / stride);
  const far = kind === 'strided' ? (i - j) % stride === 0 : j % stride >= stride - summary;
  return ((sets & NEAR) > 0 && near) || ((sets & FAR) > 0 && far);
}

/** Returns the keys of query i in ascending order. @param {Pattern} pattern @param {number} sets @param {number} i */
export const keysOf = (pattern, sets, i) => Array.from({ length: i + 1 }, (_, j) => j).filter((j) => sees(pattern, sets, i, j));

/** Returns the total number of keys of all queries. @param {Pattern} pattern @param {number} sets */
export function cells(pattern, sets) {
  let sum = 0;
  for (let i = 0; i < pattern.n; i++) sum += keysOf(pattern, sets, i).length;
  return sum;
}

/**
 * Returns an array with 1 at each position that query i reaches through two layers and their residual connections.
 *
 * @param {Pattern} pattern
 * @param {Combine} combine
 * @param {number} i
 */
export function reached(pattern, combine, i) {
  const parts = PARTS[combine];
  const [first, second] = combine === 'interleaved' ? parts.map(({ sets }) => sets) : [NEAR | FAR, NEAR | FAR];
  const seen = new Uint8Array(pattern.n);
  for (const j of new Set([i, ...keysOf(pattern, second, i)])) for (const k of new Set([j, ...keysOf(pattern, first, j)])) seen[k] = 1;
  return seen;
}

/**
 * Returns the number of positions whose keys and values a layer stores after n steps. A layer that uses only the near set stores the last
 * positions, in a ring with 16 spare slots. A layer that uses only the far set of the fixed pattern stores the summaries. Any other layer
 * stores all positions.
 *
 * @param {Pattern} pattern
 * @param {number} sets
 */
export function kept({ kind, n, stride, summary }, sets) {
  if (sets === NEAR) return Math.min(n, stride + 16);
  return sets === FAR && kind === 'fixed' ? Math.ceil(n / stride) * summary : n;
}
