// SPDX-License-Identifier: MIT
// Draws the reach figure. The figure compares convolutions with attention: it shows which pixels affect one pixel after a chosen number of
// layers.
// @ts-check
import {
  announce,
  askable,
  byId,
  countOf,
  integer,
  make,
  onTheme,
  paintCells,
  perFrame,
  percent,
  phrase,
  whenNear,
} from '../../shell/index.js';
import { before, reachOf } from './reach.js';
import { REACHES } from './reaches.js';
/** @import { Cell } from '../../shell/index.js' */
/** @import { Field } from '../../shell/picture/field.js' */
/** @import { Stack } from './reach.js' */

/** Number of rows and columns of the picture in which the pixel is chosen. In pictures of other sizes, the position is scaled. */
const SIDE = 28;

/**
 * @param {(file: string, pixel: number) => Promise<Field | undefined>} ask returns the receptive field that a model reports; undefined if
 *   another pixel was selected in the meantime. The model need not be loaded yet
 */
export function createReach(ask) {
  /** @type {HTMLInputElement} */
  const slider = byId('reach-layers');
  const output = byId('reach-layers-said');
  /** @type {Cell} */
  let at = { row: 18, col: 9 };
  let near = false;
  const panels = REACHES.map(({ name, says, file, stack }) => {
    const side = stack?.rows ?? SIDE;
    const canvas = make('canvas', { role: 'img', 'aria-label': phrase`${name}: not drawn yet` });
    const note = make('p', { class: 'panel-note', 'data-result': '' });
    const frame = askable(canvas, {
      label: phrase`${name}, ${says}. Arrow keys choose the pixel.`,
      grid: () => ({ rows: side, cols: side }),
      from: () => scaled(at, side),
      onPixel: ({ row, col }) => choose({ row: Math.floor(((row + 0.5) * SIDE) / side), col: Math.floor(((col + 0.5) * SIDE) / side) }),
    });
    byId('reach-panels').append(
      make(
        'div',
        { class: 'reach-panel' },
        make('p', { class: 'panel-name' }, make('b', {}, name), make('span', {}, says)),
        make('div', { class: 'stage' }, frame),
        note,
      ),
    );
    /** @type {{ name: string, says: string, file: string, side: number, canvas: HTMLCanvasElement, note: HTMLElement, frame: HTMLElement, stack: Stack | undefined, seen: Uint8Array[], drawn: Uint8Array }} */
    const panel = { name, says, file, side, canvas, note, frame, stack, seen: [], drawn: new Uint8Array(side * side) };
    return panel;
  });

  /** Returns the same position in a picture of another size. @param {Cell} cell @param {number} side @returns {Cell} */
  function scaled({ row, col }, side) {
    return { row: Math.floor(((row + 0.5) * side) / SIDE), col: Math.floor(((col + 0.5) * side) / SIDE) };
  }

  const redraw = perFrame(() => {
    const count = Number(slider.value);
    output.textContent = count === 1 ? phrase`the first alone` : phrase`the first ${count}`;
    for (const { name, says, side, canvas, note, frame, seen, drawn } of panels) {
      const here = scaled(at, side);
      const last = Math.min(count, seen.length) - 1;
      const [now, earlier] = [seen[last], seen[last - 1]];
      paintCells(canvas, {
        rows: side,
        cols: side,
        framed: [here],
        colour(row, col, { heat, paper, wash, predicted }) {
          const i = row * side + col;
          if (!drawn[i]) return wash;
          return !now ? paper : !now[i] ? predicted[60] : count > seen.length || earlier?.[i] ? heat(0.3) : heat(0.7);
        },
      });
      if (!now) continue;
      const reach = countOf(now);
      const whole = countOf(drawn);
      note.replaceChildren(
        make('b', {}, phrase`${integer(reach)} of ${integer(whole)}`),
        whole ? ` (${percent(reach / whole)})` : '',
        ', ',
        count > seen.length
          ? seen.length === 1
            ? phrase`it has 1 layer`
            : phrase`it has ${seen.length} layers`
          : phrase`layer ${last + 1} of ${seen.length}`,
      );
      canvas.setAttribute('aria-label', `${name}, ${says}: ${note.textContent}`);
      if (document.activeElement === frame) announce(note.textContent ?? '', 400);
    }
  });

  /** @param {Cell} cell */
  function choose(cell) {
    at = cell;
    for (const panel of panels) {
      const { row, col } = scaled(cell, panel.side);
      const pixel = row * panel.side + col;
      panel.drawn = panel.stack ? before(panel.stack, pixel) : Uint8Array.from(panel.drawn, (_, i) => Number(i < pixel));
      if (panel.stack) {
        panel.seen = reachOf(panel.stack, pixel);
        continue;
      }
      ask(panel.file, pixel).then(
        (field) => {
          if (at !== cell || !field) return;
          panel.seen = field;
          redraw();
        },
        () => {},
      ); // ask() may reject if another pixel is selected in the meantime
    }
    redraw();
  }

  slider.max = String(Math.max(...panels.map(({ stack }) => stack?.layers ?? 1)));
  slider.addEventListener('input', () => {
    redraw();
    announce(output.textContent ?? '', 400);
  });
  onTheme(redraw);
  new ResizeObserver(redraw).observe(byId('reach-panels'));
  whenNear(byId('figure-reach'), () => {
    near = true;
    choose(at);
  });
  return {
    /** Called after the models have loaded. */
    renew() {
      if (near) choose(at);
    },
  };
}
