// SPDX-License-Identifier: MIT
// The systems that finish the same digit: a row each. What each learned from, and its test nats, are in weights/README.md.
// @ts-check

/**
 * @typedef {Object} System
 * @property {string} name
 * @property {number} year
 * @property {string} page its folder
 * @property {string} file its weights
 * @property {string} how it sees
 */

/** @type {System[]} */
export const SYSTEMS = [
  { name: 'FVSBN', year: 1996, page: 'fvsbn', file: 'fvsbn.gguf', how: 'a sum of votes, one layer' },
  { name: 'PixelCNN', year: 2016, page: 'pixelcnn', file: 'pixelcnn-digits.gguf', how: 'masked convolutions' },
  { name: 'Gated PixelCNN', year: 2016, page: 'pixelcnn', file: 'gated-pixelcnn-digits.gguf', how: 'two stacks and gates' },
  { name: 'WaveNet', year: 2016, page: 'wavenet', file: 'wavenet-digits.gguf', how: 'dilated convolutions, all pixels in one line' },
  { name: 'Image Transformer', year: 2018, page: 'image-transformer', file: 'image-transformer-digits-bw.gguf', how: 'local self-attention' },
  { name: 'Sparse Transformer', year: 2019, page: 'sparse', file: 'sparse-digits.gguf', how: 'strided self-attention' },
];
