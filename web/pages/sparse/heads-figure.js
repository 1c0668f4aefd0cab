// SPDX-License-Identifier: MIT
// Draws a figure that compares the attention heads of a dense model with those of the sparse model, all for the same pixel. The figure
// shows how closely the sparse pattern matches the attention of the dense heads.
// @ts-check
import {
  SIDE,
  acquireAll,
  acquireWith,
  announce,
  askable,
  byId,
  createLoading,
  loadStrip,
  make,
  onTheme,
  paint,
  paintSmall,
  palette,
  perFrame,
  phrase,
  quantise,
  toImage,
  whenNear,
} from '../../shell/index.js';
/** @import { AttentionMap, Model } from '../../shell/index.js' */

const DIGIT = 14;
const BEGIN = { row: 17, col: 13 };

/**
 * Returns the square root of weight / largest weight for each pixel, or NaN where the head does not attend.
 * @param {AttentionMap} map
 */
function sharesOf({ keys, weights }) {
  const shares = new Float32Array(SIDE * SIDE).fill(NaN);
  let most = 0;
  keys.forEach((key, k) => {
    if (key < 0 || weights[k] === 0) return;
    shares[key] = weights[k];
    most = Math.max(most, weights[k]);
  });
  return shares.map((share) => Math.sqrt(share / (most || 1)));
}

/** @param {HTMLElement} root @param {{ name: string, address: string }[]} files */
export function createHeadsFigure(root, files) {
  let at = BEGIN;
  let busy = false;
  /** @type {Model[]} */
  let models = [];
  /** @type {Uint8Array | undefined} */
  let pixels;
  const canvas = make('canvas', { role: 'img', 'aria-label': phrase`A digit` });
  const frame = askable(canvas, {
    label: phrase`The digit. Arrow keys choose the pixel whose heads are shown.`,
    grid: () => ({ rows: SIDE, cols: SIDE }),
    from: () => at,
    onPixel: (cell) => {
      at = cell;
      redraw();
      ask();
    },
  });
  const note = make('p', { class: 'panel-note', 'data-result': '' });
  const grids = files.map(({ name }) => ({
    name,
    grid: make('div', { class: 'all-heads', role: 'img', 'aria-label': phrase`${name}: not drawn yet` }),
    thumbs: /** @type {HTMLCanvasElement[]} */ ([]),
    attention: /** @type {AttentionMap[]} */ ([]),
  }));
  root.append(
    make(
      'div',
      { class: 'panel heads-source' },
      make('p', { class: 'panel-name' }, make('b', {}, phrase`The querying pixel`)),
      make('div', { class: 'stage' }, frame),
      note,
    ),
    ...grids.map(({ name, grid }) =>
      make(
        'div',
        { class: 'panel' },
        make('p', { class: 'panel-name' }, make('b', {}, name), make('span', {}, phrase`a row is a layer`)),
        grid,
      ),
    ),
  );

  const redraw = perFrame(() => {
    if (pixels)
      paint(canvas, { values: pixels, filled: SIDE * SIDE, known: at.row * SIDE + at.col, ghost: true, cursor: at.row * SIDE + at.col });
    const { heat, wash, paper, accent } = palette();
    const query = at.row * SIDE + at.col;
    for (const { thumbs, attention } of grids) {
      thumbs.forEach((thumb, head) => {
        const shares = attention[head] && sharesOf(attention[head]);
        paintSmall(thumb, (i) =>
          i === query ? accent : i > query ? wash : !shares || Number.isNaN(shares[i]) ? paper : heat(0.1 + 0.9 * shares[i]),
        );
      });
    }
  });

  async function ask() {
    if (busy || models.length === 0 || !pixels) return;
    busy = true;
    const asked = at;
    try {
      const image = toImage(pixels);
      const answers = await Promise.all(models.map((model) => model.attention(image, { row: asked.row, column: asked.col })));
      answers.forEach((answer, k) => {
        grids[k].attention = answer;
      });
      // `held` becomes the fraction of the dense heads' attention that is on positions in the strided sets.
      const [dense] = answers;
      const query = asked.row * SIDE + asked.col;
      let held = 0;
      dense[0].keys.forEach((key, k) => {
        // Pixel `key` is at position `key + 1`, because each position holds the previous pixel.
        const back = query - (key + 1);
        if (back < SIDE || back % SIDE === 0) for (const { weights } of dense) held += weights[k];
      });
      held /= dense.length;
      note.textContent = phrase`Row ${asked.row + 1}, column ${asked.col + 1}: ${Math.round(100 * held)}% of the attention of the dense heads is in the two strided sets, which have ${SIDE + asked.row} of ${query + 1} positions.`;
      canvas.setAttribute('aria-label', note.textContent);
      grids.forEach(({ grid, name }) =>
        grid.setAttribute('aria-label', phrase`${name}: attention of all heads at row ${asked.row + 1}, column ${asked.col + 1}`),
      );
      if (document.activeElement === frame) announce(note.textContent, 400);
    } catch {
      /* the loading box shows errors of the model */
    } finally {
      busy = false;
    }
    redraw();
    if (asked !== at) ask();
  }

  const loading = createLoading(byId('heads-load'), {
    acquire: (options) =>
      acquireWith(
        acquireAll(
          files.map(({ address }) => address),
          options,
        ),
        loadStrip().then((strip) => {
          ({ pixels } = strip[DIGIT]);
        }),
      ),
    onModels(loaded) {
      models = loaded;
      if (pixels) pixels = quantise(pixels, 2);
      grids.forEach((each, k) => {
        const { blocks, heads } = models[k].info;
        each.grid.style.setProperty('--heads', String(heads));
        each.thumbs = Array.from({ length: blocks * heads }, () => make('canvas', { 'aria-hidden': 'true' }));
        each.grid.replaceChildren(...each.thumbs);
      });
      redraw();
      ask();
    },
    onLost() {
      models = [];
    },
  });
  whenNear(root, loading.load);
  onTheme(redraw);
  new ResizeObserver(redraw).observe(root);
}
