// SPDX-License-Identifier: MIT
// Draws arrows in a plane. Visitors can drag the arrows or move them with the arrow keys.
// @ts-check
import { make, makeSvg, phrase } from '../../shell/index.js';

/** REACH: half the width of the plane. STEP: distance by which an arrow key moves an arrow. */
const [REACH, STEP] = [2, 0.1];

/** @import { Vector } from './attend.js' */
/**
 * @typedef {{ name: string, kind: string, at: Vector, fixed?: true }} Arrow fixed: the arrow is computed from the other arrows and cannot
 *   be dragged
 */

/**
 * @param {HTMLElement} root
 * @param {string} label
 * @param {Arrow[]} arrows
 * @param {() => void} onMove
 */
export function createPlane(root, label, arrows, onMove) {
  const drawing = makeSvg('svg', { viewBox: '-100 -100 200 200', class: 'plane-lines', 'aria-hidden': 'true' });
  drawing.append(makeSvg('path', { d: 'M-100 0H100M0 -100V100', class: 'axis' }));
  const frame = make('div', { class: 'plane', role: 'group', 'aria-label': label });
  frame.append(drawing);
  const parts = arrows.map((arrow) => {
    const line = makeSvg('line', { x1: '0', y1: '0', class: `arrow ${arrow.kind}` });
    drawing.append(line);
    const handle = /** @type {HTMLElement} */ (
      make(arrow.fixed ? 'span' : 'button', { class: `handle ${arrow.kind}`, ...(arrow.fixed ? {} : { type: 'button' }) }, arrow.name)
    );
    frame.append(handle);
    return { arrow, line, handle };
  });
  root.append(frame);

  function draw() {
    for (const {
      arrow: {
        at: [x, y],
        name,
        fixed,
      },
      line,
      handle,
    } of parts) {
      line.setAttribute('x2', String((100 * x) / REACH));
      line.setAttribute('y2', String((-100 * y) / REACH));
      Object.assign(handle.style, { left: `${50 + (50 * x) / REACH}%`, top: `${50 - (50 * y) / REACH}%` });
      if (!fixed) handle.setAttribute('aria-label', phrase`${name} at ${x.toFixed(1)}, ${y.toFixed(1)}. The arrow keys move it.`);
    }
  }
  /** @param {Arrow} arrow @param {number} x @param {number} y */
  function move(arrow, x, y) {
    const within = (/** @type {number} */ n) => Math.max(-REACH * 0.96, Math.min(REACH * 0.96, n));
    arrow.at = [within(x), within(y)];
    onMove();
  }
  for (const { arrow, handle } of parts) {
    if (arrow.fixed) continue;
    handle.addEventListener('pointerdown', (event) => {
      if (event.button !== 0) return;
      handle.setPointerCapture(event.pointerId);
      const follow = (/** @type {PointerEvent} */ { clientX, clientY }) => {
        const box = frame.getBoundingClientRect();
        move(arrow, REACH * ((2 * (clientX - box.left)) / box.width - 1), REACH * (1 - (2 * (clientY - box.top)) / box.height));
      };
      const end = () => handle.removeEventListener('pointermove', follow);
      handle.addEventListener('pointermove', follow);
      handle.addEventListener('pointerup', end, { once: true });
      handle.addEventListener('pointercancel', end, { once: true });
    });
    handle.addEventListener('keydown', (event) => {
      const step = { ArrowUp: [0, 1], ArrowDown: [0, -1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] }[event.key];
      if (!step) return;
      event.preventDefault();
      move(arrow, arrow.at[0] + STEP * step[0], arrow.at[1] + STEP * step[1]);
    });
  }
  draw();
  return { draw };
}
