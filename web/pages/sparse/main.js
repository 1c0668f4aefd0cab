// SPDX-License-Identifier: MIT
// Starts the sparse attention page. Its figures are completions of a digit, the patterns, the heads of a dense model, and the cost of a
// step for several sequence lengths.
// @ts-check
import { SIDE, byId, phrase, startPage, weights } from '../../shell/index.js';
import { createEndings, createStore, initialState } from '../../shell/completion/index.js';
import { createCost } from './cost.js';
import { createHeadsFigure } from './heads-figure.js';
import { createPatternFigure } from './pattern-figure.js';
import { FAR, NEAR, sees } from './patterns.js';

const store = createStore(initialState());
const strided = /** @type {const} */ ({ kind: 'strided', n: SIDE * SIDE, stride: SIDE, summary: 0 });
const { load } = createEndings(store, 'sparse-digits', {
  // Position i holds pixel i - 1, so key j is pixel j - 1.
  heatAt({ row, column }) {
    const i = row * SIDE + column;
    return (pixel) => (sees(strided, NEAR, i, pixel + 1) && pixel < i ? 0.3 : sees(strided, FAR, i, pixel + 1) && pixel < i ? 0.7 : NaN);
  },
});

createPatternFigure(byId('patterns'));
createHeadsFigure(byId('heads'), [
  { name: phrase`Dense: the Image Transformer`, address: weights('image-transformer-digits-bw.gguf') },
  { name: phrase`Sparse: strided, in turn`, address: weights('sparse-digits.gguf') },
]);
createCost(byId('cost'));
startPage(load());
