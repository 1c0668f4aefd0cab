// SPDX-License-Identifier: MIT
// Starts the Image Transformer page. Its figures show half a digit with three completions, the attention of one pixel, the computation of
// one pixel step by step, the pattern of local attention, and digits drawn by class.
// @ts-check
import { SIDE, byId, createClasses, phrase, startPage, weights } from '../../shell/index.js';
import { createEndings, createStore, initialState } from '../../shell/completion/index.js';
import { chosen, createAsker, createAttentionView } from './attention.js';
import { createGeometry } from './geometry.js';
import { heatOf } from './heads.js';
import { createMachine } from './machine.js';
import { createPixelWalk } from './pixel-walk.js';
import { createPositions } from './positions.js';
import { createSettings } from './settings.js';
/** @import { Attended } from './attention.js' */

/** The initial digit is a 9. Its upper half could also be that of a 0. */
const FIRST = 36;

const store = createStore({ ...initialState(), surprise: true });
const attended = createStore(/** @type {Attended} */ ({ head: -1, attention: null }));
const machine = createMachine(store);

const { runner, panels, load } = createEndings(store, 'digits', {
  first: FIRST,
  heatAt: (pixel) =>
    attended.now.attention?.asked === pixel ? heatOf(chosen(attended.now.attention.maps, attended.now.head)).share : undefined,
  onDrawn(what) {
    attention.redraw();
    if (what === 'first') machine.first();
    if (what === 'done' && !store.now.asked) attention.suggest(store.now.rows * SIDE);
  },
  onPace: machine.pace,
});
const pictures = () => runner.pictures;
const attention = createAttentionView(store, attended, byId('attention-view'), pictures);
attended.on(['attention', 'head'], panels.redraw);
createAsker(store, attended, pictures);
createPixelWalk(store, pictures);
startPage(load());
createSettings(store);

createGeometry();
createPositions();
// The temperature was chosen by comparing samples at temperatures from 0.6 to 1. At 0.9, the digits are cleaner than at 1, and more varied
// than at lower temperatures.
createClasses({ digits: { weights: weights('digits.gguf'), temperature: 0.9, things: phrase`digits` } });
