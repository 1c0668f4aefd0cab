// SPDX-License-Identifier: MIT
// Explains how a number is computed, first in words and then as a formula with the numbers inserted. This file does not use the DOM.
// @ts-check
import { phrase } from '../../shell/page/phrase.js';

/** @import { Matrix } from './graph.js' */

/** @param {number} x @param {number} [digits] */
export const number = (x, digits = 2) =>
  x === -Infinity ? '−∞' : (Object.is(Number(x.toFixed(digits)), -0) ? 0 : x).toFixed(digits).replace('-', '−');

/** Formats a factor or a term. Negative numbers get brackets. @param {number} x */
const factor = (x) => (x < 0 ? `(${number(x)})` : number(x));

/**
 * @typedef {{ matrix: Matrix, cells: [number, number][] }} Source  matrix: an operand; cells: row and column of each cell that is used
 * @typedef {{ rule: string, sum: string, sources: Source[] }} Explanation  rule: the computation in a few words; sum: the computation with
 *   its numbers inserted
 */

/** @param {Matrix} matrix @param {number} i @returns {Source} */
const wholeRow = (matrix, i) => ({ matrix, cells: Array.from({ length: matrix.cols }, (_, c) => [i, c]) });

/** @param {Matrix} matrix @param {number} i @param {number} j @returns {Source} */
const one = (matrix, i, j) => ({ matrix, cells: [[i, j]] });

/** a b + ... @param {ArrayLike<number>} a @param {ArrayLike<number>} b @param {number[]} [more] */
const products = (a, b, more = []) => [...Array.from(a, (x, c) => `${factor(x)} × ${factor(b[c])}`), ...more.map(factor)].join(' + ');

/** @param {Matrix} matrix @param {number} j */
const column = (matrix, j) => Float32Array.from({ length: matrix.rows }, (_, i) => matrix.at(i, j));

/** The explanation for each operation. @type {Record<import('./graph.js').Op, (matrix: Matrix, i: number, j: number) => Explanation>} */
const RULES = {
  file: ({ name }) => ({ rule: phrase`a learned weight, ${name} in the file`, sum: '', sources: [] }),
  onehot: () => ({ rule: phrase`one at this letter, zero at all others`, sum: '', sources: [] }),
  lookup(
    {
      made: {
        of: [hot, table],
        ids = [],
      },
    },
    i,
    j,
  ) {
    if (ids[i] < 0) return { rule: phrase`nothing is read at this position yet: zeros`, sum: '', sources: [] };
    return {
      rule: phrase`the one-hot row times the table selects one row of it`,
      sum: `1 × ${factor(table.at(ids[i], j))}`,
      sources: [one(hot, i, ids[i]), one(table, ids[i], j)],
    };
  },
  times: (
    {
      made: {
        of: [a],
        by = 1,
      },
    },
    i,
    j,
  ) => ({ rule: phrase`times ${number(by)}`, sum: `${factor(a.at(i, j))} × ${number(by, 3)}`, sources: [one(a, i, j)] }),
  wave: ({ cols }, i, j) => ({
    rule:
      j % 2
        ? phrase`the cosine of the position, ${i}, divided by 10000 to the power ${j - 1}/${cols}`
        : phrase`the sine of the position, ${i}, divided by 10000 to the power ${j}/${cols}`,
    sum: `${j % 2 ? 'cos' : 'sin'}(${i} / ${number(10000 ** ((j - (j % 2)) / cols), 1)})`,
    sources: [],
  }),
  add: (
    {
      made: {
        of: [a, b],
      },
    },
    i,
    j,
  ) => ({
    rule: phrase`the sum of two numbers`,
    sum: `${number(a.at(i, j))} + ${factor(b.at(i, j))}`,
    sources: [one(a, i, j), one(b, i, j)],
  }),
  product: (
    {
      made: {
        of: [x, w, bias],
      },
    },
    i,
    j,
  ) => ({
    rule: bias ? phrase`a row times a column, and a bias` : phrase`a row times a column`,
    sum: products(x.row(i), w.row(j), bias ? [bias.data[j]] : []),
    sources: [wholeRow(x, i), wholeRow(w, j), ...(bias ? [one(bias, 0, j)] : [])],
  }),
  columns: (
    {
      made: {
        of: [a],
        from = 0,
      },
    },
    i,
    j,
  ) => ({ rule: phrase`part of a larger matrix`, sum: '', sources: [one(a, i, from + j)] }),
  join: ({ made: { of } }, i, j) => ({
    rule: phrase`the heads side by side`,
    sum: '',
    sources: [one(of[Math.floor(j / of[0].cols)], i, j % of[0].cols)],
  }),
  compare: (
    {
      made: {
        of: [q, k],
      },
    },
    i,
    j,
  ) => ({ rule: phrase`this query times that key`, sum: products(q.row(i), k.row(j)), sources: [wholeRow(q, i), wholeRow(k, j)] }),
  mask: (
    {
      made: {
        of: [a],
      },
    },
    i,
    j,
  ) => ({
    rule: j > i ? phrase`a later position: masked` : phrase`this or an earlier position: visible`,
    sum: '',
    sources: [one(a, i, j)],
  }),
  softmax(
    {
      made: {
        of: [a],
      },
    },
    i,
    j,
  ) {
    const row = Array.from(a.row(i)).filter((x) => x > -Infinity);
    const terms = row.map((x) => `e^${factor(x)}`).join(' + ');
    return {
      rule: phrase`e to the power of this score, divided by the sum over its row`,
      sum: a.at(i, j) === -Infinity ? '0' : `e^${factor(a.at(i, j))} / (${terms})`,
      sources: [wholeRow(a, i)],
    };
  },
  aggregate: (
    {
      made: {
        of: [w, v],
      },
    },
    i,
    j,
  ) => ({
    rule: phrase`the sum of the values, each times its weight`,
    sum: products(w.row(i), column(v, j)),
    sources: [wholeRow(w, i), { matrix: v, cells: Array.from({ length: v.rows }, (_, r) => [r, j]) }],
  }),
  norm: (
    {
      made: {
        of: [x, g, b],
        means = [],
        scales = [],
      },
    },
    i,
    j,
  ) => ({
    rule: phrase`minus the mean of its row, divided by the standard deviation, times a gain, plus a bias`,
    sum: `(${number(x.at(i, j))} − ${factor(means[i])}) / ${number(1 / scales[i])} × ${factor(g.data[j])} + ${factor(b.data[j])}`,
    sources: [wholeRow(x, i), one(g, 0, j), one(b, 0, j)],
  }),
  relu: (
    {
      made: {
        of: [a],
      },
    },
    i,
    j,
  ) => ({ rule: phrase`itself, or zero if it is negative`, sum: `max(0, ${number(a.at(i, j))})`, sources: [one(a, i, j)] }),
  gelu: (
    {
      made: {
        of: [a],
      },
    },
    i,
    j,
  ) => ({ rule: phrase`itself, times a gate that closes below zero`, sum: `gelu(${number(a.at(i, j))})`, sources: [one(a, i, j)] }),
  copy: (
    {
      made: {
        of: [a],
      },
    },
    i,
    j,
  ) => ({ rule: phrase`unchanged: this is switched off`, sum: '', sources: [one(a, i, j)] }),
  zero: () => ({ rule: phrase`zero: this is switched off`, sum: '', sources: [] }),
};

/** @param {Matrix} matrix @param {number} i @param {number} j @returns {Explanation} */
export const explain = (matrix, i, j) => RULES[matrix.made.op](matrix, i, j);
