// SPDX-License-Identifier: MIT
// Defines the stage that a tile draws on, and functions that several tiles use.
// @ts-check
/** @import { Model } from '../../shell/library.js' */

/**
 * A canvas to draw on, measured in CSS pixels.
 * @typedef {Object} Stage
 * @property {CanvasRenderingContext2D} context
 * @property {number} width
 * @property {number} height
 * @property {string} sans  font families
 * @property {string} serif
 */

/**
 * Draws one frame on an empty stage. The frames form an animation of a model's output. `share` is the elapsed fraction of the animation,
 * from 0 to 1.
 *
 * @typedef {(stage: Stage, share: number) => void} Painter
 */

/**
 * A tile, exported as `tile` by web/pages/NAME/tile.js. The function `record` in web/pages/NAME/record.js runs the tile's model to create
 * the tile's record.
 *
 * @typedef {Object} Tile
 * @property {string} file  weight file of the tile's model
 * @property {number} ms    duration of the drawing in milliseconds
 * @property {(record: any) => Painter} paint  returns a painter for the recorded output (web/front/tiles/record.json, created by record.js)
 * @property {(record: any) => Record<string, string>} element  returns the attributes of <next-pixel> in the opened tile
 * @property {'prompt' | 'digit' | 'class'} [asks]  the attribute that visitors can set in the opened tile
 * @property {string[]} [choices]
 * @property {true} [anew]  whether to add a button that draws with another seed. Audio elements already include this button
 * @property {(model: Model, seed: number, signal: AbortSignal) => Promise<Painter>} [live]  returns a painter for a new output. Defined
 *   only if the model's file is small enough to load automatically
 */

/** @param {number} share @param {number} from @param {number} to */
export const between = (share, from, to) => Math.min(1, Math.max(0, (share - from) / (to - from)));

/** @param {string} text @returns {Uint8Array} */
export const bytesOf = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));

/** Decodes two 4-bit values from each byte, and scales them to the range 0 to 255. @param {string} text */
export const levelsOf = (text) =>
  Uint8Array.from(bytesOf(text)).reduce(
    (all, byte, i) => {
      all[2 * i] = 17 * (byte & 15);
      all[2 * i + 1] = 17 * (byte >> 4);
      return all;
    },
    new Uint8Array((text.replaceAll('=', '').length * 3) >> 1),
  );

/** Returns a canvas with the pixels of an RGB picture. @param {ArrayLike<number>} rgb @param {number} side */
export function canvasOf(rgb, side) {
  const canvas = Object.assign(document.createElement('canvas'), { width: side, height: side });
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
  const image = context.createImageData(side, side);
  for (let i = 0; i < side * side; i++) image.data.set([rgb[3 * i], rgb[3 * i + 1], rgb[3 * i + 2], 255], 4 * i);
  context.putImageData(image, 0, 0);
  return canvas;
}

/** Returns the data URL of an RGB picture, for use as an attribute of <next-pixel>. @param {string} rgb @param {number} side */
export const addressOf = (rgb, side) => canvasOf(bytesOf(rgb), side).toDataURL();

/**
 * Arranges equal squares in a grid in the middle of the stage. Returns a function that gives the place of square i.
 * @param {Stage} stage
 * @param {number} columns
 * @param {number} rows
 * @param {number} [gap]
 */
export function gridOn({ width, height }, columns, rows, gap = 3) {
  const side = Math.floor(Math.min((width + gap) / columns, (height + gap) / rows)) - gap;
  const left = Math.round((width - columns * (side + gap) + gap) / 2);
  const top = Math.round((height - rows * (side + gap) + gap) / 2);
  return (/** @type {number} */ i) => ({ x: left + (i % columns) * (side + gap), y: top + Math.floor(i / columns) * (side + gap), side });
}

/**
 * EDGE: pixels to keep free at both ends of a line. The dot under the first or last word of the line may be wider than the word. LEAST:
 * minimum font size in pixels.
 */
const [EDGE, LEAST] = [4, 6];

/**
 * Returns the positions of words in one line. The font size is the largest at which the line fits the stage, between LEAST and `most`.
 * @param {Stage} stage
 * @param {[text: string, tight: number][]} words  tight: 1 if no space precedes the word, otherwise 0
 * @param {number} most  maximum font size in pixels
 */
export function lineOf({ context, width, sans }, words, most) {
  /** @param {number} size */
  const measured = (size) => {
    context.font = `${size}px ${sans}`;
    const space = 0.36 * size;
    let x = 0;
    const places = words.map(([text, tight], i) => {
      if (i > 0 && !tight) x += space;
      const own = { text, x, wide: context.measureText(text).width };
      x += own.wide;
      return own;
    });
    return { size, places, total: x };
  };
  // Browsers may round the widths of letters, so the width of a line is not proportional to the font size. The loop therefore measures each
  // size.
  let line = measured(most);
  while (line.total > width - 2 * EDGE && line.size > LEAST) line = measured(line.size - 0.5);
  const left = (width - line.total) / 2;
  return {
    size: line.size,
    font: `${line.size}px ${sans}`,
    places: line.places.map(({ text, x, wide }) => ({ text, x: x + left, middle: x + left + wide / 2 })),
  };
}

/**
 * Returns the values of all pictures that a run generates, one picture after another.
 *
 * @param {AsyncIterable<any>} run
 * @param {number} samples
 * @param {number} size number of values per picture
 */
export async function valuesOf(run, samples, size) {
  const all = new Uint8Array(samples * size);
  for await (const { sample, from = 0, values } of run) all.set(values, sample * size + from);
  return all;
}
