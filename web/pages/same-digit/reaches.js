// SPDX-License-Identifier: MIT
// Lists the networks for the reach figure, with the shapes of the shipped models. A test compares the shapes with the files.
// @ts-check
import { phrase } from '../../shell/page/phrase.js';
import { dense, dilated, local, strided } from './reach.js';
/** @import { Stack } from './reach.js' */

/**
 * @typedef {Object} Reach
 * @property {string} name
 * @property {string} says  description of the network's layers
 * @property {string} file  weight file with this shape
 * @property {Stack} [stack] undefined if the model itself reports its field
 */

/** @type {Reach[]} */
export const REACHES = [
  { name: 'PixelCNN', says: phrase`masked, 7 × 7, then 3 × 3`, file: 'pixelcnn-digits.gguf' },
  { name: phrase`Gated PixelCNN`, says: phrase`two stacks, 7 × 7, then 5 × 5`, file: 'gated-pixelcnn-digits.gguf' },
  {
    name: 'WaveNet',
    says: phrase`dilated, 1, 2, 4, 8, 16, 28, …`,
    file: 'wavenet-digits.gguf',
    stack: dilated(28, [1, 2, 4, 8, 16, 28, 56, 112, 224, 1, 2, 4, 8, 16, 28, 56, 112, 224, 1, 2]),
  },
  { name: phrase`Sparse attention`, says: phrase`strided: a row, then a column`, file: 'sparse-digits.gguf', stack: strided(28, 6) },
  {
    name: phrase`Local attention`,
    says: phrase`one dimension, blocks of 64, memory of 128`,
    file: 'cifar10.gguf',
    stack: local(32, 6, { queryBlock: 64, memoryBlock: 128 }),
  },
  {
    name: phrase`Local attention`,
    says: phrase`two dimensions, blocks of 4 × 8`,
    file: 'cifar10-sr-2d.gguf',
    stack: local(32, 6, { blockRows: 4, blockCols: 8, flangeRows: 4, flangeCols: 8 }),
  },
  {
    name: phrase`Local attention`,
    says: phrase`one dimension, blocks of 196, memory of 196`,
    file: 'image-transformer-digits-bw.gguf',
    stack: local(28, 6, { queryBlock: 196, memoryBlock: 196 }),
  },
  { name: phrase`Everything before`, says: phrase`FVSBN, or dense attention`, file: 'fvsbn.gguf', stack: dense(28, 1) },
];
