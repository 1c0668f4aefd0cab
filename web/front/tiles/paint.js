// SPDX-License-Identifier: MIT
// The pictures of the tiles. Each function draws the recorded answer of a model up to a share (0 to 1) of its duration.
// @ts-check
import { litPixels } from '../../lib/kinds/caption/light.js';
import { bicubic } from '../../pages/colour/bicubic.js';
import { palette } from '../../shell/picture/palette.js';

/**
 * A canvas to draw on, measured in CSS pixels.
 * @typedef {Object} Stage
 * @property {CanvasRenderingContext2D} context
 * @property {number} width
 * @property {number} height
 * @property {string} sans  font families
 * @property {string} serif
 */

/** Draws the answer on an empty stage. @typedef {(stage: Stage, share: number) => void} Painter */

/** @param {number} share @param {number} from @param {number} to */
const between = (share, from, to) => Math.min(1, Math.max(0, (share - from) / (to - from)));

/** @param {string} text @returns {Uint8Array} */
export const bytesOf = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));

/** Decodes two 4-bit values from each byte and scales them to 0 to 255. @param {string} text */
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
function canvasOf(rgb, side) {
  const canvas = Object.assign(document.createElement('canvas'), { width: side, height: side });
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
  const image = context.createImageData(side, side);
  for (let i = 0; i < side * side; i++) image.data.set([rgb[3 * i], rgb[3 * i + 1], rgb[3 * i + 2], 255], 4 * i);
  context.putImageData(image, 0, 0);
  return canvas;
}

/** Returns an RGB picture as a data URL, for an element that reads it. @param {string} rgb @param {number} side */
export const addressOf = (rgb, side) => canvasOf(bytesOf(rgb), side).toDataURL();

/**
 * Returns a grid of equal squares in the middle of the stage.
 * @param {Stage} stage
 * @param {number} columns
 * @param {number} rows
 * @param {number} [gap]
 */
function gridOn({ width, height }, columns, rows, gap = 3) {
  const side = Math.floor(Math.min((width + gap) / columns, (height + gap) / rows)) - gap;
  const left = Math.round((width - columns * (side + gap) + gap) / 2);
  const top = Math.round((height - rows * (side + gap) + gap) / 2);
  return (/** @type {number} */ i) => ({ x: left + (i % columns) * (side + gap), y: top + Math.floor(i / columns) * (side + gap), side });
}

/**
 * Draws the bicubic enlargement on the left and the model's enlargement on the right, both from the same 64 pixels.
 *
 * @param {{ small: string, drawn: string }} record
 * @returns {Painter}
 */
export function face({ small, drawn }) {
  const given = canvasOf(bytesOf(small), 8);
  const smooth = canvasOf(bicubic(bytesOf(small), { width: 8, height: 8, channels: 3 }, { width: 32, height: 32 }), 32);
  const made = canvasOf(bytesOf(drawn), 32);
  return (stage, share) => {
    const { context } = stage;
    const at = gridOn(stage, 2, 1, 12);
    context.imageSmoothingEnabled = false;
    for (const [i, picture] of [smooth, made].entries()) {
      const { x, y, side } = at(i);
      context.drawImage(given, x, y, side, side);
      const pixels = Math.floor(1024 * between(share, 0.12, 0.95));
      const [rows, rest] = [Math.floor(pixels / 32), pixels % 32];
      const unit = side / 32;
      if (rows > 0) context.drawImage(picture, 0, 0, 32, rows, x, y, side, rows * unit);
      if (rest > 0) context.drawImage(picture, 0, rows, rest, 1, x, y + rows * unit, rest * unit, unit);
    }
  };
}

/** Pixels that stay free at both ends of a line, for the dot under the outermost word, and minimum font size in pixels. */
const [EDGE, LEAST] = [4, 6];

/**
 * Returns the positions of the words in a line that is at most as wide as the stage.
 * @param {Stage} stage
 * @param {[text: string, tight: number][]} words
 * @param {number} most  maximum font size in pixels
 */
function lineOf({ context, width, sans }, words, most) {
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
  // Widths are not proportional to the font size if the browser rounds the widths of letters.
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
 * Draws a sentence at the top, its translation at the bottom, and bands from each word to the words that it attended to.
 *
 * @param {{ source: [string, number][], words: [string, number][], looks: [at: number, weight: number][][] }} record
 * @returns {Painter}
 */
export const bands =
  ({ source, words, looks }) =>
  (stage, share) => {
    const { context, height } = stage;
    const { ink, accent } = palette();
    const above = lineOf(stage, source.slice(0, -1), 14); // without the end token
    const below = lineOf(stage, words, 14);
    const [top, bottom] = [22, height - 14];
    context.fillStyle = ink;
    context.font = above.font;
    for (const { text, x } of above.places) context.fillText(text, x, top);
    const said = words.length * between(share, 0.08, 0.85);
    context.strokeStyle = context.fillStyle = accent;
    context.lineCap = 'round';
    looks.forEach((list, i) => {
      if (i >= said) return;
      const now = Math.min(1, said - i);
      for (const [at, weight] of list) {
        if (!above.places[at]) continue;
        context.globalAlpha = (0.18 + 0.6 * weight) * now;
        context.lineWidth = 1 + 9 * weight;
        const [from, to] = [below.places[i].middle, above.places[at].middle];
        const [y0, y1] = [bottom - below.size - 4, top + 8];
        context.beginPath();
        context.moveTo(from, y0);
        context.bezierCurveTo(from, (y0 + y1) / 2, to, (y0 + y1) / 2, to, y1);
        context.stroke();
      }
    });
    context.font = below.font;
    below.places.forEach(({ text, x }, i) => {
      context.globalAlpha = Math.min(1, Math.max(0, said - i));
      context.fillText(text, x, bottom);
    });
  };

/**
 * Draws arcs from each head to its dependents. A more probable arc has a stronger line.
 *
 * @param {{ words: string[], arcs: [head: number, child: number, p: number, best: number][] }} record
 * @returns {Painter}
 */
export const arcs =
  ({ words, arcs: all }) =>
  (stage, share) => {
    const { context, height } = stage;
    const { ink, accent } = palette();
    const { font, size, places } = lineOf(
      stage,
      words.map((word) => [word, 0]),
      14,
    );
    const bottom = height - 12;
    context.font = font;
    context.fillStyle = ink;
    for (const { text, x } of places) context.fillText(text, x, bottom);
    const base = bottom - size - 4;
    const most = Math.max(...all.map(([head, child]) => (head ? Math.abs(head - child) : 0)));
    context.strokeStyle = context.fillStyle = accent;
    const order = [...all].sort((a, b) => a[1] - b[1]);
    order.forEach(([head, child, p, best], i) => {
      const now = between(share, (0.85 * i) / order.length, (0.85 * (i + 1.6)) / order.length);
      if (now === 0) return;
      const to = places[child - 1].middle;
      const from = head ? places[head - 1].middle : to;
      const high = head ? (base - 14) * Math.sqrt(Math.abs(head - child) / most) : base - 4;
      context.globalAlpha = (0.25 + 0.75 * p) * now;
      context.lineWidth = best ? 1 + 1.2 * p : 1;
      context.setLineDash(best ? [] : [4, 3]);
      context.beginPath();
      context.moveTo(from, base);
      if (head) context.bezierCurveTo(from, base - 1.3 * high, to, base - 1.3 * high, to, base);
      else context.lineTo(to, base - high * now);
      context.stroke();
      context.beginPath();
      context.arc(to, base, 2.5, 0, 7);
      context.fill();
    });
  };

/**
 * Draws notes from left to right in time; higher pitches are higher up.
 *
 * @param {{ notes: [voice: number, pitch: number, start: number, length: number][] }} record
 * @returns {Painter}
 */
export function chorale({ notes }) {
  const end = Math.max(...notes.map(([, , start, length]) => start + length));
  const pitches = notes.map(([, pitch]) => pitch);
  const [low, high] = [Math.min(...pitches) - 1, Math.max(...pitches) + 1];
  return ({ context, width, height }, share) => {
    const { ink, accent } = palette();
    const now = end * between(share, 0, 0.96);
    const step = height / (high - low + 1);
    context.fillStyle = accent;
    for (const [voice, pitch, start, length] of notes) {
      if (start >= now) continue;
      const x = (start / end) * width;
      const sounding = start + length > now && share < 0.96;
      context.globalAlpha = sounding ? 1 : 0.9 - 0.18 * voice;
      context.fillRect(
        x + 1,
        (high - pitch) * step,
        Math.max(2, (Math.min(length, now - start) / end) * width - 2),
        Math.max(3, step * 1.6),
      );
    }
    context.globalAlpha = 0.5;
    context.fillStyle = ink;
    if (share < 0.96) context.fillRect((now / end) * width, 0, 1, height);
  };
}

/**
 * Draws a waveform from left to right, sample by sample.
 * @param {{ low: number[], high: number[] }} record  per cent of the full range
 * @returns {Painter}
 */
export const wave =
  ({ low, high }) =>
  ({ context, width, height }, share) => {
    const { accent, edge } = palette();
    const now = low.length * between(share, 0, 0.9);
    const step = width / low.length;
    const y = (/** @type {number} */ percent) => height / 2 - (percent / 100) * 0.62 * height;
    context.fillStyle = edge;
    context.globalAlpha = 0.5;
    context.fillRect(0, height / 2, width, 1);
    context.globalAlpha = 1;
    context.fillStyle = accent;
    for (let i = 0; i < now; i++) context.fillRect(i * step, y(high[i]) - 0.5, Math.max(1, step - 0.3), y(low[i]) - y(high[i]) + 1);
  };

/** Draws sixteen pictures, each of which appears in one pass. @param {ArrayLike<number>} rgb  (16, 32, 32, 3) @returns {Painter} */
export function faces(rgb) {
  const all = Array.from({ length: 16 }, (_, i) => canvasOf(Array.prototype.slice.call(rgb, 3072 * i, 3072 * (i + 1)), 32));
  return (stage, share) => {
    const at = gridOn(stage, 4, 4, 4);
    all.forEach((picture, i) => {
      const { x, y, side } = at(i);
      stage.context.globalAlpha = between(share, 0.05 * i, 0.05 * i + 0.12);
      stage.context.drawImage(picture, x, y, side, side);
    });
  };
}

/**
 * Draws a scene, and lights up the locations to which the model attended for each word.
 *
 * @param {{ scene: string, grid: { rows: number, columns: number }, words: [text: string, light: number[]][] }} record
 * @returns {Painter}
 */
export function caption({ scene, grid, words }) {
  const picture = bytesOf(scene);
  const canvas = canvasOf(picture, 64);
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
  return (stage, share) => {
    const at = Math.min(words.length - 1, Math.floor(words.length * share));
    const weights = words[at][1];
    context.putImageData(new ImageData(litPixels({ picture, width: 64, height: 64, grid, weights }), 64), 0, 0);
    const text = 32;
    const side = stage.height - text;
    const left = Math.round((stage.width - side) / 2);
    stage.context.imageSmoothingEnabled = false;
    stage.context.drawImage(canvas, left, 0, side, side);
    const { font, places } = lineOf(
      stage,
      words.map(([word]) => [word.trim(), 0]),
      14,
    );
    stage.context.font = font;
    const { ink, accent } = palette();
    places.forEach((place, i) => {
      if (i > at) return;
      stage.context.fillStyle = i === at ? accent : ink;
      stage.context.fillText(place.text, place.x, stage.height - 10);
    });
  };
}

/** Draws twelve digits of one class, pixel by pixel. @param {Uint8Array} levels  (12, 28, 28) 0 to 255 @returns {Painter} */
export const digits = (levels) => (stage, share) => {
  const { context } = stage;
  const { predicted } = palette();
  const at = gridOn(stage, 4, 3, 4);
  const filled = Math.floor(784 * between(share, 0.02, 0.9));
  for (let sample = 0; sample < 12; sample++) {
    const { x, y, side } = at(sample);
    const unit = side / 28;
    for (let i = 0; i < filled; i++) {
      const level = levels[784 * sample + i];
      if (level === 0) continue;
      context.fillStyle = predicted[level];
      context.fillRect(x + (i % 28) * unit, y + Math.floor(i / 28) * unit, unit + 0.3, unit + 0.3);
    }
  }
};

/**
 * Draws a story token by token, with each token shaded by its surprisal.
 * @param {{ prompt: string, tokens: [text: string, nats: number][] }} record
 * @returns {Painter}
 */
export const story =
  ({ prompt, tokens }) =>
  ({ context, width, height, serif }, share) => {
    const { ink, accent } = palette();
    const size = 14;
    const line = 20;
    context.font = `${size}px ${serif}`;
    let [x, y] = [0, size + 2];
    const shown = Math.floor(tokens.length * between(share, 0.04, 0.92));
    /** @type {[text: string, nats: number][]} */
    const all = [...prompt.split(/(?= )/).map((text) => /** @type {[string, number]} */ ([text, -1])), ...tokens.slice(0, shown)];
    /** A word may consist of several tokens, and whether it fits the line depends on all of them. @param {number} from */
    const wordFrom = (from) => {
      let text = all[from][0];
      for (let i = from + 1; i < all.length && !/^\s/.test(all[i][0]); i++) text += all[i][0];
      return context.measureText(text.trimStart()).width;
    };
    for (const [i, [text, nats]] of all.entries()) {
      const begins = /^\s/.test(text) || i === 0;
      if (begins && x > 0 && x + wordFrom(i) + 4 > width) [x, y] = [0, y + line];
      if (y > height - 2) return;
      const own = x === 0 ? text.trimStart() : text;
      const wide = context.measureText(own).width;
      const space = own.length > own.trimStart().length ? context.measureText(' ').width : 0;
      if (nats >= 0) {
        context.fillStyle = accent;
        context.globalAlpha = Math.min(0.4, nats / 8);
        context.fillRect(x + space, y - size + 1, wide - space, line - 3);
      }
      context.globalAlpha = 1;
      context.fillStyle = nats < 0 ? ink : accent;
      context.fillText(own, x, y);
      x += wide;
    }
  };
