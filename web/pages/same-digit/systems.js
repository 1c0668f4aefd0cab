// SPDX-License-Identifier: MIT
// Lists the systems that complete the same digit, one per row.
// @ts-check
import { phrase } from '../../shell/page/phrase.js';

/**
 * @typedef {Object} System
 * @property {string} name
 * @property {number} year
 * @property {string} page name of the page's folder
 * @property {string} file name of the weight file
 * @property {string} how description of how the system sees the picture
 * @property {number} test nats per test picture, averaged over 10,000 pictures
 */

/** @type {System[]} */
export const SYSTEMS = [
  { name: 'FVSBN', year: 1996, page: 'fvsbn', file: 'fvsbn.gguf', how: phrase`a sum of votes, one layer`, test: 97.63 },
  { name: 'PixelCNN', year: 2016, page: 'pixelcnn', file: 'pixelcnn-digits.gguf', how: phrase`masked convolutions`, test: 84.0 },
  {
    name: phrase`Gated PixelCNN`,
    year: 2016,
    page: 'pixelcnn',
    file: 'gated-pixelcnn-digits.gguf',
    how: phrase`two stacks and gates`,
    test: 80.47,
  },
  {
    name: 'WaveNet',
    year: 2016,
    page: 'wavenet',
    file: 'wavenet-digits.gguf',
    how: phrase`dilated convolutions, all pixels in one line`,
    test: 82.86,
  },
  {
    name: 'Image Transformer',
    year: 2018,
    page: 'image-transformer',
    file: 'image-transformer-digits-bw.gguf',
    how: phrase`local self-attention`,
    test: 82.84,
  },
  { name: 'Sparse Transformer', year: 2019, page: 'sparse', file: 'sparse-digits.gguf', how: phrase`strided self-attention`, test: 83.82 },
];
