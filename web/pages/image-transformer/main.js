// SPDX-License-Identifier: MIT
// The page of the Image Transformer: half a digit and three endings, what the model looked at, local attention, classes.
// @ts-check
import {
  SIDE, acquireFirst, applySettings, byId, createClasses, createCompletion, createPad, createStore, createStrip, createTake, initialState,
  loadStrip, onAddress, settingsOf, shotsOf, startPage, weights,
} from '../../shell/index.js';
import { createAsker, createAttentionView } from './attention.js';
import { createGeometry } from './geometry.js';
import { heatOf } from './heads.js';
import { createMachine } from './machine.js';
import { createSettings } from './settings.js';
/** @import { Look } from './attention.js' */

/** The digit that the page opens with. */
const FIRST = 14;

const store = createStore(initialState());
const look = createStore(/** @type {Look} */ ({ head: -1, attention: null }));
const machine = createMachine(store);

/** @type {Promise<void> | undefined} */
let strip;
/** The strip of digits; a failure is not kept, so that the next try is a new one. */
function showStrip() {
  strip ??= loadStrip().then((digits) => {
    const choice = createStrip(store, byId('strip'), digits, FIRST);
    createPad(store, byId('pad-side'), choice.clear);
    onAddress('figure-endings', (settings) => applySettings(store, settings, choice));
  }).catch((error) => {
    strip = undefined;
    throw error;
  });
  return strip;
}

const { runner, panels, load } = createCompletion(store, {
  acquire: async (options) => (await Promise.all([acquireFirst(options), showStrip()]))[0],
  heatAt: (place) => (look.now.attention?.place === place ? heatOf(look.now.attention, look.now.head).share : undefined),
  onDrawn(what) {
    attention.redraw();
    if (what === 'first') machine.first();
    if (what === 'done' && !store.now.place) attention.suggest(store.now.rows * SIDE);
  },
  onPace: machine.pace,
});
const pictures = () => runner.pictures;
const attention = createAttentionView(store, look, byId('attention-view'), pictures);
look.on(['attention', 'head'], panels.redraw);
createAsker(store, look, pictures);
createTake(byId('take'), { id: 'figure-endings', shots: () => shotsOf(store, runner.pictures), settings: () => settingsOf(store, 'digits') });
startPage(load());
createSettings(store);

createGeometry();
// Chosen by looking at samples of 0.6 to 1: at 0.9 the digits are cleaner than at 1 and more varied than below.
createClasses({ digits: { weights: weights('digits.gguf'), temperature: 0.9, things: 'digits' } });
