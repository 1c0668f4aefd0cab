// SPDX-License-Identifier: MIT
// @ts-check

/** Between a picture and what the engine reads and draws. Plain functions of a model's description; no engine. */

import { quantise } from './image.js';

/** @import { ModelInfo } from './protocol.js' */

/**
 * The same picture in three forms:
 *
 *     picture   (height, width, channels) 8-bit, in raster order
 *     elements  the same numbers in generation order: what the steps of a run count
 *     values    what the engine takes and gives: for each position its elements, or the index of its colour
 *
 * A position of the engine is one channel or one whole pixel, that is `span` elements.
 */
export class Codec {
  /** @type {ModelInfo} */
  info;
  /** The place of each position in raster order. @type {Uint32Array} */
  order;
  /** Elements of a picture. @type {number} */
  elements;
  /** Elements of a position. @type {number} */
  span;
  /** Values of a position. @type {number} */
  positionValues;

  /**
   * @param {ModelInfo} info
   * @param {Uint32Array} order
   */
  constructor(info, order) {
    this.info = info;
    this.order = order;
    this.elements = info.width * info.height * info.channels;
    this.span = this.elements / info.positions;
    this.positionValues = info.palette ? 1 : this.span;
  }

  /**
   * Where an element stands in the picture.
   *
   * @param {number} element
   */
  place(element) {
    return this.order[Math.floor(element / this.span)] * this.span + (element % this.span);
  }

  /**
   * The values of a picture's first positions. Colours become the nearest ones of the palette; rounding to levels is
   * left to the engine.
   *
   * @param {Uint8Array} picture
   * @param {number} [positions]
   * @returns {Uint8Array<ArrayBuffer>}
   */
  encode(picture, positions = this.info.positions) {
    const elements = Uint8Array.from({ length: positions * this.span }, (_, i) => picture[this.place(i)]);
    return this.info.palette ? nearestColours(elements, this.info.palette) : elements;
  }

  /**
   * @param {Uint8Array} values
   * @returns {Uint8Array} elements; where there is no palette the same array
   */
  decode(values) {
    const { palette } = this.info;
    if (!palette) return values;
    const elements = new Uint8Array(3 * values.length);
    values.forEach((index, i) => elements.set(palette.subarray(3 * index, 3 * index + 3), 3 * i));
    return elements;
  }

  /**
   * Of values that were given, the elements as the model sees them.
   *
   * @param {Uint8Array} values
   * @returns {Uint8Array}
   */
  seen(values) {
    return this.info.palette ? this.decode(values) : quantise(values, this.info.levels);
  }

  /**
   * The cost of each element. A colour of a palette costs something as a whole: its first element has it all.
   *
   * @param {Float32Array} nats  of each value
   * @returns {Float32Array} where there is no palette the same array
   */
  costs(nats) {
    if (!this.info.palette) return nats;
    const costs = new Float32Array(3 * nats.length);
    nats.forEach((cost, i) => {
      costs[3 * i] = cost;
    });
    return costs;
  }

  /**
   * What holds for a position, for each of its elements.
   *
   * @param {Uint8Array} numbers  (positions)
   * @returns {Uint8Array} where a position is one element the same array
   */
  spread(numbers) {
    if (this.span === 1) return numbers;
    return Uint8Array.from({ length: numbers.length * this.span }, (_, i) => numbers[Math.floor(i / this.span)]);
  }
}

/**
 * For each pixel the index of the colour at the least squared distance, the lowest one of several.
 *
 * @param {Uint8Array} pixels   (count, 3)
 * @param {Uint8Array} palette  (colours, 3)
 * @returns {Uint8Array<ArrayBuffer>} (count)
 */
export function nearestColours(pixels, palette) {
  return Uint8Array.from({ length: pixels.length / 3 }, (_, i) => {
    let best = 0;
    let least = Infinity;
    for (let at = 0; at < palette.length; at += 3) {
      const distance = (pixels[3 * i] - palette[at]) ** 2 + (pixels[3 * i + 1] - palette[at + 1]) ** 2 +
        (pixels[3 * i + 2] - palette[at + 2]) ** 2;
      if (distance < least) {
        least = distance;
        best = at / 3;
      }
    }
    return best;
  });
}
