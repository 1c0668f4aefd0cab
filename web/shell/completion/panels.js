// SPDX-License-Identifier: MIT
// Draws the digit and its completions. The model receives the rows above a line on the digit, and completes the rows below the line.
// @ts-check
import { make, perFrame } from '../page/dom.js';
import { phrase } from '../page/phrase.js';
import { askable } from '../picture/ask.js';
import { SIDE, PIXELS } from '../picture/digits.js';
import { NATS_SHOWN } from '../picture/legend.js';
import { paint } from '../picture/paint.js';
import { onTheme } from '../picture/palette.js';
import { describe } from './describe.js';
import { createLine } from './line.js';
import { ENDINGS } from './shots.js';
/** @import { Cell } from '../picture/ask.js' */
/** @import { Ending } from './runner.js' */
/** @import { Pixel, State, Store } from './state.js' */

/** Index of the pixel that the arrow keys select first. */
const MIDDLE_OF_ENDING = 20 * SIDE + SIDE / 2;

/** @param {Float32Array} nats @param {number} from @param {number} to */
const total = (nats, from, to) => nats.subarray(from, to).reduce((sum, n) => sum + n, 0);

/** @param {string} name @param {string} extra CSS class */
function panel(name, extra) {
  const detail = make('span');
  const canvas = make('canvas', { role: 'img' });
  const stage = make('div', { class: 'stage cut' });
  const note = make('p', { class: 'panel-note' });
  const root = make('div', { class: `panel ${extra}` }, make('p', { class: 'panel-name' }, make('b', {}, name), detail), stage, note);
  return { root, stage, canvas, detail, note };
}

/**
 * @param {Store<State>} store
 * @param {HTMLElement} root
 * @param {() => Ending[]} pictures
 * @param {(pixel: Pixel) => ((i: number) => number) | undefined} [heatAt] receives the pixel under the pointer; returns a function that
 *   maps the index of any pixel to its position on the heat ramp, 0 to 1
 * @param {string[]} [titles] titles of the completions
 */
export function createPanels(store, root, pictures, heatAt = () => undefined, titles = ENDINGS) {
  const source = panel(phrase`The digit`, 'source');
  source.stage.append(source.canvas);
  root.append(source.root);
  createLine(store, source.stage, root);

  const endings = titles.map((name, sample) => {
    const ending = panel(name, 'ending');
    /** The pixel that was selected most recently with the keyboard. @type {Cell | null} */
    let last = null;
    const explorer = askable(ending.canvas, {
      label: phrase`${name}, pixel by pixel. Arrow keys move.`,
      grid: () => ({ rows: SIDE, cols: SIDE }),
      from: () => (last && last.row * SIDE + last.col < pictures()[sample].filled ? last : null),
      start() {
        const at = Math.min(pictures()[sample].filled - 1, MIDDLE_OF_ENDING);
        return { row: Math.floor(at / SIDE), col: at % SIDE };
      },
      limit: () => pictures()[sample].filled,
      onPixel(cell) {
        last = cell;
        const pixel = { sample, row: cell.row, column: cell.col };
        store.set({ hover: pixel, asked: pixel });
      },
      onLeave: () => store.set({ hover: null }),
    });
    ending.stage.append(explorer);
    root.append(ending.root);
    return ending;
  });

  function drawSource() {
    const { source: chosen, rows, surprise, truth } = store.now;
    if (!chosen) return;
    const known = rows * SIDE;
    paint(source.canvas, {
      values: chosen.pixels,
      filled: PIXELS,
      known,
      ghost: true,
      heat: surprise && truth ? (i) => (i < known ? NaN : truth[i] / NATS_SHOWN) : undefined,
    });
    source.canvas.setAttribute('aria-label', phrase`${chosen.name}; its first ${rows} rows are given to the model`);
    source.detail.textContent = rows === 1 ? phrase`1 row given` : phrase`${rows} rows given`;
    const cost = truth && total(truth, known, PIXELS);
    source.note.replaceChildren(...(cost === null ? [] : [make('b', {}, phrase`${cost.toFixed(1)} nats`), phrase` for the true ending`]));
  }

  function drawEndings() {
    const { rows, surprise, hover, phase, info } = store.now;
    const known = rows * SIDE;
    pictures().forEach((picture, sample) => {
      const { values, nats, filled } = picture;
      const here = hover?.sample === sample ? hover : null;
      const heat = (here && heatAt(here)) ?? (surprise ? (/** @type {number} */ i) => (i < known ? NaN : nats[i] / NATS_SHOWN) : undefined);
      const { canvas, note } = endings[sample];
      paint(canvas, {
        values,
        filled,
        known,
        heat,
        cursor: here ? here.row * SIDE + here.column : -1,
        pen: phase === 'running' || phase === 'paused' ? filled : -1,
      });
      const cost = total(nats, known, filled);
      canvas.setAttribute(
        'aria-label',
        phrase`${titles[sample]}: ${Math.max(0, filled - known)} of ${PIXELS - known} pixels drawn, ${cost.toFixed(1)} nats`,
      );
      if (here && info) {
        note.replaceChildren(...describe({ picture, pixel: here, known, info }));
      } else {
        note.replaceChildren(
          ...(filled > known ? [make('b', {}, phrase`${cost.toFixed(1)} nats`), filled < PIXELS ? phrase` so far` : ''] : []),
        );
      }
    });
  }

  const drawAll = perFrame(() => {
    drawSource();
    drawEndings();
  });
  const redrawEndings = perFrame(drawEndings);
  store.on(['source', 'rows', 'surprise', 'truth'], drawAll);
  store.on(['hover', 'phase'], redrawEndings);
  onTheme(drawAll);
  new ResizeObserver(drawAll).observe(root);
  return { redraw: redrawEndings };
}
