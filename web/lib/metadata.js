// SPDX-License-Identifier: MIT
// @ts-check

/** From the C library's description of a model and the file's metadata to `model.info`. */

/** @import { ModelInfo } from './protocol.js' */

/** GGUF value types that are texts. */
const STRING = 8;
const ARRAY = 9;

/**
 * One entry of the file's metadata, its bytes copied out of the wasm memory.
 *
 * @typedef {{ key: string, type: number, itemType: number, count: number, value: Uint8Array }} Entry
 */

/**
 * The texts among the metadata: a string, or an array of strings. Numbers are of no use to a page: info has those that
 * are.
 *
 * @param {Entry} entry
 * @returns {string | string[] | undefined}
 */
export function textOf({ type, itemType, count, value }) {
  if (type === STRING) return readStrings(value, 1)[0];
  if (type === ARRAY && itemType === STRING) return readStrings(value, count);
  return undefined;
}

/**
 * @param {Uint8Array} value  each string preceded by its 64-bit length, which the C library has checked
 * @param {number} count
 */
function readStrings(value, count) {
  const view = new DataView(value.buffer, value.byteOffset, value.byteLength);
  const decoder = new TextDecoder();
  const strings = [];
  for (let i = 0, at = 0; i < count; i++) {
    const length = Number(view.getBigUint64(at, true));
    at += 8;
    strings.push(decoder.decode(value.subarray(at, at + length)));
    at += length;
  }
  return strings;
}

/**
 * @param {Record<string, number>} info  the fields of nx_info
 * @param {Entry[]} entries
 * @param {Uint8Array | null} palette
 * @param {number} bytes  size of the file
 * @returns {ModelInfo}
 */
export function describe(info, entries, palette, bytes) {
  /** @type {Map<string, string | string[]>} */
  const texts = new Map();
  for (const entry of entries) {
    const text = textOf(entry);
    if (text !== undefined) texts.set(entry.key, text);
  }
  const architecture = String(texts.get('general.architecture') ?? '');
  const names = texts.get(`${architecture}.classes`);
  return {
    architecture,
    name: String(texts.get('general.name') ?? architecture),
    tasks: info.input_height > 0 ? ['super-resolve', 'score'] : ['complete', 'generate', 'score'],
    width: info.width,
    height: info.height,
    channels: info.channels,
    levels: info.levels,
    palette,
    inputWidth: info.input_width,
    inputHeight: info.input_height,
    positions: info.positions,
    classes: Array.from({ length: info.classes }, (_, i) => (Array.isArray(names) && names[i]) || String(i)),
    parameters: info.parameters_high * 2 ** 32 + info.parameters_low,
    bytes,
    blocks: info.blocks,
    heads: info.heads,
    embedding: info.embedding,
    window: info.window,
    queryBlock: info.query_block,
    memoryBlock: info.memory_block,
    blockRows: info.block_rows,
    blockCols: info.block_cols,
    flangeRows: info.flange_rows,
    flangeCols: info.flange_cols,
    lookAhead: info.draft > 0,
    card: cardOf(texts),
  };
}

/**
 * @param {Map<string, string | string[]>} texts
 * @returns {Record<string, string>}
 */
function cardOf(texts) {
  /** @type {[string, string][]} */
  const card = [];
  // What is ours comes last and wins.
  for (const prefix of ['general.', 'nextpixel.card.']) {
    for (const [key, text] of texts) {
      if (key.startsWith(prefix) && typeof text === 'string') card.push([key.slice(prefix.length), text]);
    }
  }
  return Object.fromEntries(card);
}
