// SPDX-License-Identifier: MIT
// Measures what the type of a file's weights costs: bytes, processor time of a token and of a prompt, memory. Random weights in one shape, each type in a process of its
// own, the types in turn.
//
//   node tests/bench/which-file.js [--rounds 3] [--json]      in Node, the baseline wasm, one thread
// @ts-check
import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';

import { load } from '../../web/lib/index.js';
import { F16, F32, Q8_0, writeGGUF } from '../js/gguf.js';
import { median } from './summary.js';

/** That of stories110M, whose rows are whole blocks of every type. */
const SHAPE = { width: 768, blocks: 12, heads: 12, inner: 2048, values: 32000, length: 2048 };
const PROMPT = 64;
const DRAWN = 16;

/** Numbers of the types, values and bytes of a block, and where its halves stand, which are scales and offsets. @type {Record<string, [number, number, number, number[]]>} */
const TYPES = { F16: [F16, 1, 2, []], Q8_0: [Q8_0, 32, 34, [0]], Q6_K: [14, 256, 210, [208]], Q5_K: [13, 256, 176, [0, 2]], Q4_K: [12, 256, 144, [0, 2]], Q4_0: [2, 32, 18, [0]] };
/** In a mixture some matrices have more bits. @type {Record<string, (name: string) => string>} */
const MIXTURES = { Q4_K_M: (name) => (/token_embd|attn_v|ffn_down/.test(name) ? 'Q6_K' : 'Q4_K') };
const FILES = ['F16', 'Q8_0', 'Q6_K', 'Q4_K_M', 'Q4_0'];

/** Weights of a type: any bytes are some, but for halves, which are small ones. @param {string} type @param {number} count */
function weights(type, count) {
  const [, values, bytes, halves] = TYPES[type];
  const data = new Uint8Array(count / values * bytes);
  let state = 1;
  for (let i = 0; i < data.length; i++) data[i] = (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) >>> 24;
  const view = new DataView(data.buffer);
  if (type === 'F16') for (let at = 0; at < data.length; at += 2) view.setUint16(at, 0x2000 | (view.getUint16(at, true) & 0x83ff), true); // about 0.01, of both signs
  for (let at = 0; halves.length > 0 && at < data.length; at += bytes) for (const half of halves) view.setUint16(at + half, 0x1000, true); // 5e-4, no subnormal half, which costs time
  return data;
}

/** @param {string} name */
function fileOf(name) {
  const { width, blocks, heads, inner, values, length } = SHAPE;
  /** @type {Record<string, import('../js/gguf.js').Tensor>} */
  const tensors = {};
  const matrix = (/** @type {string} */ part, /** @type {number} */ rows, /** @type {number} */ cols) => {
    const type = MIXTURES[name]?.(part) ?? name;
    tensors[part] = { shape: [rows, cols], type: TYPES[type][0], data: weights(type, rows * cols) };
  };
  const norm = (/** @type {string} */ part) => { tensors[part] = { shape: [width], type: F32, data: new Float32Array(width).fill(1) }; };
  matrix('token_embd.weight', values, width);
  for (let i = 0; i < blocks; i++) {
    for (const part of ['attn_norm', 'ffn_norm']) norm(`blk.${i}.${part}.weight`);
    for (const part of ['attn_q', 'attn_k', 'attn_v', 'attn_output']) matrix(`blk.${i}.${part}.weight`, width, width);
    for (const part of ['ffn_gate', 'ffn_up']) matrix(`blk.${i}.${part}.weight`, inner, width);
    matrix(`blk.${i}.ffn_down.weight`, width, inner);
  }
  norm('output_norm.weight');
  return writeGGUF({ metadata: {
    'general.architecture': ['string', 'llama'], 'general.name': ['string', name], 'llama.context_length': ['u32', length], 'llama.embedding_length': ['u32', width],
    'llama.block_count': ['u32', blocks], 'llama.feed_forward_length': ['u32', inner], 'llama.attention.head_count': ['u32', heads],
    'llama.attention.layer_norm_rms_epsilon': ['f32', 1e-5],
  }, tensors });
}

/** Milliseconds of the processor, of all threads of this process. */
const spent = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1000; };

/** One file in this process. @param {string} file */
async function one(file) {
  const model = await load(file);
  const prompt = Uint32Array.from({ length: PROMPT }, (_, i) => 3 + i * 7 % 30000);
  const run = async (/** @type {ArrayLike<number>} */ known, /** @type {number} */ maxTokens) => {
    const before = spent();
    let count = 0;
    for await (const _ of model.tokens(known, { maxTokens, temperature: 0 })) count++;
    return (spent() - before) / (count === maxTokens ? 1 : NaN);
  };
  await run(prompt.subarray(0, 8), 4);
  const read = await run(prompt, 1);
  const token = await run(prompt.subarray(1, 65), DRAWN + 1) - await run(prompt.subarray(2, 66), 1);
  model.close();
  return { prompt: read / PROMPT, token: token / DRAWN, peak: process.resourceUsage().maxRSS * 1024, bytes: model.info.bytes };
}

async function main() {
  const { values } = parseArgs({ options: { rounds: { type: 'string', default: '3' }, json: { type: 'boolean' }, one: { type: 'string' } } });
  if (values.one) return void console.log(JSON.stringify(await one(values.one)));
  const folder = fileURLToPath(new URL('../../build/which-file/', import.meta.url));
  mkdirSync(folder, { recursive: true });
  for (const name of FILES) writeFileSync(`${folder}${name}.gguf`, fileOf(name));
  /** @type {Record<string, any[]>} */
  const found = Object.fromEntries(FILES.map((name) => [name, []]));
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const name of FILES) {
      const { stdout } = await promisify(execFile)(process.execPath, ['--no-warnings', fileURLToPath(import.meta.url), '--one', `${folder}${name}.gguf`]);
      found[name].push(JSON.parse(stdout));
    }
  }
  const rows = FILES.map((name) => {
    const of = (/** @type {string} */ key) => median(found[name].map((row) => row[key]));
    return { name, megabytes: of('bytes') / 1e6, prompt: of('prompt'), token: of('token'), peak: of('peak') / of('bytes') };
  });
  if (values.json) return void console.log(JSON.stringify(rows, null, 2));
  for (const { name, megabytes, prompt, token, peak } of rows) {
    console.log(`${name.padEnd(8)} ${megabytes.toFixed(0).padStart(4)} MB  ${prompt.toFixed(2).padStart(6)} ms a token of the prompt  ${token.toFixed(2).padStart(6)} ms a token  peak ${peak.toFixed(2)} x the file`);
  }
}

await main();
