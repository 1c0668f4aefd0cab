// SPDX-License-Identifier: MIT
// Starts the front page. The page shows a digit, tiles next to the digit, cards, and the list of papers. A model starts to complete the
// digit immediately.
// @ts-check
import { addressOf, keepInAddress, wholeIn } from '../shell/page/address.js';
import { createCompletion } from '../shell/completion/figure.js';
import { settingsOf } from '../shell/completion/shots.js';
import { createStore, initialState } from '../shell/completion/state.js';
import { PIXELS, SIDE } from '../shell/picture/digits.js';
import { byId, reducedMotion } from '../shell/page/dom.js';
import { startPage } from '../shell/page/page.js';
import { phrase } from '../shell/page/phrase.js';
import { acquireEarly } from '../shell/model/early.js';
import { THREE } from '../pictures/three.js';
import { createCards } from './cards.js';
import { leadOn } from './moved.js';
import { createPapers } from './table.js';
import { createTiles } from './tiles/tiles.js';

/** Longest time, in milliseconds, that the cards and the list of papers wait for the first pixel of the digit. */
const LATEST_MS = 600;
/**
 * Longest time, in milliseconds, that the tiles wait for the first pixel of the digit. The tiles wait longer than the cards and the list,
 * because the tiles use the processor more.
 */
const LATEST_TILES_MS = 2000;

leadOn();

const packed = atob(THREE);
const pixels = Uint8Array.from({ length: PIXELS }, (_, i) => 17 * ((packed.charCodeAt(i >> 1) >> (i % 2 ? 0 : 4)) & 15));

if (document.readyState === 'loading')
  await new Promise((resolve) => {
    document.addEventListener('DOMContentLoaded', resolve, { once: true });
  });

const store = createStore(initialState());
store.set({ source: { pixels, name: phrase`Test digit ${3}`, digit: 14 } });
const address = keepInAddress('figure-hero', {
  settings: () => ({ seed: store.now.seed, rows: store.now.rows }),
  apply(given) {
    const { seed, rows } = store.now;
    store.set({ seed: wholeIn(given, 'seed', 0, 1e9 - 1, seed), rows: wholeIn(given, 'rows', 0, SIDE - 1, rows) });
  },
});
// link to the page on which the visitor can save and share completions of the digit
const further = /** @type {HTMLAnchorElement} */ (byId('further'));
const leadFurther = () => {
  further.hash = addressOf('figure-endings', settingsOf(store, 'digits')).split('#')[1];
};
leadFurther();
store.on(['seed', 'rows'], leadFurther);
store.on(['seed'], () => address.changed());
store.on(['rows'], () => address.changed(true));
/** @type {Promise<void>} */
const drawn = new Promise((resolve) => {
  store.on(['phase'], ({ phase }) => {
    if (phase === 'done') resolve();
  });
});
/** Builds the rest of the page once the first pixel has been drawn. Only the first call has an effect. */
let makeRest = () => {
  makeRest = () => {};
  createCards(byId('cards'), drawn);
  createPapers(byId('papers-list'));
};
/** Starts the tiles once the first pixel has been drawn. Only the first call has an effect. */
let startTiles = () => {
  startTiles = () => {};
  void createTiles(reducedMotion() ? loaded : drawn);
};
const { load } = createCompletion(store, {
  acquire: acquireEarly,
  steps: false,
  onDrawn(what) {
    if (what !== 'first') return;
    performance.mark('first-pixel');
    setTimeout(() => {
      startTiles();
      makeRest();
    });
  },
});
const loaded = load();
// If the first pixel never comes, for example because the model cannot be loaded, these timers start the tiles and the rest of the page.
setTimeout(() => makeRest(), LATEST_MS);
setTimeout(() => startTiles(), reducedMotion() ? LATEST_MS : LATEST_TILES_MS);
startPage(loaded);
