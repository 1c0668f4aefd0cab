// SPDX-License-Identifier: MIT
// Draws the figure that compares training pictures with samples.
// @ts-check
import { announce, byId, createButton, make, onTheme, phrase } from '../../shell/index.js';
import { randomFrom } from '../../shell/run/random.js';
import { sample } from './learn.js';
import { paintSheet } from './sheet.js';
/** @import { Weights } from './learn.js' */

const COLS = 5;
const COUNT = COLS * COLS;

/** Creates the figure #figure-samples. */
export function createSamples() {
  const given = make('canvas', { role: 'img', 'aria-label': phrase`${COUNT} handwritten digits that the model was trained on` });
  const drawn = make('canvas', { role: 'img', 'aria-label': phrase`${COUNT} pictures that the model draws without any given pixels` });
  const { button } = createButton(phrase`Draw others`, { id: 'samples-again' });
  button.disabled = true;
  /** @type {Uint8Array[]} */
  let training = [];
  /** @type {Weights | null} */
  let weights = null;
  let seed = 1;

  function draw() {
    paintSheet(given, training.slice(0, COUNT), { cols: COLS, ink: 'known' });
    if (!weights) return;
    const [known, random] = [weights, randomFrom(seed)];
    paintSheet(
      drawn,
      Array.from({ length: COUNT }, () => sample(known, random)),
      { cols: COLS, ink: 'predicted' },
    );
  }
  /** @param {string} name @param {HTMLCanvasElement} canvas */
  const panel = (name, canvas) =>
    make('div', { class: 'panel' }, make('p', { class: 'panel-name' }, make('b', {}, name)), make('div', { class: 'stage' }, canvas));
  byId('samples').append(panel(phrase`Training digits`, given), panel(phrase`Drawn by the model`, drawn));
  byId('samples-tools').append(button);
  button.addEventListener('click', () => {
    seed++;
    draw();
    announce(phrase`${COUNT} other pictures were drawn.`);
  });
  onTheme(draw);
  return {
    /** @param {Uint8Array[]} digits */
    show(digits) {
      training = digits;
      draw();
    },
    /** @param {Weights} loaded */
    use(loaded) {
      weights = loaded;
      button.disabled = false;
      draw();
    },
  };
}
