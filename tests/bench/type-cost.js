// SPDX-License-Identifier: MIT
// Measures what rounding the weights of a language model costs it: nats a token and perplexity of a text, through the wasm. Every matrix of a file
// of halves whose rows are whole blocks is rounded to each type in turn, each weight to the nearest; the others stay halves.
//
//   node tests/bench/type-cost.js --text TEXT[.xz] [--last BYTES] [--file tests/golden/stories260K.gguf]
//
// Only types whose blocks are 32 weights: those with blocks of 256 (Q4_K, Q6_K) want rows of 256, which so small a model lacks.
// @ts-check
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { load } from '../../web/lib/index.js';
import { F16, F32, Q8_0, readGGUF, writeGGUF } from '../js/gguf.js';
import { scorePieces } from './eval-text.js';
import { readText } from './perplexity.js';
import { half, q4_0, q8_0 } from './random.js';

/** @import { Typed } from '../js/gguf.js' */

const [Q4_0, Q5_0] = [2, 6];
const BLOCK = 32;

/** The number that a half is. @param {number} bits */
function single(bits) {
  const [sign, exponent, fraction] = [bits >> 15 ? -1 : 1, bits >> 10 & 31, bits & 1023];
  return sign * (exponent ? 2 ** (exponent - 15) * (1 + fraction / 1024) : 2 ** -24 * fraction);
}

/** Blocks of a half, the fifth bits, and the other four, as Q4_0 has them. @param {Float32Array} data */
function q5_0(data) {
  const bytes = new Uint8Array(data.length / BLOCK * 22);
  const view = new DataView(bytes.buffer);
  for (let block = 0; block < data.length / BLOCK; block++) {
    const values = data.subarray(BLOCK * block, BLOCK * (block + 1));
    const most = values.reduce((best, value) => (Math.abs(value) > Math.abs(best) ? value : best), 0);
    const at = 22 * block;
    view.setUint16(at, half(most / -16), true);
    const scale = single(view.getUint16(at, true));
    values.forEach((value, i) => {
      const level = scale === 0 ? 16 : Math.max(0, Math.min(31, Math.round(value / scale) + 16));
      bytes[at + 6 + i % 16] |= (level & 15) << (i < 16 ? 0 : 4);
      bytes[at + 2 + (i >> 3)] |= level >> 4 << (i & 7);
    });
  }
  return bytes;
}

/** Types, their numbers, and what rounds to them. @type {[string, number, ((data: Float32Array) => Uint8Array)?][]} */
const TYPES = [['F16', F16], ['Q8_0', Q8_0, q8_0], ['Q5_0', Q5_0, q5_0], ['Q4_0', Q4_0, q4_0]];

/** The metadata with their types, as they are in files of language models. @param {any} value @returns {Typed} */
function typed(value) {
  if (Array.isArray(value)) return ['array', typeof value[0] === 'string' ? 'string' : value.every(Number.isInteger) && Math.min(...value) >= 0 ? 'i32' : 'f32', value];
  if (typeof value === 'string' || typeof value === 'boolean') return [typeof value === 'string' ? 'string' : 'bool', value];
  return [Number.isInteger(value) ? 'u32' : 'f32', value];
}

async function main() {
  const { values } = parseArgs({ options: { text: { type: 'string' }, last: { type: 'string' }, file: { type: 'string', default: fileURLToPath(new URL('../golden/stories260K.gguf', import.meta.url)) } } });
  if (!values.text) throw new Error('node tests/bench/type-cost.js --text TEXT[.xz] [--last BYTES] [--file FILE.gguf]');
  const all = readText(values.text);
  const text = new TextDecoder().decode(values.last ? all.subarray(-Number(values.last)) : all);
  const { metadata, tensors } = readGGUF(new Uint8Array(readFileSync(values.file)));
  const folder = fileURLToPath(new URL('../../build/type-cost/', import.meta.url));
  mkdirSync(folder, { recursive: true });
  const kept = Object.fromEntries(Object.entries(metadata).map(([key, value]) => [key, /scores|epsilon|freq_base|scale/.test(key) ? (Array.isArray(value) ? ['array', 'f32', value] : ['f32', value]) : typed(value)]));
  let first = 0;
  for (const [name, type, round] of TYPES) {
    const rounded = Object.fromEntries(Object.entries(tensors).map(([part, tensor]) => {
      const { shape, data } = tensor;
      if (tensor.type === F32) return [part, tensor];
      if (tensor.type !== F16) throw new Error(`${part} is no half: give a file of F16`);
      const bits = new Uint16Array(data.buffer, data.byteOffset, shape.reduce((count, n) => count * n, 1));
      if (!round || shape[1] % BLOCK > 0) return [part, { shape, type: F16, data: bits }];
      return [part, { shape, type, data: round(Float32Array.from(bits, single)) }];
    }));
    const file = path.join(folder, `${name}.gguf`);
    writeFileSync(file, writeGGUF({ metadata: /** @type {Record<string, Typed>} */ (kept), tensors: /** @type {any} */ (rounded) }));
    const model = await load(file);
    const { nats, tokens } = await scorePieces(model, model.tokenizer.encode(text));
    const perplexity = Math.exp(nats);
    first ||= perplexity;
    console.log(`${name.padEnd(5)} ${String(model.info.bytes).padStart(8)} bytes  ${tokens} tokens  ${nats.toFixed(4)} nats a token  perplexity ${perplexity.toFixed(3)}  ${(100 * (perplexity / first - 1)).toFixed(2).padStart(6)} %`);
    model.close();
  }
}

await main();
