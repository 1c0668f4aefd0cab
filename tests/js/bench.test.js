// SPDX-License-Identifier: MIT
// @ts-check

/** Tests the parts of the benchmark that need no browser: its models, and the figures that it computes from measurements. */

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { promisify } from 'node:util';

import { scorePieces } from '../../weights/eval/kinds/text/text.js';
import { keysOf, workOf } from '../bench/facts.js';
import { LLAMAS, WEIGHTS, bytesOf, llamaModel, typeOf, weightsOf } from '../bench/language.js';
import { LLAMA_TYPES, STREAM, llamaResult, onnxLlama } from '../bench/llama.js';
import { load } from '../../web/lib/index.js';
import { W1, gpt2Model, imageModel, localShape, onnxModel, productMacs } from '../bench/models.js';
import { options } from '../bench/options.js';
import { half, int8, normal, q4_0, q8_0 } from '../bench/random.js';
import { assemble, key, median, shareOf } from '../bench/summary.js';
import { CHAIN_TYPES, chainModel, chainOf } from '../bench/tflite.js';
import { BEGIN, END, columns, markdown, replaceTable, text } from '../bench/table.js';
import { Core } from '../../web/lib/engine/core.js';
import { readGGUF } from './gguf.js';
import { ROOT, wasmModule } from './helpers.js';

/** @import { Facts, Samples } from '../bench/summary.js' */
/** @import { AnyModel } from '../../web/lib/model/of-kind.js' */

/** @type {import('../bench/models.js').Shape} */
const SMALL = { width: 32, blocks: 2, heads: 2, inner: 64, values: 256, side: 4 };

/** @param {Uint8Array} bytes */
const hash = (bytes) => createHash('sha256').update(bytes).digest('hex').slice(0, 16);

test('random numbers have a nearly normal distribution', () => {
  const random = normal(1);
  const count = 100_000;
  let sum = 0,
    squares = 0,
    far = 0;
  for (let i = 0; i < count; i++) {
    const x = random();
    sum += x / count;
    squares += (x * x) / count;
    far += Number(Math.abs(x) > 1.96) / count;
  }
  // Each bound is five standard errors. A sum of twelve uniform numbers has slightly lighter tails than a normal variable.
  assert.ok(Math.abs(sum) < 5 / Math.sqrt(count), `mean ${sum}`);
  assert.ok(Math.abs(squares - 1) < 5 * Math.sqrt(2 / count), `variance ${squares}`);
  assert.ok(Math.abs(far - 0.05) < 5 * Math.sqrt((0.05 * 0.95) / count) + 0.002, `tails ${far}`);
});

test('numbers are rounded to half precision', () => {
  const cases = [
    [1, 0x3c00],
    [-2, 0xc000],
    [0, 0],
    [65504, 0x7bff],
    [2 ** -14, 0x0400],
    [2047.6, 0x6800],
    [1 + 2 ** -11, 0x3c00],
    [1 + 3 * 2 ** -11, 0x3c02],
  ]; // ties round to even
  for (const [value, bits] of cases) {
    assert.equal(half(value), bits, String(value));
  }
  assert.throws(() => half(1e-6), RangeError);
  assert.throws(() => half(65536), RangeError);
});

test('blocks of 8 and 4 bits keep the numbers within their rounding error', () => {
  const random = normal(3);
  const data = Float32Array.from({ length: 64 }, () => random());
  /** @param {Uint8Array} bytes @param {number} at */
  const scale = (bytes, at) => {
    const bits = bytes[at] | (bytes[at + 1] << 8);
    return (bits & 0x8000 ? -1 : 1) * 2 ** (((bits >> 10) & 31) - 15) * (1 + (bits & 1023) / 1024);
  };
  const eight = q8_0(data),
    four = q4_0(data);
  assert.equal(eight.length, 68);
  assert.equal(four.length, 36);
  for (let i = 0; i < 64; i++) {
    const b = i >> 5,
      j = i % 32;
    const s8 = scale(eight, 34 * b),
      s4 = scale(four, 18 * b);
    const v8 = ((eight[34 * b + 2 + j] << 24) >> 24) * s8;
    const pair = four[18 * b + 2 + (j % 16)];
    const v4 = ((j < 16 ? pair & 15 : pair >> 4) - 8) * s4;
    // The error is at most half a step, plus the rounding error of the scale, which has 11 bits and is multiplied by 127 or 8 steps. At the
    // end of the 4-bit range, where one side lacks a level, the error may be a whole step instead of half a step.
    assert.ok(Math.abs(v8 - data[i]) <= s8 * (0.5 + 127 / 2048), `8 bits, ${i}`);
    assert.ok(Math.abs(v4 - data[i]) <= Math.abs(s4) * (1 + 8 / 2048), `4 bits, ${i}`);
  }
  assert.deepEqual([...q8_0(new Float32Array(32)).subarray(2)], new Array(32).fill(0));
  assert.deepEqual([...q4_0(new Float32Array(32)).subarray(2)], new Array(16).fill(0x88));
  const { bytes, scale: whole } = int8(data);
  for (let i = 0; i < 64; i++) assert.ok(Math.abs(bytes[i] * whole - data[i]) <= whole * 0.500001);
});

test('the models of the benchmark have the same bytes in every run and on every machine', () => {
  /** @type {[string, () => Uint8Array, string][]} */
  const cases = [
    ['ours, 8 bits', () => imageModel(SMALL, 'q8'), 'de0724f29756f755'],
    ['ours, 4 bits', () => imageModel(SMALL, 'q4'), '1ca0a5e0778ff071'],
    ['gpt2', () => gpt2Model(SMALL, 'q8'), 'cbe739b4808e6e3d'],
    ['onnx', () => onnxModel(SMALL), '529cd2659b22cf55'],
  ];
  for (const [name, make, expected] of cases) assert.equal(hash(make()), expected, name);
  assert.notDeepEqual(imageModel(SMALL, 'q8', 2), imageModel(SMALL, 'q8', 1));
});

test('the engine runs the models, and they have the size that the comparison states', () => {
  for (const type of /** @type {const} */ (['q8', 'q4'])) {
    for (const shape of [SMALL, localShape(28)]) {
      const core = new Core(wasmModule, imageModel(shape, type));
      const session = core.openSession({ seed: 1n, samples: 2, temperature: 1, topK: 0, topP: 1 });
      const { ids, nats } = core.draw(session, 16);
      assert.ok(new Set(ids).size > 4, 'random weights draw several different values');
      assert.ok(nats.every((x) => x > 0 && x < 20));
    }
  }
  assert.equal(productMacs(W1), 6_356_992); // number of multiply-adds of the decoder that has 6.3 million weights
  assert.equal(W1.side ** 2, 1024);
});

test('the model for wllama has the tensors and the tokens that llama.cpp expects', () => {
  const { metadata, tensors } = readGGUF(gpt2Model(SMALL, 'q8'));
  assert.equal(metadata['general.architecture'], 'gpt2');
  const tokens = metadata['tokenizer.ggml.tokens'];
  assert.equal(tokens.length, SMALL.values + 3);
  assert.equal(new Set(tokens).size, tokens.length);
  for (const letter of 'abcdefghij') assert.ok(tokens.includes(letter));
  for (const field of ['scores', 'token_type']) assert.equal(metadata[`tokenizer.ggml.${field}`].length, tokens.length);
  assert.deepEqual(metadata['tokenizer.ggml.token_type'].slice(0, 5), [2, 3, 3, 1, 1]);
  assert.equal(metadata['tokenizer.ggml.add_bos_token'], true);
  assert.deepEqual(tensors['blk.1.attn_qkv.weight'].shape, [96, 32]);
  assert.deepEqual(tensors['position_embd.weight'].shape, [16, 32]);
  assert.equal(Object.keys(tensors).length, 2 + 12 * SMALL.blocks + 2);
});

/** Reads the fields of a protocol buffers message: number, wire type, value. @param {Uint8Array} bytes */
function fields(bytes) {
  /** @type {{ field: number, type: number, value: any }[]} */
  const list = [];
  let at = 0;
  const varint = () => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++];
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
  };
  while (at < bytes.length) {
    const tag = Number(varint()),
      type = tag & 7;
    let value;
    if (type === 0) value = BigInt.asIntN(64, varint());
    else if (type === 5) value = new DataView(bytes.buffer, bytes.byteOffset + (at += 4) - 4).getFloat32(0, true);
    else if (type === 2) {
      const length = Number(varint());
      value = bytes.subarray(at, (at += length));
    } else throw new Error(`wire type ${type}`);
    list.push({ field: tag >> 3, type, value });
  }
  assert.equal(at, bytes.length);
  return list;
}

test('the ONNX file is a graph with consistent names', () => {
  /** @param {Uint8Array} bytes @param {number} field */
  const all = (bytes, field) =>
    fields(bytes)
      .filter((one) => one.field === field)
      .map((one) => one.value);
  /** @param {Uint8Array} bytes */
  const string = (bytes) => new TextDecoder().decode(bytes);
  /** @param {Uint8Array} bytes @param {number} field */
  const strings = (bytes, field) => all(bytes, field).map(string);

  const file = onnxModel(SMALL);
  assert.deepEqual(all(file, 1), [8n]);
  assert.deepEqual(
    all(file, 8).map((one) => [strings(one, 1)[0], all(one, 2)[0]]),
    [
      ['', 17n],
      ['com.microsoft', 1n],
    ],
  );
  const [graph] = all(file, 7);
  const inputs = all(graph, 11).map((one) => strings(one, 1)[0]),
    outputs = all(graph, 12).map((one) => strings(one, 1)[0]);
  assert.equal(inputs.length, 4 + 2 * SMALL.blocks);
  assert.deepEqual(outputs.sort(), ['logits', ...[0, 1].flatMap((i) => [`present.${i}.key`, `present.${i}.value`])].sort());

  const known = new Set(inputs);
  let weights = 0;
  for (const tensor of all(graph, 5)) {
    known.add(strings(tensor, 8)[0]);
    const count = Number(all(tensor, 1).reduce((product, n) => product * n, 1n));
    const [type] = all(tensor, 2),
      [raw] = all(tensor, 9);
    assert.equal(raw.length, count * (type === 1n ? 4 : 1), 'the number of bytes that the shape requires');
    if (type === 3n && count > 1) weights += count;
  }
  assert.equal(weights, productMacs(SMALL));
  /** @type {Record<string, number>} */
  const operators = {};
  for (const node of all(graph, 1)) {
    for (const name of strings(node, 1)) assert.ok(name === '' || known.has(name), `${name} is computed before it is used`);
    for (const name of strings(node, 2)) {
      assert.ok(!known.has(name), `${name} is computed once`);
      known.add(name);
    }
    const [operator] = strings(node, 4);
    operators[operator] = (operators[operator] ?? 0) + 1;
    /** @type {Record<string, any>} */
    const attributes = Object.fromEntries(all(node, 5).map((one) => [strings(one, 1)[0], all(one, 3)[0] ?? all(one, 2)[0]]));
    if (operator === 'GroupQueryAttention') assert.deepEqual([attributes.num_heads, attributes.kv_num_heads], [2n, 2n]);
    if (operator === 'LayerNormalization') {
      assert.equal(attributes.axis, -1n);
      assert.ok(Math.abs(attributes.epsilon - 1e-5) < 1e-12);
    }
  }
  for (const name of outputs) assert.ok(known.has(name), name);
  assert.equal(operators.GroupQueryAttention, SMALL.blocks);
  assert.equal(operators.MatMulInteger, 4 * SMALL.blocks + 1);
  assert.equal(operators.Relu, SMALL.blocks);
});

test('the LiteRT file is a chain of products, each of which reads the columns that the previous product has computed', () => {
  const chain = chainOf(SMALL);
  assert.equal(
    chain.reduce((sum, [rows, columns]) => sum + rows * columns, 0),
    productMacs(SMALL),
  );
  for (const type of CHAIN_TYPES) {
    const file = chainModel(chain, type, 3),
      view = new DataView(file.buffer);
    assert.equal(new TextDecoder().decode(file.subarray(4, 8)), 'TFL3');
    /** @param {number} at */
    const follow = (at) => at + view.getUint32(at, true);
    /** Returns the offset of field i of a table; 0 if the field is absent. @param {number} table @param {number} i */
    const field = (table, i) => {
      const list = table - view.getInt32(table, true),
        at = 4 + 2 * i;
      const place = at < view.getUint16(list, true) ? view.getUint16(list + at, true) : 0;
      return place && table + place;
    };
    /** Returns the offsets of the items of a list. @param {number} table @param {number} i */
    const list = (table, i) => {
      const at = follow(field(table, i));
      return Array.from({ length: view.getUint32(at, true) }, (_, k) => at + 4 + 4 * k);
    };
    /** @param {number} table @param {number} i */
    const words = (table, i) => list(table, i).map((at) => view.getInt32(at, true));
    const model = follow(0),
      [graph] = list(model, 2).map(follow),
      tensors = list(graph, 0).map(follow),
      buffers = list(model, 4).map(follow);
    const shapes = tensors.map((tensor) => words(tensor, 0)),
      weights = new Set();
    const [first] = words(graph, 1),
      [last] = words(graph, 2),
      known = new Set([first]);
    assert.deepEqual(
      [shapes[first], shapes[last]],
      [
        [3, SMALL.width],
        [3, SMALL.values],
      ],
    );
    for (const operator of list(graph, 3).map(follow)) {
      const inputs = words(operator, 1),
        [out] = words(operator, 2);
      assert.ok(known.has(inputs[0]) && !known.has(out), 'each column is computed once, before it is used');
      known.add(out);
      if (view.getUint32(field(operator, 0), true) !== 0) continue; // this operator reads only a third of its input's columns
      const matrix = inputs[1],
        buffer = buffers[view.getUint32(field(tensors[matrix], 2), true)],
        data = follow(field(buffer, 0)) + 4;
      assert.deepEqual([shapes[inputs[0]][1], shapes[out][1]], [shapes[matrix][1], shapes[matrix][0]]);
      assert.equal(data % 16, 0, 'weights are aligned');
      assert.equal(view.getUint32(data - 4, true), (shapes[matrix][0] * shapes[matrix][1]) / (type === 'q4' ? 2 : 1));
      assert.equal(list(follow(field(tensors[matrix], 4)), 2).length, shapes[matrix][0], 'a scale a row');
      weights.add(matrix);
    }
    assert.ok(known.has(last));
    assert.deepEqual(
      [...weights].map((matrix) => shapes[matrix]),
      chain,
    );
  }
});

test('the keys and the arithmetic operations of each position are counted', () => {
  /** @param {Record<string, any>} more */
  const model = (more) =>
    Object.fromEntries(
      Object.entries({ 'image.width': 6, 'image.height': 4, 'image.channels': 1, ...more }).map(([name, value]) => [
        `image-transformer.${name}`,
        value,
      ]),
    );
  assert.equal(keysOf(model({ 'attention.pattern': 'full' }), 9), 10);
  const local = model({ 'attention.pattern': 'local-1d', 'attention.query_block': 4, 'attention.memory_block': 3 });
  assert.deepEqual(
    [0, 3, 4, 7, 8].map((i) => keysOf(local, i)),
    [1, 4, 4, 7, 4],
  );
  const area = model({
    'attention.pattern': 'local-2d',
    'attention.block_rows': 2,
    'attention.block_cols': 4,
    'attention.flange_rows': 1,
    'attention.flange_cols': 1,
  });
  // The first block is 2 x 4, the second 2 x 2. The third is below the first and attends to five columns of the row above it.
  assert.deepEqual(
    [0, 7, 8, 11, 12, 19, 20].map((i) => keysOf(area, i)),
    [1, 8, 2 + 1, 2 + 4, 5 + 1, 5 + 8, 3 + 2 + 1],
  );

  const { macs, bytes, keyMacs, headMacs, positions } = workOf(imageModel(SMALL, 'q8'), { from: 3, to: 5 });
  assert.equal(positions, 16);
  assert.equal(keyMacs, 2 * 32 * 2);
  assert.equal(headMacs, 256 * 32);
  assert.equal(macs, productMacs(SMALL) + 4.5 * keyMacs);
  assert.equal(bytes, (productMacs(SMALL) * 34) / 32 + 4.5 * keyMacs);
});

/** Compares the pattern of 2D attention with the pattern that the engine reports. */
test('the computed number of keys of each position equals the number that the engine reports', async () => {
  const { toyModel } = await import('./toy.js');
  for (const options of [
    { width: 10, height: 7, blockRows: 3, blockCols: 4 },
    { queryBlock: 5, memoryBlock: 7 },
    {},
    { width: 4, channels: 3, blockRows: 2, blockCols: 5, flangeCols: 3 },
  ]) {
    const file = toyModel(options);
    const core = new Core(wasmModule, file);
    const { metadata } = readGGUF(file);
    for (let position = 0; position < core.part.length; position += 3) {
      const session = core.openSession({ seed: 1n, samples: 1, temperature: 1, topK: 0, topP: 1 }, { maps: true });
      core.draw(session, position + 1);
      assert.equal(keysOf(metadata, position), core.map(session, 0, 0, 0).keys.length, `${JSON.stringify(options)} ${position}`);
      core.closeSession(session);
    }
  }
});

test('medians and shares are computed as expected', () => {
  assert.equal(median([3, 1, 2]), 2);
  assert.equal(median([4, 1, 2, 3]), 2.5);
  const work = { macs: 10e6, bytes: 6 * 2 ** 20, keyMacs: 0, headMacs: 0, positions: 1 };
  const stream = { 4: 100, 16: 20, 64: 10 };
  // 10 M multiply-adds at 50 G per second take 0.2 ms. Reading 6 MB at 20 GB per second takes 0.31 ms, which is longer, so the reading sets
  // the ceiling.
  const share = shareOf(0.5, work, 50, stream, 2 ** 20);
  assert.ok(share);
  assert.ok(Math.abs(share.ofDots - 0.4) < 1e-9);
  assert.ok(Math.abs(/** @type {number} */ (share.ofBytes) - (6 * 2 ** 20) / 20e6 / 0.5) < 1e-9);
  assert.deepEqual([share.limit, share.share], ['bytes', share.ofBytes]);
  // Data that fit in the cache are not read from memory.
  const { ofDots } = share;
  assert.deepEqual(shareOf(0.5, work, 50, stream, 8 * 2 ** 20), { share: ofDots, limit: 'dots', ofDots, ofBytes: null });
  assert.equal(shareOf(0.5, work, null, stream, 2 ** 20), null);
});

/** Returns invented measurements: three rounds of every benchmark. @returns {{ samples: Samples, facts: Facts }} */
function madeUp() {
  const builds = ['nextpixel', 'nextpixel-relaxed'],
    types = ['q4', 'q8'],
    positions = [64, 512, 1000],
    sides = [28, 64];
  /** @type {Samples} */
  const samples = {};
  /** Adds a measurement of three rounds, of which `ms` is the median. @param {string} name @param {number} ms */
  const put = (name, ms) => void (samples[name] = [ms * 2, ms * 0.9, ms]);
  put('loop/queue', 10);
  put('loop/gates', 0.3);
  put('loop/gates/ceiling', 0.4);
  put('ceiling/baseline/one', 25);
  put('ceiling/baseline/four', 40);
  put('ceiling/relaxed/one', 50);
  put('ceiling/relaxed/four', 70);
  for (const size of [4, 16, 64]) put(key('ceiling/stream', size), 30);
  for (const position of positions) {
    for (const [b, build] of builds.entries()) {
      put(key('w1', position, 'ours', build, 'q4'), (b ? 0.2 : 0.5) + position / 1e4);
      put(key('w1', position, 'ours', build, 'q8'), (b ? 0.3 : 0.4) + position / 1e4);
    }
    put(key('w1', position, 'slow'), 5);
    put(key('w1', position, 'fast'), position === 1000 ? 9 : 4);
  }
  for (const build of builds) {
    for (const type of types) {
      for (const what of ['one', 'many']) {
        put(key('kernel', what, 1, type, build), 0.01);
        put(key('kernel', what, 3, type, build), 0.03);
      }
      put(key('kernel/values/256', type, build), 0.02);
    }
    for (const count of [1, 4]) {
      put(key('shipped/toy', count, build), 40 * count);
      put(key('samples/toy', count, build), count === 4 ? 0.15 : 0.1);
    }
    for (const columns of [1, 16]) put(key('chain/q8', columns, build), columns === 1 ? 0.2 : 2);
    put(key('gan/toy', build), 5);
    put(key('convolutions/toy', build), 2);
    put(key('ahead/toy', build, 'with'), 20);
    put(key('ahead/toy', build, 'without'), 26);
    put(key('prefill/toy/1', build), 0.3);
    put(key('prefill/toy/16', build), 0.1);
    for (const side of sides) put(key('pixel', side, build), side / 280);
  }
  put('chain/q8/1/litert', 0.6);
  put('chain/q8/1/nextpixel-relaxed/one', 0.002);
  const work = { macs: 2.3e6, bytes: 1.2e6, keyMacs: 4096, headMacs: 0, positions: 800 };
  return {
    samples,
    facts: {
      machine: {
        cpu: 'Abacus',
        cores: 2,
        browser: 'Chromium 156',
        date: '2026-01-02T03:04:05Z',
        runs: 3,
        load: [0.1, 1],
        args: '--write --runs 3',
      },
      builds: builds.map((name, i) => ({ name, loop: i ? 'relaxed' : 'baseline', bytes: 5e4, gzip: 2e4 })),
      chosen: 'nextpixel-relaxed',
      cacheBytes: 2 ** 20,
      positions,
      types,
      peers: [
        { id: 'slow', name: 'Slow 1', gzip: 3e6 },
        { id: 'fast', name: 'Fast 2', gzip: 5e5 },
      ],
      w1Work: Object.fromEntries(
        types.flatMap((type) => positions.map((p) => [key(type, p), { ...work, macs: 6e6 + 4096 * p, bytes: 4e6 }])),
      ),
      shipped: [{ name: 'toy', pixels: 400 }],
      made: [{ name: 'toy', macs: 7.2e7, all: 9e7 }],
      chain: { other: 'Kernels 3', types: ['q8'], columns: [1, 16], macs: 6e6, least: 6e4 },
      together: [1, 4],
      atOnce: [1, 4],
      sides,
      models: [{ name: 'toy', macs: 2e6, work }],
      streams: [4, 16, 64],
      blockMacs: 2e5,
      sizes: { 'nextpixel, library and wasm': 61440, 'Slow 1': 3e6 },
    },
  };
}

test('the summary uses the medians, the fastest weight type, and the fastest other runtime', () => {
  const { samples, facts } = madeUp();
  const result = assemble(samples, facts);
  const { summary } = result;
  assert.ok(summary.w1 && summary.w1q8 && summary.w1q4 && summary.w1baseline);
  assert.deepEqual(Object.keys(summary.w1), ['64', '512', '1000']);
  assert.deepEqual(summary.w1[64], {
    ours: 0.2064,
    peer: 4,
    peerName: 'Fast 2',
    ratio: 4 / 0.2064,
    build: 'nextpixel-relaxed',
    type: 'q4',
    oursMin: 0.2064 * 0.9,
    peerMin: 3.6,
  });
  assert.equal(summary.w1[1000].peerName, 'Slow 1');
  assert.equal(summary.w1q8[64].ours, 0.3064);
  assert.deepEqual([summary.w1baseline[64].ours, summary.w1baseline[64].type], [0.4 + 64 / 1e4, 'q8']);

  const shares = result.w1[64]['nextpixel-relaxed q8'].ceiling;
  assert.equal(shares?.limit, 'bytes');
  assert.equal(Math.round(1000 * /** @type {number} */ (shares?.share)), Math.round((1000 * (4e6 / 60e6)) / (0.9 * 0.3064)));
  assert.ok(Math.abs((result.loops.gates?.share ?? 0) - 0.75) < 1e-12);
  assert.equal(result.loops.queue, undefined); // there is no share, because the ceiling of this loop was not measured
  const { share, small, ratio, other } = result.chain['nextpixel-relaxed q8 1'];
  assert.deepEqual(
    [share, small?.gigamacs, ratio, other?.gigamacs].map((x) => Number(x).toFixed(6)),
    [6e6 / 0.18 / 1e6 / 100, 6e4 / 0.0018 / 1e6, 3, 10].map((x) => x.toFixed(6)),
  );
  assert.equal(result.chain['nextpixel-relaxed q8 16'].ratio, null);
  const { convolutions, ...whole } = result.made['toy nextpixel-relaxed'];
  assert.ok(
    Math.abs((convolutions?.share ?? 0) - 7.2e7 / (0.9 * 2) / 1e6 / 140) < 1e-9,
    'the share of the dot loop with four columns, from the best rounds',
  );
  assert.deepEqual([convolutions?.part, whole.median], [0.8, 5]);
  const { products, attention, values256 } = result.kernels['nextpixel-relaxed'].q8;
  assert.ok(products && attention);
  assert.ok(Math.abs(products.gigamacs - 2e5 / 0.009 / 1e6) < 1e-6, 'half of the time of two more blocks, from the best rounds');
  assert.ok(Math.abs(attention.gigamacs - 4096 / 0.9e-4 / 1e6) < 1e-6);
  assert.ok(Math.abs(Number(values256) - 0.009) < 1e-9);
  assert.deepEqual(Object.keys(result.shipped[0].builds), ['nextpixel', 'nextpixel-relaxed']);
  assert.equal(result.shipped[0].builds.nextpixel.samples[1].perPixel, 40 / 400);
  assert.equal(result.lookAhead.nextpixel.toy.ratio, 1.3);
  assert.ok(Math.abs(Number(result.samples.nextpixel.toy.fourOverOne) - 1.5) < 1e-9);
  assert.ok(Math.abs(result.prefill.nextpixel.toy.ratio - 3) < 1e-9);
  assert.ok(Math.abs(result.pixels.nextpixel.spread - (64 / 28 - 1)) < 1e-9);

  /** @param {string} name */
  const goal = (name) => result.goals.find((one) => one.name === name);
  assert.deepEqual(goal('times the fastest peer, 4-bit weights, position 64')?.met, true);
  assert.deepEqual(goal('spread of the cost per pixel over sizes')?.met, false);
  assert.deepEqual(goal('times LiteRT.js, products, q8, one column')?.met, true);
  assert.deepEqual(goal('four samples over one, toy')?.met, true);
  assert.deepEqual(goal('look-ahead over pixel by pixel, toy')?.met, false);
  // 2.3 M multiply-adds take 0.023 ms at 100 G per second, the rate of the best round; nextpixel takes 0.09 ms.
  assert.ok(Math.abs(Number(goal('share of the dot loop, toy, one sample')?.value) - 0.023 / 0.09) < 1e-9);
  assert.doesNotThrow(() => JSON.parse(JSON.stringify(result)));
});

test('missing measurements are left out, and insignificant differences are not reported', () => {
  const { samples, facts } = madeUp();
  const some = Object.fromEntries(Object.entries(samples).filter(([name]) => /^w1\/\d+\/ours\/nextpixel\/q8|^kernel/.test(name)));
  some['kernel/one/3/q8/nextpixel'] = [0.001];
  const result = assemble(some, { ...facts, peers: [], sizes: undefined, chosen: 'nextpixel' });
  assert.deepEqual([result.summary.w1?.[64].peer, result.summary.w1?.[64].ratio, result.summary.w1q4], [null, null, null]);
  assert.equal(result.kernels.nextpixel.q8.products, null);
  assert.equal(result.w1[64]['nextpixel q8'].ceiling, null);
  assert.deepEqual([result.shipped, result.lookAhead, result.prefill, result.goals], [[], {}, {}, []]);
  assert.match(text(result), /nextpixel q8/);
  assert.throws(() => markdown(result), /compares with other runtimes/);
});

test('tables are printed as text', () => {
  assert.equal(
    columns(
      ['', 'ms'],
      [
        ['one', '1.25'],
        ['three', '-'],
      ],
    ),
    '         ms\none    1.25\nthree     -',
  );
  const { samples, facts } = madeUp();
  const result = assemble(samples, facts);
  const page = text(result);
  const parts = [
    'Abacus',
    'the library chooses nextpixel-relaxed here',
    'Fast 2',
    '28x28',
    'at most 2',
    'toy nextpixel-relaxed',
    'Slow 1',
    'exact look-ahead',
    'Kernels 3',
  ];
  for (const part of parts) assert.ok(page.includes(part), part);
  const table = markdown(result);
  assert.match(table, /^\| nextpixel, 4-bit weights \| 0\.21 \| 0\.25 \| 0\.30 \| 60 KB \|$/m);
  assert.match(table, /^\| Fast 2 \| 4\.00 \| 4\.00 \| 9\.00 \| 488 KB \|$/m);
  assert.match(table, /^\| Slow 1 .*2\.9 MB \|$/m);
  assert.match(table, /^`npm run bench -- --write --runs 3`: medians of 3 /m);
  assert.match(table, /\*\*19\.4x\*\*/);
  const widths = table
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) => line.split('|').length);
  assert.equal(new Set(widths).size, 1, 'every row has the same number of cells');
});

test('the table is inserted between the comments of the chapter Numbers and nowhere else', async () => {
  const before = `one\n${BEGIN}\nold\n${END}\ntwo\n`;
  const after = replaceTable(before, 'new\ntable');
  assert.equal(after, `one\n${BEGIN}\nnew\ntable\n${END}\ntwo\n`);
  assert.equal(replaceTable(after, 'new\ntable'), after);
  for (const page of ['', BEGIN, END, `${END}\n${BEGIN}`, before + before]) {
    assert.throws(() => replaceTable(page, ''), /once each/);
  }
  assert.ok(replaceTable(await readFile(`${ROOT}web/manual/chapters/numbers.md`, 'utf8'), 'table').includes(`${BEGIN}\ntable\n${END}`));
});

test('the options of the command line are read, and wrong options are refused', async () => {
  const all = options([]);
  assert.deepEqual([all.withPeers, all.runs, all.sections.has('pixels')], [true, undefined, true]);
  const some = options(['--only', 'ours,kernels', '--quick']);
  assert.deepEqual([some.withPeers, some.runs, [...some.sections]], [false, 2, ['kernels', 'w1']]);
  assert.equal(options(['--only', 'pixels']).withPeers, false, 'no other runtime is measured in this section');
  assert.equal(options(['--only', 'ours']).sections.size, all.sections.size);
  assert.ok(options(['--quick', '--runs', '5']).runs === 5);
  assert.throws(() => options(['--only', 'w1,tea']), /no section 'tea'; there are ours, w1/);
  for (const runs of ['0', '1.5', 'many']) assert.throws(() => options(['--runs', runs]), /--runs must be a whole number/);
  assert.deepEqual(options(['--sizes', '135M,1B']).sizes, ['135M', '1B']);
  assert.throws(() => options(['--sizes', '135M,2T']), /no size '2T'; there are 15M, /);
  assert.throws(() => options(['--fast']), /Unknown option '--fast'/);

  const run = promisify(execFile);
  await assert.rejects(run(process.execPath, [`${ROOT}tests/bench/bench.js`, '--only', 'tea']), /bench: no section 'tea'/);
});

test('language models of every weight type load, generate ids, and have the stated size', async () => {
  const shape = { width: 64, blocks: 2, heads: 2, inner: 96, values: 256, length: 32 };
  const grouped = { ...shape, width: 256, kvHeads: 1, keyLength: 32, inner: 512, arch: /** @type {const} */ ('qwen3') };
  for (const type of [...LLAMA_TYPES, 'f16']) {
    for (const one of [shape, grouped]) {
      const file = llamaModel(one, type),
        core = new Core(wasmModule, file);
      const session = core.openSession({ seed: 1n, samples: 1, temperature: 0, topK: 0, topP: 1 });
      core.put(session, Uint32Array.of(1, 5, 9), false);
      assert.equal(core.draw(session, 4).ids.length, 4);
      const rows = Object.values(WEIGHTS);
      const bytes = Object.values(readGGUF(file).tensors).reduce((sum, { shape: [count, cols], type: kind }) => {
        const of = rows.find(({ number }) => number === kind);
        return sum + (cols && of ? ((count * cols) / of.values) * of.bytes : 0);
      }, 0);
      assert.equal(bytesOf(one, type), bytes);
    }
  }
  assert.equal(weightsOf(LLAMAS['110M']), 109_510_656);
  assert.deepEqual(
    ['attn_q', 'attn_v', 'ffn_down', 'token_embd'].map((part) => typeOf('q4_k_m', part, part === 'ffn_down' ? 1536 : 576, 0, 30)),
    ['q5_0', 'q8_0', 'q6_k', 'q8_0'],
  );
  assert.ok(onnxLlama(shape).length > weightsOf(shape));
});

test('the result for language models has ratios to other engines, shares of the streaming rate, and goals', () => {
  /** @type {Samples} */
  const samples = { [key('ceiling', 'stream', STREAM)]: [20, 25] };
  for (const what of [64, 512, 'prompt']) {
    samples[key('llama', '110M', 'q8_0', what, 'ours')] = [8, 6];
    samples[key('llama', '110M', 'q8_0', what, 'wllama')] = [80, 72];
    samples[key('llama', '110M', 'int8', what, 'onnxruntime')] = [48, 30];
    samples[key('llama', '110M', 'q8_0', what, 'native')] = [6, 6];
  }
  const { summary, goals, rows } = llamaResult(samples, [
    { id: 'wllama', name: 'w' },
    { id: 'onnxruntime', name: 'o' },
    { id: 'native', name: 'n' },
  ]);
  const { ours, peer, peerName, ratio, wllama, native, share } = summary['110M'].q8_0;
  assert.deepEqual(
    { ours, peer, peerName, ratio, wllama, native },
    { ours: 7, peer: 39, peerName: 'o', ratio: 5.5, wllama: 11, native: 0.875 },
    'compared with the fastest runtime in a browser',
  );
  assert.ok(Math.abs(share - bytesOf(LLAMAS['110M'], 'q8_0') / 6e6 / 25) < 1e-9);
  assert.deepEqual(
    goals.map(({ wanted, met }) => [wanted, met]),
    [
      [8, true],
      [0.7, true],
      [8, true],
      [8, true],
    ],
  );
  assert.equal(rows.length, 3);
  assert.deepEqual(llamaResult({}, []).summary, {});
  const { width, values } = LLAMAS['110M'],
    prompt = /** @type {any} */ (llamaResult(samples, [], 50).rows.find(({ what }) => what === 'prompt'));
  assert.ok(Math.abs(prompt.share - prompt.gigamacs / 50) < 1e-12);
  assert.ok(
    prompt.gigamacs * 1e6 * Math.min(...samples[key('llama', '110M', 'q8_0', 'prompt', 'ours')]) <
      64 * weightsOf(LLAMAS['110M']) - 62 * width * values,
    'only the last token has logits',
  );
});

test("the perplexity of a text is computed in pieces as long as the model's context", async () => {
  const model = /** @type {AnyModel} */ (await load(`${ROOT}tests/golden/stories260K.gguf`));
  const { positions } = model.info;
  const story = 'Once upon a time, there was a little girl named Lily. She loved to play outside in the park. '.repeat(30);
  const ids = model.tokenizer.encode(story),
    all = await scorePieces(model, ids),
    first = await scorePieces(model, ids.slice(0, positions - 1));
  model.close();
  assert.ok(ids.length > positions && all.tokens === ids.length);
  assert.ok(first.nats < 1 && all.nats < 1.2, `${first.nats} ${all.nats}`); // the text has a low cost, because the model often writes these sentences
});
