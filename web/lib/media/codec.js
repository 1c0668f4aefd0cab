// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Pictures: their description in the metadata of a file, and the conversion between pictures and ids. Plain functions; no engine.
 */

import { listOf, wholeOf } from '../engine/keys.js';

/** @import { Metadata } from '../gguf/metadata.js' */
/** @import { Part } from '../engine/protocol.js' */

/**
 * The description of a picture model. A position is one channel or one whole pixel.
 *
 * @typedef {object} PictureInfo
 * @property {number} width         pixels
 * @property {number} height        pixels
 * @property {number} channels      1 (grey) or 3 (red, green, blue)
 * @property {number} levels        values per channel, 2 to 256; colours of the palette if there is one
 * @property {Uint8Array | null} palette  (levels, 3) the colours that the model draws with, or null: any
 * @property {number} inputWidth    pixels of the small picture that superResolve() starts from; 0: the model takes none
 * @property {number} inputHeight
 * @property {number} window        the most positions that one position can attend to
 * @property {number} queryBlock    positions in a query block of local 1D attention, otherwise 0
 * @property {number} memoryBlock   positions in its memory block
 * @property {number} blockRows     rows of a query block of local 2D attention, otherwise 0; without either, attention is full
 * @property {number} blockCols     its columns, in positions
 * @property {number} flangeRows    rows above it that it sees
 * @property {number} flangeCols    columns to its sides that it sees, in positions
 * @property {boolean} lookAhead    the file has a draft for speculative decoding: a single sample is drawn in fewer passes
 */

/** The fields that the codec needs.
 *   @typedef {Pick<PictureInfo, 'width' | 'height' | 'channels' | 'levels' | 'palette'> & Partial<PictureInfo> & { positions: number, heads: number }} CodecInfo */

/** A positive integer in the file, by its key under the architecture's name. @param {string} architecture @param {Metadata} metadata */
const numbers =
  (architecture, metadata) =>
  (/** @type {string} */ name, missing = 0, most = 2 ** 31) => {
    const key = `${architecture}.${name}`;
    return metadata.has(key) ? wholeOf(metadata, key, 0, most) : missing;
  };

/**
 * The description of the network and the labels, which every model has. @param {string} architecture @param {Metadata} metadata @param
 * {Part} part
 */
export function networkInfo(architecture, metadata, part) {
  const number = numbers(architecture, metadata);
  const names = listOf(metadata, `${architecture}.classes`, 'texts');
  const classes = part.inputs.find(({ name }) => name === 'class')?.values ?? 0;
  return {
    classes: Array.from({ length: classes }, (_, i) => names[i] || String(i)),
    blocks: number('block_count'),
    heads: number('attention.head_count'),
    embedding: number('embedding_length'),
  };
}

/** The size of the pictures. @param {string} architecture @param {Metadata} metadata */
export function sizeInfo(architecture, metadata) {
  const number = numbers(architecture, metadata);
  return { width: number('image.width'), height: number('image.height'), channels: number('image.channels', 1, 4) };
}

/**
 * @param {string} architecture
 * @param {Metadata} metadata
 * @param {Part} part
 * @returns {PictureInfo}
 */
export function pictureInfo(architecture, metadata, part) {
  const number = numbers(architecture, metadata);
  const pattern = metadata.get(`${architecture}.attention.pattern`);
  const queryBlock = pattern === 'local-1d' ? number('attention.query_block') : 0;
  const input = part.inputs.find(({ name }) => name === 'image');
  const map = part.maps.find(({ name }) => name === 'attention');
  /** @param {string} key */
  const local2d = (key) => (pattern === 'local-2d' ? number(`attention.${key}`) : 0);
  return {
    ...sizeInfo(architecture, metadata),
    levels: part.values,
    palette: paletteOf(part),
    inputWidth: input ? input.dims[1] : 0,
    inputHeight: input ? input.dims[0] : 0,
    window: map?.keys ?? part.length,
    queryBlock,
    memoryBlock: queryBlock ? number('attention.memory_block', queryBlock) : 0,
    blockRows: local2d('block_rows'),
    blockCols: local2d('block_cols'),
    flangeRows: local2d('flange_rows'),
    flangeCols: local2d('flange_cols'),
    lookAhead: part.draft,
  };
}

/**
 * The colours of the ids, or null.
 *
 * @param {Part} part
 */
function paletteOf(part) {
  const table = part.tables.find(({ name }) => name === 'palette.weight');
  return table ? Uint8Array.from(table.data, (value) => Math.min(Math.max(Math.floor(value + 0.5), 0), 255)) : null;
}

/**
 * The raster index of each position: raster order itself, or with local 2D attention block by block.
 *
 * @param {Pick<CodecInfo, 'height' | 'blockRows' | 'blockCols' | 'positions'>} info
 * @returns {Uint32Array}
 */
export function generationOrder({ height, positions, blockRows = 0, blockCols = 0 }) {
  const columns = positions / height;
  if (!blockRows) return Uint32Array.from({ length: positions }, (_, i) => i);
  const order = [];
  for (let top = 0; top < height; top += blockRows) {
    for (let left = 0; left < columns; left += blockCols) {
      for (let row = top; row < Math.min(top + blockRows, height); row++) {
        for (let column = left; column < Math.min(left + blockCols, columns); column++) order.push(row * columns + column);
      }
    }
  }
  return Uint32Array.from(order);
}

/**
 * The same picture in three forms:
 *
 *     picture   (height, width, channels) 8-bit, in raster order
 *     elements  the same numbers in generation order: what the steps of a run count
 *     ids       what the engine takes and gives: for each position the levels of its elements, or the index of its colour
 *
 * A position of the engine is one channel or one whole pixel, that is, `positionElements` elements.
 */
export class Codec {
  /** @type {CodecInfo} */
  info;
  /** The raster index of each position. @type {Uint32Array} */
  order;
  /** Elements of a picture. @type {number} */
  elements;
  /** Elements per position. @type {number} */
  positionElements;
  /** Ids of a position. @type {number} */
  positionIds;

  /**
   * @param {CodecInfo} info
   * @param {Uint32Array} [order]
   */
  constructor(info, order = generationOrder(info)) {
    this.info = info;
    this.order = order;
    this.elements = info.width * info.height * info.channels;
    this.positionElements = this.elements / info.positions;
    this.positionIds = info.palette ? 1 : this.positionElements;
  }

  /**
   * The index of an element in the picture.
   *
   * @param {number} element
   */
  place(element) {
    return this.order[Math.floor(element / this.positionElements)] * this.positionElements + (element % this.positionElements);
  }

  /**
   * The ids of a picture's first positions: colours become the nearest ones of the palette, channels the nearest levels.
   *
   * @param {Uint8Array} picture
   * @param {number} [positions]
   * @returns {Uint32Array<ArrayBuffer>}
   */
  encode(picture, positions = this.info.positions) {
    const { palette, levels } = this.info;
    const elements = Uint8Array.from({ length: positions * this.positionElements }, (_, i) => picture[this.place(i)]);
    return palette ? Uint32Array.from(nearestColours(elements, palette)) : Uint32Array.from(elements, (value) => levelOf(value, levels));
  }

  /**
   * @param {Uint32Array} ids
   * @returns {Uint8Array} elements
   */
  decode(ids) {
    const { palette, levels } = this.info;
    if (!palette) return Uint8Array.from(ids, (level) => valueOf(level, levels));
    const elements = new Uint8Array(3 * ids.length);
    ids.forEach((index, i) => elements.set(palette.subarray(3 * index, 3 * index + 3), 3 * i));
    return elements;
  }

  /**
   * The nats of each element. A palette colour has a single cost, which is on its first element.
   *
   * @param {Float32Array} nats  of each id
   * @returns {Float32Array} without a palette the same array
   */
  elementNats(nats) {
    if (!this.info.palette) return nats;
    const each = new Float32Array(3 * nats.length);
    nats.forEach((cost, i) => {
      each[3 * i] = cost;
    });
    return each;
  }

  /**
   * Repeats the number of a position for each of its elements.
   *
   * @param {Uint8Array} numbers  (positions)
   * @returns {Uint8Array} the same array if a position is one element
   */
  spread(numbers) {
    if (this.positionElements === 1) return numbers;
    return Uint8Array.from({ length: numbers.length * this.positionElements }, (_, i) => numbers[Math.floor(i / this.positionElements)]);
  }
}

/**
 * The nearest of some levels, evenly spaced over 0..255, in integer arithmetic.
 *
 * @param {number} value  8-bit
 * @param {number} levels
 */
function levelOf(value, levels) {
  return Math.floor((2 * value * (levels - 1) + 255) / 510);
}

/**
 * round(255 level / (levels - 1)).
 *
 * @param {number} level
 * @param {number} levels
 */
function valueOf(level, levels) {
  return Math.floor((510 * level + levels - 1) / (2 * (levels - 1)));
}

/**
 * 8-bit values rounded to the levels of a model, the form that the model sees.
 *
 * @param {Uint8Array} values
 * @param {number} levels
 * @returns {Uint8Array<ArrayBuffer>}
 */
export function quantise(values, levels) {
  return Uint8Array.from(values, (value) => valueOf(levelOf(value, levels), levels));
}

/**
 * For each pixel, the index of the colour with the least squared distance, the lowest one among equals.
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
      const distance =
        (pixels[3 * i] - palette[at]) ** 2 + (pixels[3 * i + 1] - palette[at + 1]) ** 2 + (pixels[3 * i + 2] - palette[at + 2]) ** 2;
      if (distance < least) {
        least = distance;
        best = at / 3;
      }
    }
    return best;
  });
}
