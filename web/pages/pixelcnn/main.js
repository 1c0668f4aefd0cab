// SPDX-License-Identifier: MIT
// Starts the page about PixelCNN and gated PixelCNN. Its figures are completions, the receptive field of a pixel layer by layer, and
// drawing by class.
// @ts-check
import { SIDE, byId, createClasses, createFields, phrase, startPage, weights } from '../../shell/index.js';
import { createEndings, createStore, initialState } from '../../shell/completion/index.js';
import { createFieldView } from './field-view.js';
import { createGates } from './gates.js';
import { createMasks } from './masks.js';

const store = createStore({ ...initialState(), seed: 15 });
/** @type {ReturnType<typeof createFields> | undefined} */
let fields;
const { panels, load } = createEndings(store, 'pixelcnn-digits', {
  heatAt({ row, column }) {
    const seen = fields?.now(row * SIDE + column)?.at(-1);
    return seen && ((i) => (seen[i] ? 0.3 : NaN));
  },
});
store.on(['model'], ({ model }) => {
  fields = model ? createFields(model) : undefined;
});
store.on(['hover'], async ({ hover }) => {
  if (!hover || !fields) return;
  await fields.at(hover.row * SIDE + hover.column).catch(() => {}); // at() rejects if another pixel is selected in the meantime
  panels.redraw();
});

createMasks(byId('masks'));
createFieldView(byId('fields'), weights('pixelcnn-digits.gguf'), weights('gated-pixelcnn-digits.gguf'));
createGates();
createClasses({ digits: { weights: weights('gated-pixelcnn-digits.gguf'), temperature: 1, things: phrase`digits` } });
startPage(load());
