// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Tests tagging: the division of a text into words must follow the treebank, and the features must equal those computed in training. Also
 * tests the results of model.tag().
 */

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, test } from 'node:test';

import { Features } from '../../web/lib/media/features.js';
import { cut } from '../../web/lib/media/words.js';
import { Core } from '../../web/lib/engine/core.js';
import { readTreebank } from '../../weights/eval/kinds/tag/tags.js';
import { GOLDEN, ROOT, load, wasmModule } from './helpers.js';

const NAMES = ['crf-en', 'memm-en', 'hmm-en'];
const models = await Promise.all(NAMES.map((name) => load(`${ROOT}weights/${name}.gguf`)));
const [crf, memm, hmm] = models;
after(() => models.forEach((model) => model.close()));

test('a text is divided into words as in the treebank', () => {
  for (const [text, words] of [
    ["I can't believe it's not butter!!", "I ca n't believe it 's not butter !!"],
    ['We’ll see: cannot, gonna, Wanna.', 'We ’ll see : can not , gon na , Wan na .'],
    ['Mr. Smith (of the U.S.) paid $1,000.50, i.e. 5%...', 'Mr. Smith ( of the U.S. ) paid $ 1,000.50 , i.e. 5 % ...'],
    ['On 9/11 at 10:30 p.m. he/she sent an e-mail to co-workers', 'On 9/11 at 10:30 p.m. he / she sent an e-mail to co-workers'],
    ['a search-engine, "quoted"', 'a search - engine , " quoted "'],
    ['See http://example.org/a?b=1. Or mail a.b@c-d.org!', 'See http://example.org/a?b=1 . Or mail a.b@c-d.org !'],
    ['J. Smith is here. I. too', 'J. Smith is here . I . too'],
    ['東京 naïve 🙂🙂\n\ttwo', '東京 naïve 🙂🙂 two'],
    [' \n ', ''],
  ])
    assert.deepEqual(cut(text), words.split(' ').filter(Boolean), text);
});

for (const name of ['crf-en', 'hmm-en']) {
  test(`features equal those computed in training: ${name}`, async () => {
    const core = new Core(wasmModule, await readFile(`${ROOT}weights/${name}.gguf`));
    const features = new Features(core.metadata);
    for (const { words, ids } of JSON.parse(await readFile(`${GOLDEN}${name}.features.json`, 'utf8'))) {
      assert.deepEqual([...features.ids(words)], ids.flat(), words.join(' '));
    }
    assert.ok(features.knows('the') && !features.knows('xqzzyish'));
  });
}

test('tags, marginals and nats are consistent', async () => {
  for (const model of models) {
    assert.deepEqual(model.info.verbs, ['tag']);
    const tagging = await model.tag('She put the book on the old table.', { marginals: true });
    const { words, tags, names, marginals, nats, best } = tagging;
    assert.deepEqual(words, ['She', 'put', 'the', 'book', 'on', 'the', 'old', 'table', '.']);
    assert.equal(tags.join(' '), 'PRON VERB DET NOUN ADP DET ADJ NOUN PUNCT');
    assert.equal(marginals?.length, words.length * names.length);
    for (let t = 0; t < words.length; t++) {
      const row = marginals?.subarray(t * names.length, (t + 1) * names.length) ?? [];
      assert.ok(Math.abs(row.reduce((sum, p) => sum + p, 0) - 1) < 1e-5);
      assert.equal(names[best.ids[t]], tags[t]);
    }
    assert.ok(nats > 0 && Math.abs((await tagging.score(tags)) - nats) < 1e-4);
    assert.ok((await tagging.score(tags.map(() => 'X'))) > 10);
    assert.equal(await tagging.score(tags.map(() => null)), 0);
    assert.equal(tagging.pinnedNats, 0);
    assert.equal((await model.tag('The dog', {})).marginals, undefined);
  }
  // each distribution of a MEMM sums to 1, so Z is 1
  assert.ok(Math.abs((await memm.tag('The dog sleeps.')).best.logZ) < 1e-4);
});

test('a pinned tag is kept, and the other tags adapt', async () => {
  const free = await crf.tag('Time flies like an arrow', { marginals: true });
  const pinned = await crf.tag('Time flies like an arrow', { marginals: true, pinned: { 1: 'NOUN' } });
  assert.equal(free.tags[1], 'VERB');
  assert.equal(pinned.tags[1], 'NOUN');
  const at = (/** @type {typeof free} */ tagging, /** @type {number} */ word, /** @type {string} */ tag) =>
    tagging.marginals?.[word * tagging.names.length + tagging.names.indexOf(tag)] ?? NaN;
  assert.equal(at(pinned, 1, 'NOUN'), 1);
  assert.ok(Math.abs(pinned.pinnedNats + Math.log(at(free, 1, 'NOUN'))) < 1e-4); // the cost of the pinned tags is -log p
  const moved = free.names.reduce((sum, name) => sum + Math.abs(at(pinned, 0, name) - at(free, 0, name)), 0);
  assert.ok(moved > 0.01, `the tag probabilities of the word before changed by ${moved}`);
});

test('an empty text, one word, unknown characters and very long texts can be tagged', async () => {
  for (const model of models) {
    const none = await model.tag('  ', { marginals: true });
    assert.deepEqual([none.words, none.tags, none.nats, none.marginals?.length], [[], [], 0, 0]);
    assert.equal(await none.score([]), 0);
    assert.equal((await model.tag('Hello')).tags.length, 1);
    const odd = await model.tag(['東京', '🙂', '\u0000', 'ﷺ']);
    assert.equal(odd.tags.length, 4);
    assert.deepEqual(odd.seen, [false, false, false, false]);
    assert.ok(Number.isFinite(odd.nats));
  }
  const long = await hmm.tag(
    Array.from({ length: 100000 }, (_, i) => ['the', 'dog', 'runs'][i % 3]),
    { marginals: true },
  );
  assert.equal(long.tags.length, 100000);
  assert.ok(Number.isFinite(long.nats) && (long.marginals ?? [NaN]).every((p) => p >= 0 && p <= 1));
  await assert.rejects(hmm.tag(Array(131073).fill('a')), { code: 'limit', message: /131073 words.*at most 131072/ });
});

/**
 * Returns a fake canvas on which a letter is 0.5 em wide. The canvas records the texts and shades drawn since it was last cleared.
 * @param {number} width
 * @param {number} height
 */
function fakeCanvas(width, height) {
  /** @type {{ text: string, x: number, y: number }[]} */
  let texts = [];
  /** @type {{ x: number, y: number, width: number, alpha: number }[]} */
  let shades = [];
  const context = {
    font: '',
    globalAlpha: 1,
    setTransform() {},
    clearRect() {
      texts = [];
      shades = [];
    },
    measureText: (/** @type {string} */ text) => ({ width: 0.5 * text.length * parseFloat(context.font) }),
    fillText: (/** @type {string} */ text, /** @type {number} */ x, /** @type {number} */ y) => texts.push({ text, x, y }),
    fillRect: (/** @type {number} */ x, /** @type {number} */ y, /** @type {number} */ width) =>
      shades.push({ x, y, width, alpha: context.globalAlpha }),
  };
  return { width, height, getContext: () => context, drawn: () => ({ texts, shades }) };
}

test('drawTo shows words, the best tags under them, and shades as dark as the marginals', async () => {
  let others = 0;
  for (const model of models) {
    const plain = await model.tag('Time flies like an arrow', { pinned: { 1: 'NOUN' } });
    const { words, tags, names, marginals, best } = await model.tag('Time flies like an arrow', { pinned: { 1: 'NOUN' }, marginals: true });
    assert.ok(marginals);
    const p = (/** @type {number} */ t) => marginals[t * names.length + best.ids[t]];
    const canvas = fakeCanvas(600, 100);
    const result = await plain.drawTo(/** @type {any} */ (canvas)); // computes the marginals that were not asked for
    assert.equal(result, words.map((word, t) => `${word} (${tags[t]} ${Math.round(100 * p(t))} %)`).join(' '));
    const { texts, shades } = canvas.drawn();
    const rows = [...new Set(texts.map(({ y }) => y))].sort((a, b) => a - b);
    assert.deepEqual(
      [0, 1].map((row) => texts.filter(({ y }) => y === rows[row]).map(({ text }) => text)),
      [words, tags],
    );
    const first = shades.filter(({ y }) => y === Math.min(...shades.map((shade) => shade.y)));
    // the shade of the pinned tag, whose probability is 1, is the reference
    first.forEach(({ alpha }, t) => assert.ok(Math.abs(alpha / first[1].alpha - p(t)) < 1e-6));
    for (const [i, { x, width }] of first.entries()) assert.ok(x >= 0 && x + width <= (first[i + 1]?.x ?? 600), 'words do not overlap');
    assert.ok(rows.length <= 4);
    others += shades.length - words.length;
  }
  assert.ok(others > 0, 'some words have other probable tags');
});

test('drawTo accepts a text without words, and a text with more words than fit', async () => {
  const none = fakeCanvas(100, 50);
  assert.equal(await (await crf.tag('')).drawTo(/** @type {any} */ (none)), '');
  assert.deepEqual(none.drawn().texts, []);
  const canvas = fakeCanvas(300, 90);
  const words = Array(2000).fill('word');
  const result = await (await hmm.tag(words)).drawTo(/** @type {any} */ (canvas));
  assert.equal(result.split(' %) ').length, 2000, 'the text alternative has every word');
  const texts = canvas.drawn().texts;
  assert.ok(
    texts.every(({ y }) => y < 90) && texts.some(({ text }) => text === '…') && texts.filter(({ text }) => text === 'word').length > 5,
  );
  await assert.rejects((await crf.tag('a b')).drawTo(/** @type {any} */ (null)), { code: 'argument', message: /canvas/ });
  await assert.rejects((await crf.tag('a b')).drawTo(/** @type {any} */ (canvas), { signal: AbortSignal.abort() }), { name: 'AbortError' });
});

test('invalid texts, tags and positions are refused, and a signal stops the call', async () => {
  for (const bad of [undefined, 3, ['a', ''], ['a', 1], {}]) await assert.rejects(crf.tag(/** @type {any} */ (bad)), { code: 'argument' });
  await assert.rejects(crf.tag('a b', { pinned: { 2: 'NOUN' } }), /no word 2/);
  await assert.rejects(crf.tag('a b', { pinned: { 0: 'noun' } }), /"noun" is not a tag.*NOUN/);
  await assert.rejects((await crf.tag('a b')).score(['NOUN']), /each of the 2 words/);
  await assert.rejects((await crf.tag('a')).score(['NOUN'], /** @type {any} */ (null)), {
    code: 'argument',
    message: /options must be an object/,
  });
  await assert.rejects((await crf.tag('a')).drawTo(/** @type {any} */ (fakeCanvas(9, 9)), /** @type {any} */ (null)), { code: 'argument' });
  await assert.rejects(crf.tag('a', { signal: AbortSignal.abort() }), { name: 'AbortError' });
  const stopper = new AbortController();
  const running = crf.tag(Array(100000).fill('a'), { signal: stopper.signal });
  setTimeout(() => stopper.abort(), 1);
  await assert.rejects(running, { name: 'AbortError' });
  assert.throws(() => crf.complete(/** @type {any} */ ({})), { code: 'argument', message: /no complete\(\): use tag\(\)$/ });
});

test('treebanks are read in both file formats', () => {
  const sentence = { words: ['do', "n't", '#'], tags: ['AUX', 'PART', 'SYM'] };
  assert.deepEqual(readTreebank("do\tAUX\nn't\tPART\n#\tSYM\n\n"), [sentence]);
  const columns = (/** @type {string} */ id, /** @type {string} */ word, /** @type {string} */ tag) =>
    [id, word, '_', tag, '_', '_', '0', '_', '_', '_'].join('\t');
  assert.deepEqual(
    readTreebank(
      [
        "# text = don't #",
        columns('1-2', "don't", '_'),
        columns('1', 'do', 'AUX'),
        columns('2', "n't", 'PART'),
        columns('2.1', 'x', 'X'),
        columns('3', '#', 'SYM'),
        '',
        '',
      ].join('\r\n'),
    ),
    [sentence],
  );
  assert.throws(() => readTreebank('alone'), /separated by a tab/);
  assert.deepEqual(readTreebank("\ufeff#sent_id=1\r\n#\r\ndo\tAUX\r\nn't\tPART\r\n#\tSYM\r\n \t\r\n\r\n\r\n"), [sentence]);
});
