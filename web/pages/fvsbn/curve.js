// SPDX-License-Identifier: MIT
// Draws two small curves: nats per training digit and nats per held-out digit.
// @ts-check
import { make, onTheme, palette } from '../../shell/index.js';

/**
 * Nats at the top and at the bottom of the logarithmic scale. The top is slightly above 784 ln 2 = 543 nats, the cost of 784 fair coin
 * flips.
 */
const [TOP, BOTTOM] = [600, 25];
const LINES = [500, 200, 100, 50];

/**
 * @typedef {{ at: number, learning: number, unseen: number }} Point at: number of training steps so far; learning, unseen: mean nats, NaN
 *   if there is no digit to measure
 */

export function createCurve() {
  const canvas = make('canvas', { class: 'curve', 'aria-hidden': 'true' }); // the text next to it gives the numbers
  /** @type {Point[]} */
  let points = [];
  function draw() {
    const context = canvas.getContext('2d');
    const [width, height] = [canvas.clientWidth, canvas.clientHeight].map((n) => Math.round(n * devicePixelRatio));
    if (!context || !width) return;
    [canvas.width, canvas.height] = [width, height];
    const { edge, ink, accent } = palette();
    const size = 11 * devicePixelRatio;
    const left = 2.6 * size;
    /** @param {number} nats */
    const y = (nats) => (Math.log(TOP / Math.min(TOP, Math.max(BOTTOM, nats))) / Math.log(TOP / BOTTOM)) * (height - 2) + 1;
    const end = Math.max(1, points.at(-1)?.at ?? 1);
    context.font = `${size}px ${getComputedStyle(canvas).fontFamily}`;
    context.textBaseline = 'middle';
    context.textAlign = 'right';
    context.lineWidth = devicePixelRatio;
    for (const nats of LINES) {
      context.fillStyle = ink;
      context.fillText(String(nats), left - 0.5 * size, y(nats));
      context.fillStyle = edge;
      context.fillRect(left, Math.round(y(nats)), width - left, 1);
    }
    context.lineWidth = 2 * devicePixelRatio;
    for (const name of /** @type {const} */ (['unseen', 'learning'])) {
      context.strokeStyle = name === 'learning' ? accent : ink;
      context.setLineDash(name === 'learning' ? [] : [4 * devicePixelRatio, 3 * devicePixelRatio]);
      context.beginPath();
      for (const point of points) if (!Number.isNaN(point[name])) context.lineTo(left + (point.at / end) * (width - left), y(point[name]));
      context.stroke();
    }
    context.setLineDash([]);
  }
  onTheme(draw);
  new ResizeObserver(draw).observe(canvas);
  return {
    canvas,
    /** @param {Point[]} next */
    show(next) {
      points = next;
      draw();
    },
  };
}
