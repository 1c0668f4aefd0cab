// SPDX-License-Identifier: MIT
// Shows the receptive field of a pixel, layer by layer, for two models: PixelCNN and gated PixelCNN. The models compute the fields.
// @ts-check
import {
  SIDE,
  acquireAll,
  announce,
  askable,
  byId,
  countOf,
  createFields,
  createLoading,
  integer,
  make,
  onTheme,
  paintGrid,
  perFrame,
  phrase,
  whenNear,
} from '../../shell/index.js';
/** @import { Field } from '../../shell/picture/field.js' */

/** The pixel that is selected initially. */
const BEGIN = 18 * SIDE + 8;

/** @param {HTMLElement} root @param {string} plainWeights @param {string} gatedWeights */
export function createFieldView(root, plainWeights, gatedWeights) {
  let at = BEGIN;
  /** Index of the layer whose receptive field is shown; Infinity means the last layer. */
  let layer = Infinity;
  /** @type {ReturnType<typeof createFields>[]} */
  let asked = [];
  /** @type {(Field | undefined)[]} */
  let shown = [];
  const views = ['PixelCNN', phrase`Gated PixelCNN`].map((name) => {
    const canvas = make('canvas', { role: 'img', 'aria-label': phrase`${name}: not drawn yet` });
    const note = make('p', { class: 'panel-note' });
    const frame = askable(canvas, {
      label: phrase`${name}: the pixels that a pixel sees. Arrow keys choose the pixel.`,
      grid: () => ({ rows: SIDE, cols: SIDE }),
      from: () => ({ row: Math.floor(at / SIDE), col: at % SIDE }),
      onPixel: ({ row, col }) => choose(row * SIDE + col),
    });
    root.append(
      make('div', { class: 'mask' }, make('p', { class: 'panel-name' }, make('b', {}, name)), make('div', { class: 'stage' }, frame), note),
    );
    return { name, canvas, note, frame };
  });
  const slider = make('input', { id: 'field-layer', type: 'range', min: '0', max: '12', value: '12' });
  const output = make('output', { for: 'field-layer' });
  root.after(make('p', { class: 'mask-slider' }, make('label', { for: 'field-layer' }, phrase`Layers`), slider, output));

  /** @param {number} k */
  const layerOf = (k) => {
    const field = shown[k];
    return field?.[Math.min(layer, field.length - 1)];
  };

  const redraw = perFrame(() => {
    output.textContent = layer === 0 ? phrase`the first alone` : phrase`the first and ${Math.min(layer, Number(slider.max))} more`;
    views.forEach(({ name, canvas, note, frame }, k) => {
      const seen = layerOf(k);
      const painted = paintGrid(canvas, {
        at,
        cell: (i, { wash, paper, heat, predicted }) => (i >= at ? wash : !seen ? paper : seen[i] ? heat(0.35) : predicted[60]),
      });
      if (!seen || !painted) return;
      note.textContent = phrase`Row ${Math.floor(at / SIDE) + 1}, column ${(at % SIDE) + 1}: sees ${integer(countOf(seen))} of the ${integer(at)} pixels before it.`;
      canvas.setAttribute('aria-label', `${name}. ${note.textContent}`);
      if (document.activeElement === frame) announce(note.textContent, 400);
    });
  });

  /** @param {number} pixel */
  async function choose(pixel) {
    at = pixel;
    redraw();
    const found = await Promise.all(asked.map((each) => each.at(pixel).catch(() => undefined)));
    if (at !== pixel || found.some((field) => !field)) return;
    shown = found;
    redraw();
  }
  slider.addEventListener('input', () => {
    layer = slider.value === slider.max ? Infinity : Number(slider.value);
    redraw();
    announce(output.textContent ?? '', 400);
  });

  const loading = createLoading(byId('fields-load'), {
    acquire: (options) => acquireAll([plainWeights, gatedWeights], options),
    onModels(models) {
      asked = models.map(createFields);
      slider.max = String(Math.max(...models.map(({ info }) => info.blocks)));
      slider.value = slider.max;
      choose(at);
    },
    onLost() {
      asked = [];
    },
  });
  whenNear(root, loading.load);
  onTheme(redraw);
  new ResizeObserver(redraw).observe(root);
}
