// SPDX-License-Identifier: MIT
// Defines the guided walk through the network: the steps, the number that each step points at, and the numbers in each sentence.
// shell/page/walk.js runs the walk.
// @ts-check
import { number } from './explain.js';
import { letter } from './boxes.js';

/** @import { Matrix } from './graph.js' */
/** @import { Shape, Trace } from './networks.js' */

/** @typedef {{ trace: Trace, shape: Shape, at: number }} Now  at: index of the output letter that is selected */
/**
 * @typedef {{ id: string, item: HTMLElement, box: string, name: string }} Step  item: list item of the step; box: name of the box that the
 *   step opens; name: name of the matrix with the number that the step points at
 */

/** Names of the matrices in which the walk points at the largest number, instead of the number farthest from zero. */
const RANKED = /\.(compare|scale|mask|weights)$|^logits$|^odds$/;
/**
 * Names of the decoder's matrices of scores before the mask is applied. In these matrices, the walk ignores the scores of later positions.
 */
const CAUSAL = /^dec\.\d\.self\.\d\.(compare|scale)$/;

/**
 * Returns the cell of a matrix that a step points at. The cell is in the given row. In matrices of scores, weights or probabilities, the
 * cell contains the largest number of the row; in all other matrices, the cell contains the number farthest from zero. If `hidden` is true
 * and the row contains masked scores, the cell contains the last masked score.
 * @param {Matrix} matrix @param {number} row @param {boolean} hidden
 */
export function cellOf(matrix, row, hidden = false) {
  const i = Math.min(row, matrix.rows - 1);
  const numbers = [...matrix.row(i)];
  const size = (/** @type {number} */ x) => (RANKED.test(matrix.name) ? x : Math.abs(x));
  if (hidden && numbers.includes(-Infinity)) return /** @type {[number, number]} */ ([i, numbers.lastIndexOf(-Infinity)]);
  return /** @type {[number, number]} */ ([
    i,
    numbers.reduce((best, x, j) => (size(x) > size(numbers[best]) && !(CAUSAL.test(matrix.name) && j > i) ? j : best), 0),
  ]);
}

/**
 * Returns the words and numbers that fill the placeholders in the sentences of the walk. The keys are the names of the placeholders.
 *
 * @param {Now} now
 * @returns {Record<string, string>}
 */
export function liveOf({ trace: { matrices, source, written, first }, shape, at }) {
  const { tokens, values, d, heads, kind } = shape;
  const alone = kind === 'gpt2';
  const get = (/** @type {string} */ name) => matrices.get(name);
  const side = alone ? 'dec' : 'enc';
  const name = (/** @type {number} */ id) => (id < 0 ? '⇥' : letter(tokens[id]));
  const read = alone ? [...source, ...written.slice(0, -1)] : [-1, ...written.slice(0, -1)];
  const word = source.map(name);
  const row = first + at;
  const look = (/** @type {string} */ matrix, /** @type {number} */ i) => {
    const found = get(matrix);
    return found ? { j: cellOf(found, i)[1], x: found.at(...cellOf(found, i)) } : { j: 0, x: 0 };
  };
  const asker = alone ? row : 0;
  const compared = look(`${side}.0.self.0.compare`, asker);
  const j = compared.j;
  const cell = (/** @type {string} */ matrix) => get(matrix)?.at(asker, j) ?? 0;
  const aggregated = look(`${side}.0.self.0.output`, asker);
  /** The letter at which the walk starts: the first letter of the word or, without an encoder, the letter in the selected row. */
  const begun = alone ? read[row] : source[0];
  const cross = look('dec.1.cross.0.weights', row);
  const odds = get('odds');
  const told = written[at];
  return {
    letter: name(begun),
    id: String(begun + 1),
    values: String(values),
    d: String(d),
    heads: String(heads),
    width: String(d / heads),
    asker: alone ? name(read[row]) : word[0],
    asked: alone ? name(read[j]) : word[j],
    compared: number(cell(`${side}.0.self.0.compare`)),
    scaled: number(cell(`${side}.0.self.0.scale`)),
    share: `${Math.round(100 * cell(`${side}.0.self.0.weights`))}%`,
    inner: String(shape.inner),
    places: String(alone ? row + 1 : source.length),
    value: number(aggregated.x),
    channel: String(aggregated.j + 1),
    shifted: read.map(name).join(' '),
    before: name(read[row]),
    told: name(told),
    step: String(at + 1),
    cross: word[cross.j] ?? '',
    'cross-share': `${Math.round(100 * cross.x)}%`,
    logit: number(get('logits')?.at(row, told) ?? 0),
    odds: `${number(100 * (odds?.at(row, told) ?? 0), 1)}%`,
  };
}

/**
 * Returns the steps that exist in a network.
 * @param {HTMLElement} list   an <ol>. The attribute data-matrix of its items contains two names: a matrix in a network with encoder and
 *   decoder, and the corresponding matrix in a network without an encoder
 * @param {Shape} shape
 * @param {Map<string, Matrix>} matrices
 * @param {(name: string) => string} boxName returns the box that computes a matrix
 * @returns {Step[]}
 */
export function stepsOf(list, { kind }, matrices, boxName) {
  for (const part of /** @type {NodeListOf<HTMLElement>} */ (list.querySelectorAll('[data-kind]')))
    part.hidden = part.dataset.kind !== kind;
  return /** @type {HTMLElement[]} */ ([...list.children]).flatMap((item) => {
    const names = item.dataset.matrix?.split(' ') ?? [];
    const name = names[kind === 'gpt2' ? 1 : 0] ?? names[0];
    return matrices.has(name) ? [{ id: item.id, item, name, box: boxName(name) }] : [];
  });
}
