// SPDX-License-Identifier: MIT
// Turns strokes into a picture in the format of MNIST. The drawing is scaled to fit a box of 20 by 20 pixels, keeping its aspect ratio. The
// drawing is then moved so that its centre of mass is in the middle of a picture of 28 by 28 pixels. All strokes have the same width after
// scaling, as with a pen. Pixels are computed from distances, not with a canvas, so the same strokes give the same picture in every
// browser.
// @ts-check
import { SIDE, PIXELS } from './digits.js';

/** @typedef {[number, number]} Point x grows to the right and y downwards, in any unit */

/** BOX: side of the box that the ink fills. STROKE: width of a stroke. Both numbers are in pixels of the result. */
const BOX = 20;
const STROKE = 2.5;
/** Width of the soft edge of a stroke, in pixels of the result. */
const SOFT = 1.25;

/**
 * Returns the squared distance of a point from a line segment. The caller computes the root with Math.sqrt, which gives the same result in
 * every browser; Math.hypot does not.
 * @param {number} x
 * @param {number} y
 * @param {Point} a
 * @param {Point} b
 */
function distance2(x, y, a, b) {
  const dx = b[0] - a[0];
  const dy = b[1] - a[1];
  const length2 = dx * dx + dy * dy;
  const t = length2 > 0 ? Math.min(1, Math.max(0, ((x - a[0]) * dx + (y - a[1]) * dy) / length2)) : 0;
  return (x - a[0] - t * dx) ** 2 + (y - a[1] - t * dy) ** 2;
}

/** @param {Point[][]} strokes in pixels of the result @param {number} width width of a stroke @returns {Uint8Array} */
function ink(strokes, width) {
  const pixels = new Uint8Array(PIXELS);
  const segments = strokes.flatMap((stroke) =>
    stroke.map((point, i) => /** @type {[Point, Point]} */ ([stroke[Math.max(0, i - 1)], point])),
  );
  for (let i = 0; i < PIXELS; i++) {
    const x = (i % SIDE) + 0.5;
    const y = Math.floor(i / SIDE) + 0.5;
    let nearest2 = Infinity;
    for (const [a, b] of segments) nearest2 = Math.min(nearest2, distance2(x, y, a, b));
    pixels[i] = Math.round(255 * Math.min(1, Math.max(0, 0.5 + (width / 2 - Math.sqrt(nearest2)) / SOFT)));
  }
  return pixels;
}

/** @param {Point[][]} strokes @param {number} scale @param {number} dx @param {number} dy @returns {Point[][]} */
const move = (strokes, scale, dx, dy) => strokes.map((stroke) => stroke.map(([x, y]) => [x * scale + dx, y * scale + dy]));

/**
 * @param {Point[][]} strokes
 * @param {{ box?: number, stroke?: number }} [how] box: side of the box that the ink fills; stroke: width of a stroke (default: as in
 *   MNIST)
 * @returns {Uint8Array} 28 by 28 grey values, 0 = paper
 */
export function rasterise(strokes, { box = BOX, stroke = STROKE } = {}) {
  const points = strokes.flat();
  if (!points.length) return new Uint8Array(PIXELS);
  const xs = points.map(([x]) => x);
  const ys = points.map(([, y]) => y);
  const left = Math.min(...xs);
  const top = Math.min(...ys);
  const width = Math.max(...xs) - left;
  const height = Math.max(...ys) - top;
  // The box must contain the ink, so the points must fit in the box minus half a stroke width on each side.
  const size = Math.max(width, height);
  const scale = size > 0 ? (box - stroke) / size : 1;
  const centred = move(strokes, scale, SIDE / 2 - (left + width / 2) * scale, SIDE / 2 - (top + height / 2) * scale);
  const first = ink(centred, stroke);
  let mass = 0;
  let x = 0;
  let y = 0;
  first.forEach((v, i) => {
    mass += v;
    x += v * ((i % SIDE) + 0.5);
    y += v * (Math.floor(i / SIDE) + 0.5);
  });
  return mass > 0 ? ink(move(centred, 1, SIDE / 2 - x / mass, SIDE / 2 - y / mass), stroke) : first;
}
