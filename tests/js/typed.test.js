// SPDX-License-Identifier: MIT
// @ts-check

/** Texts for models in the forms in which people paste them: with invisible characters, curly quotes, fullwidth letters, and decomposed
 * Hangul as in macOS file names. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { sentenceOf } from '../../web/lib/base/typed.js';
import { isBlank } from '../../web/shell/page/blank.js';
import { KINDS } from '../../web/lib/kinds/list.js';
import { tokenizer } from '../../web/lib/index.js';
import { writeGGUF } from './gguf.js';
import { ROOT, load } from './helpers.js';
import { SIDE, toyCaption } from './toy-caption.js';
import { toyText } from './toy-text.js';
import { toyTranslation } from './toy-translation.js';

/** @import { Typed } from './gguf.js' */

const PLAIN = 'don\'t say "a well-known caf\u00e9" \uc0ac\ub78c';
/** @type {Record<string, string>} */
const PASTED = {
  'curly quotes': PLAIN.replace("'", '\u2019').replace('"', '\u201c').replace('"', '\u201d'),
  guillemets: PLAIN.replace('"', '\u00ab').replace('"', '\u00bb'),
  'letters in parts': PLAIN.normalize('NFD'),
  'wide letters': PLAIN.replace('say', '\uff53\uff41\uff59'),
  'another hyphen': PLAIN.replace('-', '\u2011'),
  'another space': ` ${PLAIN.replaceAll(' ', '\u00a0')}\n`,
  ...Object.fromEntries(
    ['\u00ad', '\u200b', '\u200d', '\u200e', '\u202b', '\u2060', '\ufeff', '\ufe0f', '\u0000', '\u007f'].map((sign) => [
      `invisible ${sign.charCodeAt(0).toString(16)}`,
      `${sign}${PLAIN.replace('say', `s${sign}ay`)}${sign}`,
    ]),
  ),
};

const image = { data: Uint8Array.from({ length: 4 * SIDE * SIDE }, (_, i) => (i * 37) % 256), width: SIDE, height: SIDE };
const said = [...new Set(PLAIN.split(' '))];

/**
 * For each kind, a function that computes something from a text, with the same result for all of `PASTED`; or the reason why it reads no
 * text.
 * @type {Record<string, Record<string, (text: string) => Promise<unknown>> | string>}
 */
const READ = {
  caption: await (async () => {
    const words = ['', ...said, ...Array.from({ length: 11 - said.length }, (_, i) => `w${i}`)];
    const model = await load(toyCaption({ words }));
    test.after(() => model.close());
    return {
      forced: (text) => model.caption(image, { forced: text }).text(),
      score: async (text) => (await model.score(image, { text })).nats,
    };
  })(),
  head: await (async () => {
    const model = await load(`${ROOT}weights/parents-en.gguf`);
    test.after(() => model.close());
    return {
      text: async (text) => (await model.parse(text)).heads,
      words: async (text) => (await model.parse(text.split(/[ \n\u00a0]+/).filter(Boolean))).heads,
    };
  })(),
  tag: await (async () => {
    const model = await load(`${ROOT}weights/crf-en.gguf`);
    test.after(() => model.close());
    const all = async (/** @type {string | string[]} */ given) => {
      const { tags, seen, nats } = await model.tag(given);
      return { tags, seen, nats };
    };
    return { text: all, words: (text) => all(text.split(/[ \n\u00a0]+/).filter(Boolean)) };
  })(),
  text: await (async () => {
    const model = await load(toyTranslation({ context: 200 }));
    test.after(() => model.close());
    return {
      translate: (text) => model.translate(text).text(),
      source: async (text) => (await model.score('a b', { source: text })).nats,
      target: async (text) => (await model.score(text, { source: 'a b' })).nats,
    };
  })(),
  code: 'only labels and speakers, by their names in the file',
  latent: 'labels',
  note: 'only names of voices in the file',
  picture: 'labels',
  sign: 'no text',
  sound: 'labels and speakers',
};

test('every kind is in the sweep', () => {
  // flow.test.js registers the kind triad, and may run in the same process.
  const own = KINDS.map(({ name }) => name).filter((name) => name !== 'triad');
  assert.deepEqual(Object.keys(READ).sort(), own.sort());
});

for (const [kind, inputs] of Object.entries(READ)) {
  if (typeof inputs === 'string') continue;
  for (const [name, read] of Object.entries(inputs)) {
    test(`${kind}, ${name}: pasted text gives the same result as plain text`, async () => {
      const plain = await read(PLAIN);
      for (const [how, text] of Object.entries(PASTED)) {
        assert.notEqual(text, PLAIN);
        assert.deepEqual(await read(text), plain, how);
      }
    });
  }
}

test('a language model reads every character of a prompt; a vocabulary that composes characters does so in stop and logitBias, too', async () => {
  const model = await load(toyText());
  for (const text of Object.values(PASTED))
    assert.equal(model.tokenizer.decode(model.tokenizer.encode(text)).trimStart(), text.trimStart());
  const [one] = await Promise.all(['\u200bab'].map((text) => model.generate('a', { oneOf: [text], seed: 1 }).text()));
  assert.equal(one, '\u200bab', 'a choice is drawn as the caller wrote it');
  model.close();
  let hidden = 0;
  const letters = Array.from({ length: 256 }, (_, byte) =>
    (byte > 0x20 && byte < 0x7f) || (byte > 0xa0 && byte !== 0xad) ? String.fromCharCode(byte) : String.fromCharCode(256 + hidden++),
  );
  const composed = '\ud55c'; // the syllable has three bytes, which two merges join
  const [a, b, c] = Array.from(new TextEncoder().encode(composed), (byte) => letters[byte]);
  const tokens = [...letters, a + b, a + b + c];
  /** @param {string} pre */
  const own = (pre) => {
    /** @type {Record<string, Typed>} */
    const metadata = {
      'general.architecture': ['string', 'llama'],
      'tokenizer.ggml.model': ['string', 'gpt2'],
      'tokenizer.ggml.pre': ['string', pre],
      'tokenizer.ggml.tokens': ['array', 'string', tokens],
      'tokenizer.ggml.merges': ['array', 'string', [`${a} ${b}`, `${a + b} ${c}`]],
      'tokenizer.ggml.token_type': ['array', 'i32', tokens.map(() => 1)],
    };
    return tokenizer(writeGGUF({ metadata, tensors: {} }));
  };
  const [qwen, other] = await Promise.all(['qwen2', 'gpt-2'].map(own));
  const parts = composed.normalize('NFD');
  assert.deepEqual([qwen.find(parts), qwen.marked(parts)], [257, composed]);
  assert.deepEqual([other.find(parts), other.marked(parts)], [undefined, parts]);
});

test('the pages treat a text as blank if a model would read nothing of it', () => {
  for (const text of [
    '',
    ' ',
    '\u200b',
    '\ufeff \u2060',
    '\u200d\ufe0f',
    '\u0085\0',
    '\u3164',
    'a',
    '\u200b.',
    '\u2764\ufe0f',
    '\u{1f468}\u200d\u{1f469}',
  ])
    assert.equal(isBlank(text), sentenceOf(text) === '', JSON.stringify(text));
});

test('pasted sentences are divided like plain ones', () => {
  const plain = 'Ein "Hund" l\u00e4uft zum Fu\u00dfball, \'ne Affenhitze.';
  for (const pasted of [
    'Ein \u201eHund\u201c l\u00e4uft zum Fu\u00dfball, \u2019ne Affenhitze.'.replace('\u201e', '\u201c'),
    'Ein "Hund" la\u0308uft zum Fu\u00dfball, \'ne Affen\u00adhitze.',
    '\ufeffEin \u00abHund\u00bb l\u00e4uft\u200b zum Fu\u00df\u200dball, \u2018ne Affenhitze.',
    '\u200eEin "Hund" l\u00e4uft zum\u00a0 Fu\u00dfball,\n \'ne Affenhitze.\u2060',
  ])
    assert.equal(sentenceOf(pasted), plain, JSON.stringify(pasted));
  assert.equal(sentenceOf('\ufb01nden, \ufb02iegen, gri\ufb00ig'), 'finden, fliegen, griffig');
  assert.equal(sentenceOf('\u201eNein\u201c'), '"Nein"');
});
