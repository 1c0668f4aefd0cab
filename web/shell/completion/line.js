// SPDX-License-Identifier: MIT
// Builds the line below which the model completes the picture. The line is a slider, moved by dragging or with the keyboard.
// @ts-check
import { make, makeSvg } from '../page/dom.js';
import { phrase } from '../page/phrase.js';
import { SIDE } from '../picture/digits.js';
/** @import { State, Store } from './state.js' */

/** Lowest position of the line, which leaves at least one row for the model to draw. */
const MOST = SIDE - 1;

/** @type {Record<string, (rows: number) => number>} */
const KEYS = {
  ArrowUp: (rows) => rows - 1,
  ArrowLeft: (rows) => rows - 1,
  ArrowDown: (rows) => rows + 1,
  ArrowRight: (rows) => rows + 1,
  PageUp: (rows) => rows - 5,
  PageDown: (rows) => rows + 5,
  Home: () => 0,
  End: () => MOST,
};

/**
 * @param {Store<State>} store
 * @param {HTMLElement} stage the picture on which the handle lies
 * @param {HTMLElement} panels element on which the CSS property --line is set. The style sheet draws the line through all pictures at the
 *   height that --line states
 */
export function createLine(store, stage, panels) {
  const handle = make('div', {
    role: 'slider',
    tabindex: '0',
    class: 'handle',
    'aria-orientation': 'vertical',
    'aria-label': phrase`Rows given to the model`,
    'aria-valuemin': '0',
    'aria-valuemax': String(MOST),
  });
  handle.append(makeSvg('svg', { viewBox: '0 0 10 16' }, makeSvg('path', { d: 'M5 1.5 9 6H1zM5 14.5 1 10h8z' })));
  stage.append(handle);

  /** @param {number} rows */
  const set = (rows) => store.set({ rows: Math.min(MOST, Math.max(0, Math.round(rows))) });
  const show = () => {
    const { rows } = store.now;
    panels.style.setProperty('--line', `${(100 * rows) / SIDE}%`);
    handle.setAttribute('aria-valuenow', String(rows));
    handle.setAttribute('aria-valuetext', phrase`${rows} of ${SIDE} rows given`);
  };
  store.on(['rows'], show);
  show();

  handle.addEventListener('keydown', (event) => {
    const move = KEYS[event.key];
    if (!move) return;
    event.preventDefault();
    set(move(store.now.rows));
  });

  /** @param {PointerEvent} event */
  const follow = (event) => {
    const box = stage.getBoundingClientRect();
    set(((event.clientY - box.top) / box.height) * SIDE);
  };
  // With a mouse, the visitor can press anywhere on the picture. With a finger, the visitor must drag the handle, so that the page can
  // still be scrolled.
  stage.addEventListener('pointerdown', (event) => {
    if (event.button !== 0 || (event.pointerType === 'touch' && event.target !== handle)) return;
    event.preventDefault();
    handle.focus({ preventScroll: true });
    handle.setPointerCapture(event.pointerId);
    follow(event);
  });
  handle.addEventListener('pointermove', (event) => {
    if (handle.hasPointerCapture(event.pointerId)) follow(event);
  });
}
