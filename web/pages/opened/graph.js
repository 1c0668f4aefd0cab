// SPDX-License-Identifier: MIT
// Defines matrices that record how they were computed. Each row belongs to a position in a word. Each column is a channel or, in a matrix
// of scores, a position that is attended to.
// @ts-check
import { compare, dot, gelu, norm, relu, scaleOf, softmax, wave } from './arithmetic.js';

/**
 * @typedef {'file' | 'onehot' | 'lookup' | 'times' | 'wave' | 'add' | 'product' | 'columns' | 'join' | 'compare' | 'mask' | 'softmax' |
 *   'aggregate' | 'norm' | 'relu' | 'gelu' | 'copy' | 'zero'} Op  the operation that computed a matrix. `copy` and `zero` replace
 *   operations that the visitor has switched off: the matrix is then a copy of the input, or all zeros
 * @typedef {{ op: Op, of: Matrix[], by?: number, from?: number, ids?: number[], means?: number[], scales?: number[] }} Made  of: the
 *   operands; by: a factor or an epsilon; from: first column taken from the operand; ids: token id of each row, -1 for none; means, scales:
 *   one value per row
 */

export class Matrix {
  /** @param {string} name @param {number} rows @param {number} cols @param {Made} made @param {Float32Array} [data] values, row by row */
  constructor(name, rows, cols, made, data = new Float32Array(rows * cols)) {
    this.name = name;
    this.rows = rows;
    this.cols = cols;
    this.made = made;
    this.data = data;
  }

  /** @param {number} i */
  row(i) {
    return this.data.subarray(i * this.cols, (i + 1) * this.cols);
  }

  /** @param {number} i @param {number} j */
  at(i, j) {
    return this.data[i * this.cols + j];
  }
}

/** Computes matrices, and stores each matrix under its name. */
export class Graph {
  /** Matrices in the order of computation. @type {Map<string, Matrix>} */
  matrices = new Map();

  /** @param {string} name @param {number} rows @param {number} cols @param {Made} made @param {(i: number, j: number) => number} number */
  #make(name, rows, cols, made, number) {
    const matrix = new Matrix(name, rows, cols, made);
    for (let i = 0, at = 0; i < rows; i++) for (let j = 0; j < cols; j++) matrix.data[at++] = number(i, j);
    this.matrices.set(name, matrix);
    return matrix;
  }

  /** @param {string} name @param {Made} made @param {number} cols @param {ArrayLike<number>[]} rows */
  #rows(name, made, cols, rows) {
    return this.#make(name, rows.length, cols, made, (i, j) => rows[i][j]);
  }

  /**
   * Returns one-hot rows: 1 in the column of the id, 0 elsewhere.
   *
   * @param {string} name
   * @param {number[]} ids -1 for none
   * @param {number} values
   */
  onehot(name, ids, values) {
    return this.#make(name, ids.length, values, { op: 'onehot', of: [], ids }, (i, j) => Number(ids[i] === j));
  }

  /**
   * Multiplies one-hot rows by a table. The product selects rows of the table.
   * @param {string} name
   * @param {Matrix} hot
   * @param {Matrix} table
   */
  lookup(name, hot, table) {
    const { ids = [] } = hot.made;
    return this.#make(name, hot.rows, table.cols, { op: 'lookup', of: [hot, table], ids }, (i, j) =>
      ids[i] < 0 ? 0 : table.at(ids[i], j),
    );
  }

  /** @param {string} name @param {Matrix} a @param {number} by */
  times(name, a, by) {
    return this.#make(name, a.rows, a.cols, { op: 'times', of: [a], by }, (i, j) => a.at(i, j) * by);
  }

  /** Returns the position encodings (waves) of positions 0 to rows - 1. @param {string} name @param {number} rows @param {number} d */
  wave(name, rows, d) {
    return this.#make(name, rows, d, { op: 'wave', of: [] }, (i, j) => wave(i, j, d));
  }

  /**
   * Computes a + b. If `b` has more rows than `a`, the additional rows are not used.
   *
   * @param {string} name
   * @param {Matrix} a
   * @param {Matrix} b
   */
  add(name, a, b) {
    return this.#make(name, a.rows, a.cols, { op: 'add', of: [a, b] }, (i, j) => a.at(i, j) + b.at(i, j));
  }

  /** Computes x W^T + bias. @param {string} name @param {Matrix} x @param {Matrix} w @param {Matrix} [bias] matrix with one row */
  product(name, x, w, bias) {
    return this.#make(name, x.rows, w.rows, { op: 'product', of: bias ? [x, w, bias] : [x, w] }, (i, j) =>
      dot(w.row(j), x.row(i), bias?.data[j]),
    );
  }

  /**
   * @param {string} name
   * @param {Matrix} a
   * @param {number} from
   * @param {number} count
   * @param {number} [rows] number of rows to take, starting at the first row (default: all)
   */
  columns(name, a, from, count, rows = a.rows) {
    return this.#make(name, rows, count, { op: 'columns', of: [a], from }, (i, j) => a.at(i, from + j));
  }

  /** Concatenates several matrices of the same width side by side. @param {string} name @param {Matrix[]} parts */
  join(name, parts) {
    const width = parts[0].cols;
    return this.#make(name, parts[0].rows, width * parts.length, { op: 'join', of: parts }, (i, j) =>
      parts[Math.floor(j / width)].at(i, j % width),
    );
  }

  /** Q K^T @param {string} name @param {Matrix} q @param {Matrix} k */
  compare(name, q, k) {
    return this.#make(name, q.rows, k.rows, { op: 'compare', of: [q, k] }, (i, j) => compare(q.row(i), k.row(j)));
  }

  /** Divides scores by the square root of `width`, the width of a key. @param {string} name @param {Matrix} scores @param {number} width */
  scale(name, scores, width) {
    return this.times(name, scores, scaleOf(width));
  }

  /** Sets the scores of later positions to -Infinity. @param {string} name @param {Matrix} scores */
  mask(name, scores) {
    return this.#make(name, scores.rows, scores.cols, { op: 'mask', of: [scores] }, (i, j) => (j > i ? -Infinity : scores.at(i, j)));
  }

  /** @param {string} name @param {Matrix} a */
  softmax(name, a) {
    return this.#rows(
      name,
      { op: 'softmax', of: [a] },
      a.cols,
      Array.from({ length: a.rows }, (_, i) => softmax(a.row(i))),
    );
  }

  /**
   * Returns the weighted sums of the values, one for each row of weights.
   *
   * @param {string} name
   * @param {Matrix} weights
   * @param {Matrix} values
   */
  aggregate(name, weights, values) {
    const column = (/** @type {number} */ j) => Float32Array.from({ length: values.rows }, (_, i) => values.at(i, j));
    const columns = Array.from({ length: values.cols }, (_, j) => column(j));
    return this.#make(name, weights.rows, values.cols, { op: 'aggregate', of: [weights, values] }, (i, j) =>
      dot(columns[j], weights.row(i)),
    );
  }

  /** @param {string} name @param {Matrix} x @param {Matrix} weight @param {Matrix} bias @param {number} epsilon */
  norm(name, x, weight, bias, epsilon) {
    const all = Array.from({ length: x.rows }, (_, i) => norm(x.row(i), weight.data, bias.data, epsilon));
    const made = /** @type {Made} */ ({
      op: 'norm',
      of: [x, weight, bias],
      by: epsilon,
      means: all.map(({ mean }) => mean),
      scales: all.map(({ scale }) => scale),
    });
    return this.#rows(
      name,
      made,
      x.cols,
      all.map(({ row }) => row),
    );
  }

  /** @param {string} name @param {Matrix} a @param {'relu' | 'gelu'} kind */
  active(name, a, kind) {
    const through = kind === 'relu' ? relu : gelu;
    return this.#make(name, a.rows, a.cols, { op: kind, of: [a] }, (i, j) => through(a.at(i, j)));
  }

  /** @param {string} name @param {Matrix} a */
  copy(name, a) {
    return this.#make(name, a.rows, a.cols, { op: 'copy', of: [a] }, (i, j) => a.at(i, j));
  }

  /** @param {string} name @param {number} rows @param {number} cols */
  zero(name, rows, cols) {
    return this.#make(name, rows, cols, { op: 'zero', of: [] }, () => 0);
  }
}
