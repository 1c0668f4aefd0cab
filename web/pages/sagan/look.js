// SPDX-License-Identifier: MIT
// Draws the attention of several locations in the picture: one location that follows the pointer, and up to four pinned locations. Also
// lets the visitor set gamma.
// @ts-check
import { byId, fileNow, load, make, percent, phrase } from '../../shell/index.js';
import { one, show } from './draw.js';
import { withGain } from './file.js';
/** @import { Model } from '../../shell/index.js' */
/** @import { LatentStep } from './draw.js' */
/** @import { createSheet } from './sheet.js' */

/** Maximum number of pinned locations. Each pinned location has a frame in its own colour. */
const POINTS = 4;
const REST_MS = 150;
/** Number of locations that are listed with their weights. */
const MOST = 8;

/** @param {ReturnType<typeof createSheet>} sheet */
export function createLook(sheet) {
  /** @type {HTMLCanvasElement} */
  const picture = byId('look-picture');
  /** @type {HTMLInputElement} */
  const gamma = byId('gamma');
  const [dots, heats, said] = [byId('points'), byId('heats'), byId('look-said')];
  /** @type {{ model: Model, step: LatentStep } | undefined} */
  let now;
  /** @type {{ model: Model, latent: Float32Array, label: number } | undefined} */
  let chosen;
  /** Number of locations along each side of the grid of queries. */
  let side = 16;
  let hover = { row: 5, column: 5 };
  /** In most faces, these locations are on the cheek, the eye, the mouth and the background. @type {{ row: number, column: number }[]} */
  let kept = [
    { row: 9, column: 3 },
    { row: 6, column: 10 },
    { row: 11, column: 8 },
    { row: 1, column: 1 },
  ];
  /** The same model with another gamma. @type {{ of: Model, gain: number, model: Model } | undefined} */
  let other;
  let turn = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;

  function paint() {
    const [map] = now?.step.maps ?? [];
    if (!now || !map) return;
    const [rows, keyRows] = [map.queries, map.keys].map(({ length }) => Math.sqrt(length));
    const all = map.weights;
    side = rows;
    const points = [...kept, hover];
    dots.replaceChildren(
      ...points.map(({ row, column }, i) => {
        const dot = make('span', { class: i < kept.length ? `dot point-${i}` : 'dot' });
        dot.style.setProperty('--x', `${(100 * (column + 0.5)) / rows}%`);
        dot.style.setProperty('--y', `${(100 * (row + 0.5)) / rows}%`);
        return dot;
      }),
    );
    heats.replaceChildren(
      ...points.map(({ row, column }, i) => {
        const canvas = make('canvas', {
          class: 'pixels',
          width: String(picture.width),
          height: String(picture.height),
          role: 'img',
          'aria-label': phrase`Attention of row ${row + 1}, column ${column + 1}`,
        });
        heat(
          canvas,
          /** @type {LatentStep} */ (now?.step).values,
          all.subarray((row * rows + column) * keyRows ** 2, (row * rows + column + 1) * keyRows ** 2),
          keyRows,
        );
        return make('figure', { class: i < kept.length ? `heat point-${i}` : 'heat' }, canvas);
      }),
    );
    const mine = Array.from(
      all.subarray((hover.row * rows + hover.column) * keyRows ** 2, (hover.row * rows + hover.column + 1) * keyRows ** 2),
    ).sort((a, b) => b - a);
    said.textContent = phrase`Row ${hover.row + 1}, column ${hover.column + 1} gives ${percent(mine.slice(0, MOST).reduce((sum, w) => sum + w, 0))} of its attention to ${MOST} of ${keyRows ** 2} locations; with uniform weights they would get ${percent(
      MOST / keyRows ** 2,
    )}.`;
  }

  async function draw() {
    const mine = ++turn;
    if (!chosen) return;
    const gain = Number(gamma.value);
    byId('gamma-said').textContent =
      gain === 1 ? phrase`as it was trained` : gain === 0 ? phrase`no attention` : phrase`${gain} times as much`;
    try {
      let { model } = chosen;
      const of = model;
      if (gain !== 1) {
        if (other?.of !== of || other.gain !== gain) {
          other?.model.close();
          other = undefined;
          const loaded = await load(withGain(await fileNow(), gain));
          if (mine !== turn) return loaded.close();
          other = { of, gain, model: loaded };
        }
        ({ model } = other);
      }
      const step = await one(model, { latent: chosen.latent, label: chosen.label, maps: true });
      if (mine !== turn) return;
      now = { model, step };
      show(picture, step.values);
      picture.dataset.gain = String(gain); // tests wait for this attribute
      paint();
    } catch (error) {
      if (mine === turn) sheet.failed(error);
    }
  }

  /** @param {PointerEvent | MouseEvent} event */
  const under = (event) => {
    const box = picture.getBoundingClientRect();
    const at = (/** @type {number} */ x, /** @type {number} */ size) => Math.min(side - 1, Math.max(0, Math.floor((side * x) / size)));
    return { row: at(event.clientY - box.top, box.height), column: at(event.clientX - box.left, box.width) };
  };
  const keep = () => {
    const same = kept.findIndex(({ row, column }) => row === hover.row && column === hover.column);
    kept = same >= 0 ? kept.filter((_, i) => i !== same) : [...kept, hover].slice(-POINTS);
    paint();
  };
  picture.addEventListener('pointermove', (event) => {
    hover = under(event);
    paint();
  });
  picture.addEventListener('click', (event) => {
    hover = under(event);
    keep();
  });
  picture.addEventListener('keydown', (event) => {
    const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
    if (event.key === 'Enter' || event.key === ' ') keep();
    else if (step)
      hover = {
        row: Math.min(side - 1, Math.max(0, hover.row + step[0])),
        column: Math.min(side - 1, Math.max(0, hover.column + step[1])),
      };
    else return;
    event.preventDefault();
    paint();
  });
  gamma.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(draw, REST_MS);
  });
  sheet.onChosen(({ model, chosen: { latent, label } }) => {
    chosen = { model, latent, label };
    draw();
  });
}

/** Opacity of the grey picture over which the weights are drawn. */
const FAINT = 0.4;
/** The colour of the weights: red, green and blue. */
const WARM = [226, 88, 34];

/**
 * Draws the picture in pale grey and the weights over it in a warm colour. Larger weights have a stronger colour.
 * @param {HTMLCanvasElement} canvas
 * @param {Uint8Array} values
 * @param {Float32Array} weights
 * @param {number} rows
 */
function heat(canvas, values, weights, rows) {
  const most = Math.max(...weights);
  const scale = canvas.width / rows;
  const paper = matchMedia('(prefers-color-scheme: dark)').matches ? 20 : 255;
  show(
    canvas,
    values.map((_, i) => {
      const pixel = Math.floor(i / 3);
      const [row, column] = [Math.floor(Math.floor(pixel / canvas.width) / scale), Math.floor((pixel % canvas.width) / scale)];
      const luma = 0.299 * values[3 * pixel] + 0.587 * values[3 * pixel + 1] + 0.114 * values[3 * pixel + 2];
      const grey = FAINT * luma + (1 - FAINT) * paper;
      const share = weights[row * rows + column] / most;
      return Math.round(share * WARM[i % 3] + (1 - share) * grey);
    }),
  );
}
