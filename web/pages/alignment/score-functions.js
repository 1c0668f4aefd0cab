// SPDX-License-Identifier: MIT
// Lists the score functions that the papers propose. Some functions have a network that was trained with them. The other functions are
// computed from the states of the `general` network. This file does not use the DOM.
// @ts-check
import { dot, softmax } from './network.js';
/** @import { Vector } from './network.js' */

/**
 * @typedef {Object} ScoreFunction
 * @property {string} id       id of the network trained with this score function (seq2seq-ID.gguf), if there is one
 * @property {string} name
 * @property {string} by       paper
 * @property {string} formula  HTML
 * @property {(query: Vector, key: Vector, beta: number) => number} [score] if there is no trained network, computes the score from the
 *   states of the `general` network
 */

/** @param {Vector} a */
const length = (a) => Math.sqrt(dot(a, a));

/** @type {ScoreFunction[]} */
export const FUNCTIONS = [
  { id: 'additive', name: 'additive', by: 'Bahdanau 2015', formula: '<b>v</b> · tanh(W<sub>q</sub> s + W<sub>k</sub> h<sub>i</sub>)' },
  { id: 'general', name: 'general', by: 'Luong 2015', formula: 's · W h<sub>i</sub>' },
  { id: 'local-p', name: 'local, predicted', by: 'Luong 2015', formula: 's · W h<sub>i</sub>, |i − p| ≤ 3' },
  { id: 'location', name: 'location', by: 'Luong 2015', formula: 'W<sub>i</sub> s' },
  { id: 'dot', name: 'dot', by: 'Luong 2015', formula: 's · k<sub>i</sub>', score: dot },
  {
    id: 'scaled-dot',
    name: 'scaled dot',
    by: 'Vaswani 2017',
    formula: 's · k<sub>i</sub> / √n',
    score: (query, key) => dot(query, key) / Math.sqrt(query.length),
  },
  {
    id: 'cosine',
    name: 'cosine',
    by: 'Graves 2014',
    formula: 'β cos(s, k<sub>i</sub>)',
    score: (query, key, beta) => (beta * dot(query, key)) / (length(query) * length(key) || 1),
  },
];

/** @param {NonNullable<ScoreFunction['score']>} score @param {Vector} query @param {Vector[]} keys @param {number} beta */
export function scored(score, query, keys, beta) {
  const scores = Float32Array.from(keys, (key) => score(query, key, beta));
  return { scores, weights: softmax(scores) };
}
