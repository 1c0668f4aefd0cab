// SPDX-License-Identifier: MIT
// Rounds the weights of a language model to each type, and measures how much the nats per token and the perplexity of a text increase. The
// model runs in the wasm engine. The input is a file of half-precision weights. For each type, every matrix whose rows divide into whole
// blocks is rounded to that type. Each weight is rounded to the nearest value. Other matrices stay unchanged.
//
//   node tests/bench/type-cost.js --text TEXT[.xz] [--last BYTES] [--file tests/golden/stories260K.gguf]
//
// Types with a K in their name have blocks of 256 weights, so the length of a row must be a multiple of 256. The rows of a small model such
// as stories260K are shorter. In this script, a block of these types spans several rows, and its dequantised weights are stored in half
// precision. So for these types, the result shows only the loss from rounding the weights. For the other types, the engine rounds the
// activations too. All scales and offsets are computed from the extreme values of a block. llama.cpp searches for better scales and
// offsets, so its files lose less.
// @ts-check
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { load } from '../../web/lib/index.js';
import { F16, F32, Q8_0, readGGUF, writeGGUF } from '../js/gguf.js';
import { scorePieces } from '../../weights/eval/kinds/text/text.js';
import { typeOf } from './language.js';
import { readText } from '../../weights/eval/perplexity.js';
import { half, q4_0, q8_0 } from './random.js';

/** @import { Typed } from '../js/gguf.js' */
/** @import { AnyModel } from '../../web/lib/model/of-kind.js' */

const [Q4_0, Q5_0] = [2, 6];
const BLOCK = 32;

/** Returns the value of a half-precision number. @param {number} bits */
function single(bits) {
  const [sign, exponent, fraction] = [bits >> 15 ? -1 : 1, (bits >> 10) & 31, bits & 1023];
  return sign * (exponent ? 2 ** (exponent - 15) * (1 + fraction / 1024) : 2 ** -24 * fraction);
}

/**
 * Rounds to Q5_0. A block consists of a half-precision scale, the highest bits of the 5-bit values, and the other four bits of the values,
 * as in Q4_0.
 * @param {Float32Array} data
 */
function q5_0(data) {
  const bytes = new Uint8Array((data.length / BLOCK) * 22);
  const view = new DataView(bytes.buffer);
  for (let block = 0; block < data.length / BLOCK; block++) {
    const values = data.subarray(BLOCK * block, BLOCK * (block + 1));
    const most = values.reduce((best, value) => (Math.abs(value) > Math.abs(best) ? value : best), 0);
    const at = 22 * block;
    view.setUint16(at, half(most / -16), true);
    const scale = single(view.getUint16(at, true));
    values.forEach((value, i) => {
      const level = scale === 0 ? 16 : Math.max(0, Math.min(31, Math.round(value / scale) + 16));
      bytes[at + 6 + (i % 16)] |= (level & 15) << (i < 16 ? 0 : 4);
      bytes[at + 2 + (i >> 3)] |= (level >> 4) << (i & 7);
    });
  }
  return bytes;
}

/**
 * Rounds to 6 bits. Every 16 weights have an 8-bit scale. Every 256 weights have a factor by which their 8-bit scales are multiplied.
 * @param {Float32Array} data
 */
function q6_k(data) {
  return inBlocks(data, (values) => {
    const scales = parts(values, 16).map(
      (part) => part.reduce((best, value) => (Math.abs(value) > Math.abs(best) ? value : best), 0) / -32,
    );
    const unit = scales.reduce((best, scale) => (Math.abs(scale) > Math.abs(best) ? scale : best), 0) / -128;
    return values.map((value, i) => {
      const scale = unit * Math.max(-128, Math.min(127, Math.round(scales[i >> 4] / (unit || 1))));
      return scale && scale * Math.max(-32, Math.min(31, Math.round(value / scale)));
    });
  });
}

/**
 * Rounds to 4 bits. Every 32 weights have a 6-bit scale and a 6-bit offset. Every 256 weights have two factors: one for these scales and
 * one for these offsets.
 *
 * @param {Float32Array} data
 */
function q4_k(data) {
  return inBlocks(data, (values) => {
    const lows = parts(values, 32).map((part) => -Math.min(0, ...part)),
      scales = parts(values, 32).map((part, i) => (Math.max(0, ...part) + lows[i]) / 15);
    const unit = Math.max(...scales) / 63,
      step = Math.max(...lows) / 63;
    return values.map((value, i) => {
      const scale = unit * Math.round(scales[i >> 5] / (unit || 1)),
        low = step * Math.round(lows[i >> 5] / (step || 1));
      return scale * Math.max(0, Math.min(15, scale && Math.round((value + low) / scale))) - low;
    });
  });
}

/** @param {Float32Array} values @param {number} length */
const parts = (values, length) => Array.from({ length: values.length / length }, (_, i) => values.subarray(length * i, length * (i + 1)));

/**
 * Rounds each block of 256 weights, and stores the dequantised weights in half precision.
 * @param {Float32Array} data
 * @param {(values: Float32Array) => Float32Array} round
 */
function inBlocks(data, round) {
  const halves = new Uint16Array(data.length);
  parts(data, 256).forEach((values, block) =>
    halves.set(
      Array.from(round(values), (value) => (Math.abs(value) < 2 ** -14 ? 0 : half(value))),
      256 * block,
    ),
  );
  return new Uint8Array(halves.buffer);
}

/** Rounds as in Q4_K_M, which uses Q6_K for some matrices (language.js). @param {string} part @param {number} blocks */
function mixed(part, blocks) {
  const [, index, name] = /^blk\.(\d+)\.(\w+)/.exec(part) ?? ['', '0', 'token_embd'];
  return typeOf('q4_k_m', name, 256, Number(index), blocks) === 'q6_k' ? q6_k : q4_k;
}

/** Each entry has the name of a type, its code in the file, and a function that returns the rounding function. The rounding function can
 * depend on the matrix and on the number of blocks.
 * @type {[string, number, ((part: string, blocks: number) => (data: Float32Array) => Uint8Array)?][]} */
const TYPES = [
  ['F16', F16],
  ['Q8_0', Q8_0, () => q8_0],
  ['Q6_K', F16, () => q6_k],
  ['Q5_0', Q5_0, () => q5_0],
  ['Q4_K_M', F16, mixed],
  ['Q4_K', F16, () => q4_k],
  ['Q4_0', Q4_0, () => q4_0],
];

/** Returns a metadata value with the type that it has in files of language models. @param {any} value @returns {Typed} */
function typed(value) {
  if (Array.isArray(value))
    return [
      'array',
      typeof value[0] === 'string' ? 'string' : value.every(Number.isInteger) && Math.min(...value) >= 0 ? 'i32' : 'f32',
      value,
    ];
  if (typeof value === 'string' || typeof value === 'boolean') return [typeof value === 'string' ? 'string' : 'bool', value];
  return [Number.isInteger(value) ? 'u32' : 'f32', value];
}

async function main() {
  const { values } = parseArgs({
    options: {
      text: { type: 'string' },
      last: { type: 'string' },
      file: { type: 'string', default: fileURLToPath(new URL('../golden/stories260K.gguf', import.meta.url)) },
    },
  });
  if (!values.text) throw new Error('node tests/bench/type-cost.js --text TEXT[.xz] [--last BYTES] [--file FILE.gguf]');
  const all = readText(values.text);
  const text = new TextDecoder().decode(values.last ? all.subarray(-Number(values.last)) : all);
  const { metadata, tensors } = readGGUF(new Uint8Array(readFileSync(values.file)));
  const folder = fileURLToPath(new URL('../../build/type-cost/', import.meta.url));
  mkdirSync(folder, { recursive: true });
  const kept = Object.fromEntries(
    Object.entries(metadata).map(([key, value]) => [
      key,
      /scores|epsilon|freq_base|scale/.test(key) ? (Array.isArray(value) ? ['array', 'f32', value] : ['f32', value]) : typed(value),
    ]),
  );
  const blocks = Number(metadata[`${metadata['general.architecture']}.block_count`]);
  let first = 0;
  for (const [name, type, round] of TYPES) {
    const rounded = Object.fromEntries(
      Object.entries(tensors).map(([part, tensor]) => {
        const { shape, data } = tensor;
        if (tensor.type === F32) return [part, tensor];
        if (tensor.type !== F16) throw new Error(`${part} is not in half precision: pass a file of type F16`);
        const bits = new Uint16Array(
          data.buffer,
          data.byteOffset,
          shape.reduce((count, n) => count * n, 1),
        );
        if (!round || shape[1] % BLOCK > 0 || bits.length % 256 > 0) return [part, { shape, type: F16, data: bits }];
        return [part, { shape, type, data: round(part, blocks)(Float32Array.from(bits, single)) }];
      }),
    );
    const file = path.join(folder, `${name}.gguf`);
    writeFileSync(file, writeGGUF({ metadata: /** @type {Record<string, Typed>} */ (kept), tensors: /** @type {any} */ (rounded) }));
    const model = /** @type {AnyModel} */ (await load(file));
    const { nats, tokens } = await scorePieces(model, await model.tokenizer.encodeLong(text));
    const perplexity = Math.exp(nats);
    first ||= perplexity;
    console.log(
      `${name.padEnd(6)} ${type === F16 && round ? 'kept as halves' : `${String(model.info.bytes).padStart(8)} bytes`}  ${tokens} tokens  ${nats.toFixed(4)} nats a token  perplexity ${perplexity.toFixed(3)}  ${(100 * (perplexity / first - 1)).toFixed(2).padStart(6)} %`,
    );
    model.close();
  }
}

await main();
