// SPDX-License-Identifier: MIT
// Builds the pad on which visitors draw a digit with a mouse, finger or pen.
// @ts-check
import { announce } from '../library.js';
import { quantise } from '../library.js';
import { createButton } from '../page/button.js';
import { make } from '../page/dom.js';
import { phrase } from '../page/phrase.js';
import { onTheme, palette } from '../picture/palette.js';
import { rasterise } from '../picture/rasterise.js';
/** @import { State, Store } from './state.js' */
/** @import { Point } from '../picture/rasterise.js' */

/** Width of the pen as a fraction of the pad's width. */
const PEN = 0.07;

/**
 * @param {Store<State>} store
 * @param {HTMLElement} side the element that contains the pad
 * @param {() => void} onDraw called when the drawing becomes the picture to complete
 * @param {string} [id] id of the pad; needed on pages with two pads
 */
export function createPad(store, side, onDraw, id = 'pad') {
  const { button: opener } = createButton(phrase`Draw your own`, { id: `${id}-open`, icon: 'pen' });
  opener.setAttribute('aria-expanded', 'false');
  opener.setAttribute('aria-controls', id);
  const root = make('div', { id, class: 'pad', hidden: '' });
  side.append(opener, root);
  const surface = make('canvas', { class: 'pad-surface', role: 'img', 'aria-label': phrase`Drawing pad, for mouse, finger or pen` });
  const undo = make('button', { type: 'button', class: 'button' }, phrase`Undo`);
  const clear = make('button', { type: 'button', class: 'button' }, phrase`Clear`);
  root.append(
    surface,
    make('div', { class: 'pad-tools' }, undo, clear),
    make('p', {}, phrase`Draw one digit. It is centred and scaled like the digits of the training set.`),
  );

  /** @type {Point[][]} coordinates as fractions of the pad's width and height */
  const strokes = [];

  function draw() {
    const context = surface.getContext('2d');
    const side = Math.round(surface.clientWidth * devicePixelRatio);
    if (!context || !side) return;
    surface.width = surface.height = side;
    const { paper, ink } = palette();
    context.fillStyle = paper;
    context.fillRect(0, 0, side, side);
    context.strokeStyle = ink;
    context.lineWidth = PEN * side;
    context.lineCap = context.lineJoin = 'round';
    for (const stroke of strokes) {
      context.beginPath();
      context.moveTo(stroke[0][0] * side, stroke[0][1] * side);
      for (const [x, y] of stroke) context.lineTo(x * side, y * side);
      context.stroke();
    }
    undo.disabled = clear.disabled = strokes.length === 0;
  }

  function use() {
    draw();
    if (!strokes.length) return;
    const levels = store.now.info?.levels ?? 16;
    onDraw();
    store.set({ source: { pixels: quantise(rasterise(strokes), levels), name: phrase`Your drawing`, digit: -1 }, truth: null });
  }

  /** @param {PointerEvent} event @returns {Point} */
  const at = (event) => {
    const box = surface.getBoundingClientRect();
    return [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height];
  };
  surface.addEventListener('pointerdown', (event) => {
    if (event.button !== 0) return;
    event.preventDefault();
    surface.setPointerCapture(event.pointerId);
    strokes.push([at(event)]);
    draw();
  });
  surface.addEventListener('pointermove', (event) => {
    if (!surface.hasPointerCapture(event.pointerId)) return;
    const stroke = strokes[strokes.length - 1];
    for (const each of event.getCoalescedEvents?.() ?? [event]) stroke.push(at(each));
    draw();
  });
  surface.addEventListener('pointerup', use);
  surface.addEventListener('pointercancel', use);
  undo.addEventListener('click', () => {
    strokes.pop();
    use();
  });
  clear.addEventListener('click', () => {
    strokes.length = 0;
    draw();
    announce(phrase`The pad is empty.`);
  });
  opener.addEventListener('click', () => {
    root.hidden = !root.hidden;
    opener.setAttribute('aria-expanded', String(!root.hidden));
    draw();
  });
  onTheme(draw);
}
