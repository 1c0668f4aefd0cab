// SPDX-License-Identifier: MIT
// Builds the sheet of digits from which the visitor picks the training digits, with the pointer or the keyboard.
// @ts-check
import { announce, askable, createButton, make, onTheme, perFrame, phrase } from '../../shell/index.js';
import { paintSheet } from './sheet.js';
/** @import { Lesson } from './lesson.js' */

const COLS = 20;
/** Number of digits per row on a narrow screen. The number is small, because each digit must be large enough to tap. */
const FEW = 10;
const NARROW = matchMedia('(max-width: 40rem)');

/**
 * @param {HTMLElement} root
 * @param {Uint8Array[]} pictures the pictures; the visitor's own drawings start at index `own`
 * @param {{ own: number, rest: number, lesson: () => Lesson }} options rest: the last `rest` pictures are not picked initially
 */
export function createPicking(root, pictures, { own, rest, lesson }) {
  const canvas = make('canvas', { role: 'img' });
  let at = -1;
  const cols = () => (NARROW.matches ? FEW : COLS);
  const name = (/** @type {number} */ k) => (k < own ? phrase`Digit ${k + 1}` : phrase`Your drawing ${k - own + 1}`);
  const frame = askable(canvas, {
    label: phrase`Digits to learn from. Arrow keys choose one, Enter or the space bar picks it or leaves it out.`,
    grid: () => ({ rows: Math.ceil(pictures.length / cols()), cols: cols() }),
    start: () => ({ row: 0, col: 0 }),
    limit: () => pictures.length,
    onPixel({ row, col }) {
      at = row * cols() + col;
      redraw();
      if (document.activeElement === frame) announce(`${name(at)}, ${lesson().picked.has(at) ? phrase`picked` : phrase`left out`}`, 400);
    },
    onLeave() {
      at = -1;
      redraw();
    },
  });
  const redraw = perFrame(() => {
    const { picked } = lesson();
    paintSheet(canvas, pictures, { cols: cols(), ink: 'known', pale: (k) => !picked.has(k), cursor: at });
    canvas.setAttribute('aria-label', phrase`${pictures.length} digits, ${picked.size} of them picked`);
  });

  function toggle() {
    if (at < 0) return;
    const { picked } = lesson();
    if (!picked.delete(at)) picked.add(at);
    announce(phrase`${name(at)}, ${picked.has(at) ? phrase`picked` : phrase`left out`}. ${picked.size} are picked.`);
    redraw();
  }
  /** @param {(k: number) => boolean} wanted */
  function pick(wanted) {
    const { picked } = lesson();
    picked.clear();
    pictures.forEach((_, k) => {
      if (wanted(k)) picked.add(k);
    });
  }
  const most = () => pick((k) => k < own - rest);

  frame.addEventListener('click', toggle);
  frame.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' && event.key !== ' ') return;
    event.preventDefault();
    toggle();
  });
  const tools = make('div', { class: 'transport' });
  for (const [text, act] of /** @type {[string, () => void][]} */ ([
    [phrase`All but ${rest}`, most],
    [phrase`None`, () => pick(() => false)],
  ])) {
    const { button } = createButton(text);
    button.addEventListener('click', () => {
      act();
      announce(phrase`${lesson().picked.size} digits are picked.`);
      redraw();
    });
    tools.append(button);
  }
  root.append(frame, tools);
  NARROW.addEventListener('change', redraw);
  onTheme(redraw);
  most();
  redraw();
  return {
    /** Adds a drawing and picks it. @param {Uint8Array} picture */
    add(picture) {
      pictures.push(picture);
      lesson().picked.add(pictures.length - 1);
      announce(phrase`Your drawing is picked; ${lesson().picked.size} are picked in total.`);
      redraw();
    },
  };
}
