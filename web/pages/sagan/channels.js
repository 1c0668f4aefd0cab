// SPDX-License-Identifier: MIT
// For the chosen picture, shows channels of the maps f, g, h and o, and of x, gamma o and the sum y = x + gamma o. Each channel is a small
// picture.
// @ts-check
import { byId, make, onFile, onTheme, palette, phrase } from '../../shell/index.js';
import { channel, createInside } from './inside.js';
/** @import { Channels } from './inside.js' */
/** @import { Chosen, createSheet } from './sheet.js' */

/** Number of channels shown per map. */
const SHOWN = 8;

/** Returns how much a channel varies between locations. @param {Channels} map @param {number} c */
function spread(map, c) {
  const values = channel(map, c);
  const mean = values.reduce((sum, x) => sum + x, 0) / values.length;
  return values.reduce((sum, x) => sum + (x - mean) ** 2, 0);
}

/** Returns the indices of the channels that vary most between locations, in ascending order. @param {Channels} map */
function telling(map) {
  const apart = Array.from({ length: map.channels }, (_, c) => ({ c, by: spread(map, c) }))
    .sort((a, b) => b.by - a.by)
    .slice(0, SHOWN);
  return apart.map(({ c }) => c).sort((a, b) => a - b);
}

/** @param {HTMLCanvasElement} canvas @param {Float32Array} values @param {number} most absolute value that gets the full colour */
function paint(canvas, values, most) {
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
  const { known, predicted } = palette();
  values.forEach((x, at) => {
    context.fillStyle = (x < 0 ? known : predicted)[Math.round(255 * Math.min(1, Math.abs(x) / most))];
    context.fillRect(at % canvas.width, Math.floor(at / canvas.width), 1, 1);
  });
}

/** @param {Float32Array[]} all */
const largest = (...all) => Math.max(1e-9, ...all.flatMap((values) => Array.from(values, Math.abs)));

/** @param {ReturnType<typeof createSheet>} sheet */
export function createChannels(sheet) {
  const root = byId('channels');
  /** @type {HTMLInputElement} */
  const times = byId('module-gamma');
  /** @type {ReturnType<typeof createInside> | undefined} undefined for a generator without the attention module */
  let inside;
  /** @type {Chosen | undefined} */
  let news;
  /** @type {(() => void)[]} */
  let painters = [];
  const timesSaid = byId('module-gamma-said');
  const paintAll = () => {
    timesSaid.textContent = inside ? `${times.value} × ${inside.gain.toFixed(3)}` : '';
    painters.forEach((again) => again());
  };

  /** @param {string} name @param {Channels} map @param {number[]} shown @param {(c: number) => () => [values: Float32Array, most: number]} numbers */
  function row(name, map, shown, numbers) {
    const pictures = shown.map((c) => {
      const canvas = make('canvas', {
        class: 'channel',
        width: String(map.side),
        height: String(map.side),
        role: 'img',
        'aria-label': phrase`Channel ${c + 1} of ${name}`,
      });
      const now = numbers(c);
      painters.push(() => paint(canvas, ...now()));
      return canvas;
    });
    return make(
      'div',
      { class: 'channel-row' },
      make('p', { class: 'channel-name' }, make('i', {}, name), ` ${map.side} × ${map.side} × ${map.channels}`),
      ...pictures,
    );
  }

  times.addEventListener('input', paintAll);
  onTheme(paintAll);

  function draw() {
    root.replaceChildren();
    painters = [];
    if (!news || !inside) return;
    const { gain, latentLength } = inside;
    const { latent, label } = news.chosen;
    if (latent.length !== latentLength) return; // the latent vector is still that of the previous file's picture
    const maps = inside.of(latent, label);
    const rows = /** @type {const} */ (['f', 'g', 'h', 'o']).map((name) => {
      const map = maps[name];
      return row(name, map, telling(map), (c) => {
        const values = channel(map, c);
        return () => [values, largest(values)];
      });
    });
    // Paints all three rows with the colour scale of x, so that visitors can see that y is a sum.
    const sum = /** @type {const} */ ([
      ['x', 1, 0],
      ['γ o', 0, 1],
      ['y', 1, 1],
    ]).map(([name, ofX, ofO]) =>
      row(name, maps.x, telling(maps.o), (c) => {
        const [x, o] = [channel(maps.x, c), channel(maps.o, c)];
        const added = (/** @type {number} */ gamma) => x.map((value, i) => ofX * value + ofO * gamma * o[i]);
        const most = largest(x);
        return () => [added(Number(times.value) * gain), most];
      }),
    );
    root.replaceChildren(...rows, ...sum);
    paintAll();
  }

  sheet.onChosen((told) => {
    news = told;
    draw();
  });
  return onFile((file) => {
    inside = createInside(file);
    draw();
  });
}
