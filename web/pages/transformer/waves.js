// SPDX-License-Identifier: MIT
// Draws the position encodings (section 3.5 of the paper) as a picture with one row per position and one column per channel. Also draws how
// similar the encodings of two positions are.
// @ts-check
import { byId, onTheme, palette, perFrame, phrase, signed } from '../../shell/index.js';

/**
 * @param {number} p
 * @param {number} d
 * @returns {Float64Array} element 2i is sin(p / 10000^(2i/d)), element 2i + 1 is the cosine of the same angle
 */
export function position(p, d) {
  return Float64Array.from({ length: d }, (_, i) => {
    const angle = p / 10000 ** ((i - (i % 2)) / d);
    return i % 2 ? Math.cos(angle) : Math.sin(angle);
  });
}

const PLACES = 64;
/** Number of channels of the model. A test checks that this number matches the model. */
const CHANNELS = 256;

export function createWaves() {
  /** @type {HTMLCanvasElement} */
  const canvas = byId('waves');
  /** @type {HTMLInputElement} */
  const slider = byId('place');
  const table = Array.from({ length: PLACES }, (_, p) => position(p, CHANNELS));
  const line = byId('alike');

  const draw = perFrame(() => {
    const at = Number(slider.value);
    const context = canvas.getContext('2d');
    if (!context) return;
    Object.assign(canvas, { width: CHANNELS, height: PLACES });
    const colours = palette();
    table.forEach((row, p) =>
      row.forEach((value, i) => {
        context.fillStyle = signed(value, colours);
        context.fillRect(i, p, 1, 1);
      }),
    );
    byId('place-mark').style.top = `${(100 * (at + 0.5)) / PLACES}%`;
    const alike = table.map((row) => row.reduce((sum, value, i) => sum + value * table[at][i], 0) / (CHANNELS / 2));
    line.setAttribute('d', alike.map((value, p) => `${p === 0 ? 'M' : 'L'}${((p + 0.5) * 640) / PLACES} ${110 - 100 * value}`).join(''));
    byId('place-text').textContent = String(at + 1);
    const [near, far] = [alike[Math.min(PLACES - 1, at + 1)], alike[at < PLACES / 2 ? PLACES - 1 : 0]].map((value) => value.toFixed(2));
    byId('alike-chart').setAttribute(
      'aria-label',
      phrase`Similarity of position ${at + 1} to every other position: 1 at itself, ${near} next to it, ${far} at the far end.`,
    );
  });
  slider.max = String(PLACES - 1);
  slider.addEventListener('input', draw);
  onTheme(draw);
  draw();
}
