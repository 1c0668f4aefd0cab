// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Tests the networks of the page "The Transformer, opened". The matrices that the page computes for a step must equal the matrices of the
 * engine, and the logits must be equal to the last bit. Every intermediate matrix is also compared with PyTorch, and with a second
 * implementation, which computes in double precision.
 */

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';

import { exp, softmax } from '../../web/pages/opened/arithmetic.js';
import { attend } from '../../web/pages/opened/attend.js';
import { boxOf, boxesOf, groupsOf, labelsOf } from '../../web/pages/opened/boxes.js';
import { explain } from '../../web/pages/opened/explain.js';
import { readFile as readWeights } from '../../web/pages/opened/file.js';
import { ALL_ON, shapeOf, trace } from '../../web/pages/opened/networks.js';
import { answer } from '../../weights/eval/kinds/text/words.js';
import { Core } from './core.js';
import { readGGUF } from './gguf.js';
import { GOLDEN, ROOT, give, load, wasmModule } from './helpers.js';
import { opened } from './opened-double.js';

const WORDS = [
  'stop',
  'anna',
  'a',
  'zebra',
  'xxyxxy',
  'qwerty',
  'bbbbbb',
  'level',
  'on',
  'mmnmmm',
  'abcdef',
  'zyxwvu',
  'hello',
  'pizza',
  'jjqqj',
];
/** The largest allowed difference between a single-precision value and the double-precision or PyTorch value. All values are below
 * 100. */
const NEAR = 2e-4;

/** @param {string} name */
async function network(name) {
  const bytes = await readFile(`${ROOT}weights/${name}.gguf`);
  const file = readWeights(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
  const shape = shapeOf(file);
  return { bytes, file, shape, ids: (/** @type {string} */ word) => [...word].map((sign) => shape.tokens.indexOf(sign)) };
}

for (const name of ['opened', 'opened-decoder']) {
  test(`${name}: the page computes the same logits as the engine, to the last bit, and the probabilities used for drawing`, async () => {
    const { bytes, file, shape, ids } = await network(name);
    const core = new Core(wasmModule, bytes);
    for (const word of WORDS) {
      const { source, written, matrices, first } = trace(file, ids(word));
      assert.equal(written.map((id) => shape.tokens[id]).join(''), `${[...word].reverse().join('')}<end>`);
      const alone = shape.kind === 'gpt2';
      const inputs = /** @type {Record<string, Uint32Array>} */ (alone ? {} : { source: Uint32Array.from(source) });
      const session = core.openSession({ seed: 0n, samples: 1, temperature: 1, topK: 0, topP: 1 }, { inputs });
      give(core, session, inputs);
      const [logits, odds] = ['logits', 'odds'].map(
        (one) => /** @type {import('../../web/pages/opened/graph.js').Matrix} */ (matrices.get(one)),
      );
      [...(alone ? source : []), ...written].forEach((id, i) => {
        const [nats] = core.put(session, Uint32Array.of(id), true);
        const row = alone ? i - 1 : i;
        if (row < 0) return; // the first letter is given, so it has no logits
        assert.deepEqual(core.output(session, 0), logits.row(row), `${word}, place ${row}`);
        if (row >= first) assert.ok(Math.abs(Math.exp(-nats) - odds.at(row, id)) < 2e-6);
      });
      core.closeSession(session);
    }
  });

  test(`${name}: the library reverses words`, async () => {
    const model = await load(`${ROOT}weights/${name}.gguf`);
    for (const word of WORDS)
      assert.deepEqual((({ text, ended }) => ({ text, ended }))(await answer(model, word)), {
        text: [...word].reverse().join(''),
        ended: true,
      });
    model.close();
  });

  test(`${name}: PyTorch computes the same values for every matrix of a step`, async () => {
    const { file, shape } = await network(name);
    const { tensors } = readGGUF(await readFile(`${GOLDEN}${name}.golden.gguf`));
    const values = [...tensors.values.data];
    const source =
      shape.kind === 'gpt2' ? values.slice(0, values.indexOf(shape.tokens.indexOf('='))) : [...tensors.source.data].slice(0, -1);
    const { matrices } = trace(file, source);
    const golden = Object.entries(tensors)
      .filter(([key]) => key.startsWith('inside.'))
      .map(([key, tensor]) => /** @type {const} */ ([key.slice('inside.'.length), tensor]));
    assert.deepEqual(golden.map(([key]) => key).sort(), [...matrices.keys()].sort());
    for (const [key, { data }] of golden) {
      const { data: own = [] } = matrices.get(key) ?? {};
      assert.equal(own.length, data.length, key);
      own.forEach((x, i) => assert.ok(x === data[i] || Math.abs(x - data[i]) < NEAR, `${key}: ${x}, ${data[i]}`));
    }
  });

  test(`${name}: every matrix has a box, every box shows its matrices, and each value has the sum from which it is computed`, async () => {
    const { file, shape, ids } = await network(name);
    const pass = trace(file, ids('zebra'));
    const boxes = boxesOf(shape);
    const shown = new Set(
      boxes.flatMap((box) =>
        [0, 1].flatMap((head) =>
          groupsOf(box, head, pass, file).flatMap(({ line }) => line.flatMap((part) => (typeof part === 'string' ? [] : [part.matrix]))),
        ),
      ),
    );
    for (const [key, matrix] of pass.matrices) {
      assert.ok(boxOf(boxes, key), key);
      assert.ok(
        shown.has(matrix) || ['query', 'key', 'value'].some((part) => key.endsWith(`self.${part}`) && shape.kind === 'gpt2'),
        `${key} is never shown`,
      );
      const { rows, columns } = labelsOf(matrix, pass, shape);
      assert.deepEqual([rows.length, columns.length], [matrix.rows, matrix.cols], key);
      for (const [i, j] of [
        [0, 0],
        [matrix.rows - 1, matrix.cols - 1],
      ]) {
        const { rule, sources } = explain(matrix, i, j);
        assert.ok(rule);
        for (const source of sources)
          for (const cell of source.cells) assert.ok(cell[0] < source.matrix.rows && cell[1] < source.matrix.cols, key);
      }
    }
    for (const name_ of file.tensors.keys())
      assert.ok(
        [...shown].some((matrix) => matrix.name === name_),
        `${name_} is never shown`,
      );
  });
}

test('the softmax of every head in every block equals the map that the engine returns, to the last bit', async () => {
  const { file, ids } = await network('opened');
  const model = await load(`${ROOT}weights/opened.gguf`);
  const alone = await load(`${ROOT}weights/opened-decoder.gguf`);
  const { file: decoder, ids: of } = await network('opened-decoder');
  for (const word of WORDS) {
    const { matrices, written } = trace(file, ids(word));
    const row = (/** @type {string} */ name, /** @type {number} */ i, /** @type {number} */ count) =>
      matrices.get(name)?.row(i).slice(0, count);
    const run = model.translate(word, { maps: true });
    let p = 0;
    for await (const { maps = [] } of run) {
      assert.equal(maps.length, 8);
      for (const { name, layer, head, weights } of maps) {
        assert.deepEqual(
          weights,
          row(`dec.${layer}.${name === 'source' ? 'cross' : 'self'}.${head}.weights`, p, weights.length),
          `${word}, ${name} ${layer} ${head}, place ${p}`,
        );
      }
      p++;
    }
    assert.equal(p, written.length - 1); // the end token has no step
    run.encoder.forEach(({ layer, head, weights }) => assert.deepEqual(weights, matrices.get(`enc.${layer}.self.${head}.weights`)?.data));
    assert.equal(run.encoder.length, 4);
    const line = trace(decoder, of(word));
    let q = line.first;
    for await (const { maps = [] } of alone.generate(`${word}=`, { temperature: 0, maxTokens: line.written.length, maps: true })) {
      for (const { layer, head, weights } of maps)
        assert.deepEqual(weights, line.matrices.get(`dec.${layer}.self.${head}.weights`)?.row(q).slice(0, weights.length));
      q++;
    }
  }
  model.close();
  alone.close();
});

test('a double-precision computation from the file gives the same values', async () => {
  const { bytes, file, ids } = await network('opened');
  const { matrices, source, written } = trace(file, ids('planet'));
  const again = opened(bytes, source, written.slice(0, -1));
  assert.deepEqual(Object.keys(again).sort(), [...matrices.keys()].sort());
  for (const [name, matrix] of matrices) {
    again[name].forEach((row, i) =>
      row.forEach((x, j) =>
        assert.ok(x === matrix.at(i, j) || Math.abs(x - matrix.at(i, j)) < NEAR, `${name} ${i} ${j}: ${x}, ${matrix.at(i, j)}`),
      ),
    );
  }
});

test('drafts do not change the written word or its matrices', async () => {
  for (const name of ['opened', 'opened-decoder']) {
    const { file, ids } = await network(name);
    for (const word of ['stop', 'planet', 'anna']) {
      for (const off of /** @type {Partial<typeof ALL_ON>[]} */ ([
        {},
        { scale: false },
        { mask: false },
        { positions: false },
        { residual: false },
        { off: 'dec.1.self.1' },
      ])) {
        const [plain, ...others] = [[], undefined, ids('xxxxxxx'), ids('po')].map((guess) =>
          trace(file, ids(word), { ...ALL_ON, ...off }, guess),
        );
        for (const other of others) {
          assert.deepEqual(other.written, plain.written);
          for (const [key, { data }] of plain.matrices) assert.deepEqual(other.matrices.get(key)?.data, data, key);
        }
      }
    }
  }
});

test('the sum displayed for a value equals this value', async () => {
  const { file, ids } = await network('opened');
  const { matrices } = trace(file, ids('stop'));
  for (const name of [
    'enc.0.self.query',
    'enc.0.self.0.compare',
    'dec.1.cross.1.output',
    'enc.input',
    'dec.1.ffn.down',
    'logits',
    'enc.0.self.norm',
    'dec.0.self.0.weights',
  ]) {
    const matrix = /** @type {import('../../web/pages/opened/graph.js').Matrix} */ (matrices.get(name));
    const { sum } = explain(matrix, 1, 1);
    const formula = sum
      .replaceAll('−', '-')
      .replaceAll('×', '*')
      .replace(/e\^/g, 'Math.E ** ')
      .replace(/Math\.E \*\* (-?[\d.]+)/g, '(Math.E ** ($1))');
    // Each term of the displayed sum is rounded to two digits.
    const told = Number(new Function(`return ${formula}`)());
    assert.ok(
      Math.abs(told - matrix.at(1, 1)) < 0.03 * (1 + Math.abs(matrix.at(1, 1))) + 0.15,
      `${name}: ${sum} = ${told}, ${matrix.at(1, 1)}`,
    );
  }
});

test('each switch removes the part that its label names', async () => {
  const { file, ids } = await network('opened');
  const word = ids('stop');
  const data = (/** @type {Partial<typeof ALL_ON>} */ off, /** @type {string} */ name) =>
    /** @type {import('../../web/pages/opened/graph.js').Matrix} */ (trace(file, word, { ...ALL_ON, ...off }).matrices.get(name));
  assert.deepEqual(data({ scale: false }, 'enc.0.self.0.scale').data, data({}, 'enc.0.self.0.compare').data);
  assert.ok(data({}, 'dec.0.self.0.mask').data.includes(-Infinity) && !data({ mask: false }, 'dec.0.self.0.mask').data.includes(-Infinity));
  assert.ok(data({ positions: false }, 'enc.position').data.every((x) => x === 0));
  assert.deepEqual(data({ residual: false }, 'enc.0.self.sum').data, data({ residual: false }, 'enc.0.self.project').data);
  assert.ok(data({ off: 'enc.0.self.1' }, 'enc.0.self.1.output').data.every((x) => x === 0));
  // Without positions, a permutation of a word's letters permutes the vectors that the encoder computes, and changes nothing else.
  const sorted = (/** @type {string} */ text) => {
    const { data: numbers, cols } = /** @type {import('../../web/pages/opened/graph.js').Matrix} */ (
      trace(file, ids(text), { ...ALL_ON, positions: false }).matrices.get('enc.1.ffn.norm')
    );
    return Array.from({ length: text.length }, (_, i) =>
      [...numbers.subarray(i * cols, (i + 1) * cols)].map((x) => x.toFixed(3)).join(),
    ).sort();
  };
  assert.deepEqual(sorted('stop'), sorted('post'));
});

test('the exponential is accurate; softmax adds up to one and excludes masked entries', () => {
  for (let x = -86; x <= 88; x += 0.37) assert.ok(Math.abs(exp(Math.fround(x)) / Math.exp(Math.fround(x)) - 1) < 2e-7, String(x));
  assert.equal(exp(-88), 0);
  assert.ok(Math.abs([...softmax([1, 2, 3, -Infinity])].reduce((a, b) => a + b, 0) - 1) < 1e-6);
  assert.deepEqual([...softmax([-Infinity, -Infinity])], [0, 0]);
  const { weights, sum } = attend(
    [1, 0],
    [
      [1, 0],
      [1, 0],
      [-9, 0],
    ],
    [
      [2, 0],
      [0, 2],
      [5, 5],
    ],
  );
  assert.ok(Math.abs(weights[0] - weights[1]) < 1e-12 && weights[2] < 1e-3 && Math.abs(sum[0] - 1) < 0.01);
});
