// SPDX-License-Identifier: MIT
// @ts-check

/** Tests the results and errors of model.parse(). */

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, test } from 'node:test';

import { Features } from '../../web/lib/media/features.js';
import { Core } from '../../web/lib/engine/core.js';
import { readHeads } from '../../weights/eval/kinds/head/heads.js';
import { GOLDEN, ROOT, load, wasmModule } from './helpers.js';

const model = await load(`${ROOT}weights/parents-en.gguf`);
after(() => model.close());

test('features equal those computed in training', async () => {
  const core = new Core(wasmModule, await readFile(`${ROOT}weights/parents-en.gguf`));
  const features = new Features(core.metadata, 'tree');
  for (const { words, ids } of JSON.parse(await readFile(`${GOLDEN}parents-en.features.json`, 'utf8'))) {
    assert.deepEqual([...features.ids(words)], ids.flat(), words.join(' '));
  }
  assert.ok(features.knows('the') && !features.knows('xqzzyish'));
});

test('heads, marginals and nats are consistent', async () => {
  assert.deepEqual(model.info.verbs, ['parse']);
  const parse = await model.parse('She put the book on the old table.', { marginals: true });
  const { words, heads, marginals = new Float32Array(), nats } = parse;
  assert.deepEqual(words, ['She', 'put', 'the', 'book', 'on', 'the', 'old', 'table', '.']);
  assert.deepEqual(heads, [2, 0, 4, 2, 8, 8, 8, 2, 2]);
  const n = words.length;
  assert.equal(marginals.length, n * (n + 1));
  for (let m = 0; m < n; m++) {
    const row = marginals.subarray(m * (n + 1), (m + 1) * (n + 1));
    assert.ok(Math.abs(row.reduce((sum, p) => sum + p, 0) - 1) < 1e-5);
    assert.equal(row[m + 1], 0); // a word is never its own head
  }
  assert.ok(nats > 0 && Math.abs((await parse.score(heads)) - nats) < 1e-3);
  assert.ok((await parse.score([0, 1, 1, 1, 1, 1, 1, 1, 1])) > 5);
  assert.ok(Math.abs(await parse.score(heads.map(() => null))) < 1e-6);
  assert.equal(parse.pinnedNats, 0);
  assert.ok(Number.isFinite(parse.logZ));
  assert.equal((await model.parse('The dog', {})).marginals, undefined);
});

test('a pinned head is kept, and the cost of pinning it is its surprisal', async () => {
  const text = 'I saw the man with the telescope.';
  const free = await model.parse(text, { marginals: true });
  const { words, marginals = new Float32Array() } = free;
  for (const head of [2, 4]) {
    const pinned = await model.parse(text, { marginals: true, pinned: { 7: head } });
    assert.equal(pinned.heads[6], head);
    assert.ok(Math.abs((pinned.marginals?.[6 * (words.length + 1) + head] ?? NaN) - 1) < 1e-6);
    assert.ok(Math.abs(pinned.pinnedNats + Math.log(marginals[6 * (words.length + 1) + head])) < 1e-3); // pinned heads cost -log p
    assert.deepEqual((await model.parse(text, { pinned: words.map((_, m) => (m === 6 ? head : null)) })).heads, pinned.heads);
  }
});

test('parse() accepts one word, unknown words and 128 words', async () => {
  const one = await model.parse('Hello', { marginals: true });
  assert.deepEqual([one.heads, [...(one.marginals ?? [])], one.nats], [[0], [1, 0], 0]);
  const odd = await model.parse(['東京', '🙂', '\u0000', 'ﷺ']);
  assert.deepEqual(odd.seen, [false, false, false, false]);
  assert.ok(Number.isFinite(odd.nats));
  const long = await model.parse(
    Array.from({ length: 128 }, (_, i) => ['the', 'dog', 'runs', 'and'][i % 4]),
    { marginals: true },
  );
  assert.equal(long.heads.filter((head) => head === 0).length, 1);
  assert.ok(Number.isFinite(long.nats) && (long.marginals ?? [NaN]).every((p) => p >= 0 && p <= 1.0001));
});

test('inputs that cannot be parsed are refused', async () => {
  const text = 'The dog saw the cat';
  for (const [given, pinned, message] of /** @type {[any, any, RegExp][]} */ ([
    ['  ', {}, /text is empty: it has no words/],
    [[], {}, /no words/],
    [['a', ''], {}, /a string, or an array of non-empty words/],
    [text, { 6: 1 }, /no word 6, the sentence has words 1 to 5/],
    [text, { 1: 6 }, /6 is not a valid head of word 1.*1 to 5, or 0 for the root/],
    [text, { 1: 'dog' }, /"dog" is not a valid head of word 1/],
    [text, { 1: [2, 3] }, /word 1 \(The\) has several heads/],
    [text, { 1: 2, '01': 3 }, /word 1 \(The\) has several heads/],
    [text, [2, 3], /2 heads for 5 words/],
    [text, { 2: 2 }, /2 \(dog\) would be its own head/],
    [text, { 2: 0, 3: 0 }, /2 \(dog\) and 3 \(saw\) would both be attached to the root/],
    [text, { 1: 2, 2: 3, 3: 1 }, /would form a cycle/],
    [text, { 1: 3, 2: 5 }, /would cross/],
    [text, { 3: 0, 1: 5 }, /would cross/],
    [text, 7, /pinned maps the index of a word/],
  ]))
    await assert.rejects(model.parse(given, { pinned }), { code: 'argument', message });
  await assert.rejects(model.parse(Array(200).fill('a')), {
    code: 'limit',
    message: /200 words, but this model parses at most 128 at once: give it sentence by sentence/,
  });
  await assert.rejects((await model.parse(text)).score([0]), { code: 'argument', message: /a head for each of the 5 words/ });
  await assert.rejects(model.parse(text, { marginals: /** @type {any} */ ('yes') }), { code: 'argument' });
  await assert.rejects(model.parse(text, { signal: AbortSignal.abort() }), { name: 'AbortError' });
});

/**
 * Returns a fake canvas on which a letter is 0.5 em wide. The canvas records the words and the number of lines.
 *
 * @param {number} width
 * @param {number} height
 */
function fakeCanvas(width, height) {
  /** @type {{ text: string, x: number, y: number }[]} */
  let texts = [];
  let strokes = 0;
  const context = {
    font: '',
    globalAlpha: 1,
    setTransform() {},
    beginPath() {},
    moveTo() {},
    lineTo() {},
    bezierCurveTo() {},
    fill() {},
    clearRect() {
      texts = [];
      strokes = 0;
    },
    stroke() {
      strokes++;
    },
    measureText: (/** @type {string} */ text) => ({ width: 0.5 * text.length * parseFloat(context.font) }),
    fillText: (/** @type {string} */ text, /** @type {number} */ x, /** @type {number} */ y) => texts.push({ text, x, y }),
  };
  return { width, height, getContext: () => context, drawn: () => ({ texts, strokes }) };
}

test('drawTo() draws the words in a line if they fit, otherwise in a column, with at least one arc per word', async () => {
  const parse = await model.parse('The dog saw the cat.');
  for (const [width, inLine] of /** @type {[number, boolean][]} */ ([
    [600, true],
    [100, false],
  ])) {
    const canvas = fakeCanvas(width, 300);
    const text = await parse.drawTo(/** @type {any} */ (canvas));
    assert.match(text, /^The \(of dog \d+ %\) dog \(of saw \d+ %\) saw \(root \d+ %\)/);
    const { texts, strokes } = canvas.drawn();
    assert.deepEqual(
      texts.map((one) => one.text),
      parse.words,
    );
    assert.equal(new Set(texts.map(({ y }) => y)).size === 1, inLine);
    assert.ok(strokes >= parse.words.length);
  }
  const small = fakeCanvas(100, 40);
  await parse.drawTo(/** @type {any} */ (small));
  assert.equal(small.drawn().texts.at(-1)?.text, '…');
  const steps = [];
  for await (const step of parse) steps.push(step);
  assert.equal(steps.length, 1);
  assert.ok(steps[0].marginals);
});

test('treebanks are read in both file formats', () => {
  const lines = 'The\tDET\t2\tdet\ndog\tNOUN\t3\tnsubj\nbarks\tVERB\t0\troot\n\nYes\tINTJ\t0\troot\n';
  const conllu =
    '# text = The dog\n1\tThe\t_\tDET\t_\t_\t2\tdet\t_\t_\n2-3\tx\t_\t_\t_\t_\t_\t_\t_\t_\n2\tdog\t_\tNOUN\t_\t_\t3\tnsubj\t_\t_\n3\tbarks\t_\tVERB\t_\t_\t0\troot\t_\t_\n\n1\tYes\t_\tINTJ\t_\t_\t0\troot\t_\t_\n';
  const expected = [
    { words: ['The', 'dog', 'barks'], heads: [2, 3, 0] },
    { words: ['Yes'], heads: [0] },
  ];
  assert.deepEqual(readHeads(lines), expected);
  assert.deepEqual(readHeads(conllu), expected);
  assert.throws(() => readHeads('The\tDET\n'), /the index of its head/);
  for (const other of [
    `\ufeff${conllu}`,
    conllu.replace('# text', '#text'),
    conllu.replaceAll('\n', '\r\n'),
    conllu.replace('\n\n', '\n \t\n\n'),
    `\n\n${conllu}\n\n`,
    conllu.trimEnd(),
    `#\n${conllu}`,
  ])
    assert.deepEqual(readHeads(other), expected);
  assert.deepEqual(readHeads('1\tYes\t_\tINTJ\t_\t_\t_\t_\t_\t_\n'), [{ words: ['Yes'], heads: [-1] }]);
});
