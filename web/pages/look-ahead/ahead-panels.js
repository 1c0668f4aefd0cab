// SPDX-License-Identifier: MIT
// Draws the two panels of the figure: the digit, and a picture of the digit's pixels coloured by the pass that drew them.
// @ts-check
import { SIDE, announce, askable, make, onTheme, paint, perFrame, phrase } from '../../shell/index.js';
import { passAt, passes } from './ahead-run.js';
/** @import { Drawing } from './ahead-run.js' */

/** Point on the heat ramp, from 0 to 1, that colours the first pixel of a pass. The later pixels of the pass are increasingly pale. */
const FIRST = 0.72;
/** @param {number} ahead number of earlier pixels in the same pass */
const shareOf = (ahead) => (ahead === 0 ? FIRST : 0.32 - 0.03 * ahead);

const NOTHING = { values: new Uint8Array(SIDE * SIDE), ahead: new Uint8Array(SIDE * SIDE) };

/** @param {number} count */
const pixelsOf = (count) => (count === 1 ? phrase`1 pixel` : phrase`${count} pixels`);

/** @param {HTMLElement} root */
export function createAheadPanels(root) {
  /** @type {Pick<Drawing, 'values' | 'ahead'>} */
  let drawing = NOTHING;
  let head = 0;
  let drawn = false;
  /** Index of the selected pixel; -1 for none. */
  let asked = -1;

  const redraw = perFrame(() => {
    const { values, ahead } = drawing;
    const pen = drawn || head === 0 ? -1 : head;
    const pass = asked < 0 || asked >= head ? null : passAt(ahead, asked);
    const ranges = pass ? [/** @type {[number, number]} */ ([pass.from, pass.to])] : [];
    const view = { values, filled: head, known: 0, pen, ranges, cursor: pass ? asked : -1 };
    paint(picture.canvas, view);
    paint(runs.canvas, { ...view, heat: (/** @type {number} */ i) => shareOf(ahead[i]) });
    const count = passes(ahead, head);
    picture.canvas.setAttribute('aria-label', phrase`${head} of ${values.length} pixels drawn`);
    runs.canvas.setAttribute(
      'aria-label',
      count === 1 ? phrase`1 pass for ${pixelsOf(head)}` : phrase`${count} passes for ${pixelsOf(head)}`,
    );
    picture.note.textContent =
      head === 0 ? phrase`Nothing drawn yet.` : drawn ? phrase`Drawn.` : phrase`${head} of ${values.length} pixels.`;
    runs.note.textContent = pass ? describe(ahead, pass) : head === 0 ? '' : phrase`Point at a pixel to see which pass drew it.`;
    // Announces the selected pixel while the visitor moves through the picture with the keyboard.
    if (pass && root.contains(document.activeElement)) announce(runs.note.textContent, 400);
  });

  /** @param {number} pixel */
  function ask(pixel) {
    asked = pixel;
    redraw();
  }

  /** @param {string} name @param {string} detail @param {string} label */
  function createPanel(name, detail, label) {
    const canvas = make('canvas', { role: 'img' });
    const note = make('p', { class: 'panel-note' });
    const frame = askable(canvas, {
      label: phrase`${label} Arrow keys show which pass drew a pixel.`,
      grid: () => ({ rows: SIDE, cols: SIDE }),
      from: () => (head > 0 ? { row: Math.floor((head - 1) / SIDE), col: (head - 1) % SIDE } : null),
      onPixel: ({ row, col }) => ask(row * SIDE + col),
      onLeave: () => ask(-1),
    });
    const heading = make('p', { class: 'panel-name' }, make('b', {}, name), make('span', {}, detail));
    root.append(make('div', { class: 'panel ahead-panel' }, heading, make('div', { class: 'stage' }, frame), note));
    return { canvas, note };
  }
  const picture = createPanel(phrase`The picture`, '', phrase`The picture.`);
  const runs = createPanel(phrase`Its passes`, phrase`each pass is a run of one colour`, phrase`The passes of the model.`);
  runs.canvas.dataset.varies = ''; // varies, because passes also end where chunks end, and the size of chunks depends on timing

  onTheme(redraw);
  new ResizeObserver(redraw).observe(root);
  redraw();

  return {
    /**
     * @param {Pick<Drawing, 'values' | 'ahead'> | null} what the drawing; null if nothing is drawn yet
     * @param {number} [pixels]
     * @param {boolean} [whole] whether the picture is complete
     */
    show(what, pixels = 0, whole = false) {
      if (what !== drawing) asked = -1;
      drawing = what ?? NOTHING;
      head = pixels;
      drawn = whole;
      redraw();
    },
  };
}

/** @param {Uint8Array} ahead @param {{ from: number, to: number }} pass */
function describe(ahead, { from, to }) {
  /** @param {number} pixel */
  const where = (pixel) => phrase`row ${Math.floor(pixel / SIDE) + 1}, column ${(pixel % SIDE) + 1}`;
  const right = to - from - 1;
  const accepted = right === 0 ? phrase`no accepted draft` : right === 1 ? phrase`1 accepted draft` : phrase`${right} accepted drafts`;
  return phrase`Pass ${passes(ahead, from + 1)}: ${pixelsOf(to - from)}, ${accepted}. From ${where(from)}.`;
}
