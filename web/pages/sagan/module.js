// SPDX-License-Identifier: MIT
// Shows the sizes of the attention module as read from the file.
// @ts-check
import { byId, onFile, phrase } from '../../shell/index.js';
import { readGguf } from '../../shell/model/gguf.js';

export const createModule = () => onFile(show);

/** @param {ArrayBuffer} file */
function show(file) {
  const { facts, names, tensor } = readGguf(file);
  if (!names.includes('attn.gain')) {
    // a generator without an attention module has no sizes to show
    for (const cell of document.querySelectorAll('#figure-module [id^="size-"], #figure-module [id^="made-"]')) cell.textContent = '–';
    return;
  }
  const matrix = (/** @type {string} */ name) => tensor(`attn.${name}.weight`).shape; // (in, out)
  const size = facts.get('sagan.attention.size');
  const pooled = facts.get('sagan.attention.pool') ? size / 2 : size;
  const [[channels, queries], [, keys], [, values]] = ['q', 'k', 'v'].map(matrix);
  const gain = tensor('attn.gain').values[0];
  const grid = (/** @type {number} */ side, /** @type {number} */ depth) => `${side} × ${side} × ${depth}`;
  const by = (/** @type {number} */ rows, /** @type {number} */ columns) => phrase`a matrix of ${rows} × ${columns}`;
  const pooling = (/** @type {string} */ made) => (pooled === size ? made : phrase`${made}, then 2 × 2 max pooling`);
  /** @type {Record<string, string>} */
  const said = {
    'size-x': grid(size, channels),
    'made-f': pooling(by(keys, channels)),
    'size-f': grid(pooled, keys),
    'made-g': by(queries, channels),
    'size-g': grid(size, queries),
    'made-h': pooling(by(values, channels)),
    'size-h': grid(pooled, values),
    'size-beta': `${size ** 2} × ${pooled ** 2}`,
    'made-o': by(channels, values),
    'size-o': grid(size, channels),
    'made-y': phrase`γ = ${gain.toFixed(3)}, learned`,
    'size-y': grid(size, channels),
  };
  for (const [id, text] of Object.entries(said)) byId(id).textContent = text;
}
