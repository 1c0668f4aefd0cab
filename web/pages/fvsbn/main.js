// SPDX-License-Identifier: MIT
// The page of the fully visible sigmoid belief network: a binarised digit is completed, and the weights that do it.
// @ts-check
import {
  acquireFirst, applySettings, byId, bytes, createCompletion, createPad, createStore, createStrip, createTake, initialState, integer, loadStrip,
  onAddress, settingsOf, shotsOf, startPage, weights,
} from '../../shell/index.js';
import { readTensor } from './gguf.js';
import { createScale, createVotes } from './votes.js';

/** The digit that the page opens with. */
const FIRST = 14;
const SIDE = 28;

const store = createStore(initialState());
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

const { runner, load } = createCompletion(store, { acquire: async (options) => (await Promise.all([acquireFirst(options), showStrip()]))[0] });
createTake(byId('take'), { id: 'figure-endings', shots: () => shotsOf(store, runner.pictures), settings: () => settingsOf(store, 'fvsbn') });

const votes = createVotes(byId('votes'));
createScale('votes-scale');
// A pixel that is pointed at in an ending shows its votes.
store.on(['place'], ({ place }) => { if (place) votes.show(place.row * SIDE + place.column); });
store.on(['info'], ({ info }) => {
  if (info) byId('model-size').textContent = `${integer(info.parameters)} numbers, ${bytes(info.bytes)}`;
});

/** The weights themselves, of the file that the model is made of. */
async function showVotes() {
  const file = await fetch(weights('fvsbn.gguf')).then((response) => response.arrayBuffer());
  votes.use({ weight: readTensor(file, 'fvsbn.weight').values, bias: readTensor(file, 'fvsbn.bias').values });
}
const loaded = load();
loaded.then(showVotes).catch(() => { byId('votes-failed').hidden = false; });
startPage(loaded);
