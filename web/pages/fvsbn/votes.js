// SPDX-License-Identifier: MIT
// Draws the figure of the weights. For one pixel, the figure shows the weight of each earlier pixel.
// @ts-check
import { PIXELS, SIDE, announce, askable, byId, make, onTheme, paintGrid, palette, perFrame, phrase } from '../../shell/index.js';

/** Weights with at least this absolute value have the strongest colour. */
const MOST = 3;

/**
 * @typedef {{ weight: Float32Array, bias: Float32Array }} Weights weight[j * PIXELS + i] is the value that pixel j, if it is ink, adds to
 * the logit of pixel i
 */

/** Returns the weight that pixel j has in the logit of pixel i. @param {Weights} weights @param {number} i @param {number} j */
const vote = ({ weight }, i, j) => (j < i ? weight[j * PIXELS + i] : 0);

/** Returns the probability that a pixel is ink if all earlier pixels are paper. @param {number} bias */
const alone = (bias) => 1 / (1 + Math.exp(-bias));

/** @param {HTMLElement} root */
export function createVotes(root) {
  /** @type {Weights | null} */
  let weights = null;
  /** Index of the selected pixel. */
  let at = 14 * SIDE + 13;
  const canvas = make('canvas', { role: 'img', 'aria-label': phrase`The weights are not loaded yet` });
  const note = make('p', { class: 'panel-note' });
  const frame = askable(canvas, {
    label: phrase`The incoming weights of a pixel. Arrow keys choose the pixel.`,
    grid: () => ({ rows: SIDE, cols: SIDE }),
    from: () => ({ row: Math.floor(at / SIDE), col: at % SIDE }),
    onPixel: ({ row, col }) => show(row * SIDE + col),
  });
  root.append(make('div', { class: 'stage' }, frame), note);

  const redraw = perFrame(() => {
    const painted = paintGrid(canvas, {
      at,
      frame: ({ ink }) => ink,
      line: 1,
      cell(j, { wash, predicted, heat, accent }) {
        if (j >= at) return j === at ? accent : wash;
        const w = weights ? vote(weights, at, j) : 0;
        const share = Math.sqrt(Math.min(1, Math.abs(w) / MOST)); // the square root makes small weights visible
        return w > 0 ? heat(share) : predicted[Math.round(255 * share)];
      },
    });
    if (!weights || !painted) return;
    note.textContent = describe(weights, at);
    canvas.setAttribute('aria-label', note.textContent);
    if (document.activeElement === frame) announce(note.textContent, 400);
  });

  /** @param {number} pixel */
  function show(pixel) {
    at = pixel;
    redraw();
  }
  onTheme(redraw);
  new ResizeObserver(redraw).observe(root);
  return {
    show,
    /** @param {Weights} loaded */
    use(loaded) {
      weights = loaded;
      redraw();
    },
  };
}

/** @param {Weights} weights @param {number} i */
function describe(weights, i) {
  const where = (/** @type {number} */ j) => phrase`row ${Math.floor(j / SIDE) + 1}, column ${(j % SIDE) + 1}`;
  let [most, least] = [-1, -1];
  for (let j = 0; j < i; j++) {
    if (most < 0 || vote(weights, i, j) > vote(weights, i, most)) most = j;
    if (least < 0 || vote(weights, i, j) < vote(weights, i, least)) least = j;
  }
  const first = phrase`Row ${Math.floor(i / SIDE) + 1}, column ${(i % SIDE) + 1}: without votes, ink with probability ${(100 * alone(weights.bias[i])).toFixed(1)}%.`;
  if (i === 0) return phrase`${first} No pixel comes before it.`;
  const [for_, against] = [vote(weights, i, most), vote(weights, i, least)];
  return phrase`${first} Most for it: ${where(most)} (${for_ >= 0 ? '+' : ''}${for_.toFixed(1)}); most against it: ${where(least)} (${against.toFixed(1)}).`;
}

/** Draws the legend: votes against ink, no vote, votes for ink. @param {string} id */
export function createScale(id) {
  const canvas = make('canvas', { width: '257', height: '1', 'aria-hidden': 'true' });
  const scale = make(
    'div',
    { class: 'legend-scale' },
    ...[`−${MOST}`, phrase`against ink`, '0', phrase`for ink`, `+${MOST}`].map((text) => make('span', {}, text)),
  );
  byId(id).append(canvas, scale);
  const draw = () => {
    const context = canvas.getContext('2d');
    const { predicted, heat } = palette();
    for (let x = -128; context && x <= 128; x++) {
      const share = Math.sqrt(Math.abs(x) / 128);
      context.fillStyle = x > 0 ? heat(share) : predicted[Math.round(255 * share)];
      context.fillRect(x + 128, 0, 1, 1);
    }
  };
  onTheme(draw);
  draw();
}
