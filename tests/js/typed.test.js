// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Tests models with pasted text as their input. Pasted text may contain invisible characters, curly quotes, fullwidth letters, and
 * decomposed Hangul as in macOS file names.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { sentenceOf } from '../../web/lib/base/typed.js';
import { isBlank } from '../../web/shell/page/blank.js';
import { tokenizer } from '../../web/lib/index.js';
import { writeGGUF } from './gguf.js';
import { rowsOf } from '../kinds/js.js';
import { load } from './helpers.js';
import { toyText } from './toy-text.js';

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

const said = [...new Set(PLAIN.split(' '))];

test('this file tests every kind, or gives a reason why not', () => {
  for (const [kind, row] of Object.entries(rowsOf('typed')))
    assert.ok(typeof row === 'string' ? row : Object.keys(row.read).length > 0, `${kind}: what reads the text, or why nothing does`);
});

for (const [kind, row] of Object.entries(rowsOf('typed'))) {
  if (typeof row === 'string') continue;
  const model = await load(typeof row.file === 'string' ? row.file : row.file(said));
  test.after(() => model.close());
  for (const [name, read] of Object.entries(row.read)) {
    test(`${kind}, ${name}: pasted text gives the same result as plain text`, async () => {
      const plain = await read(model, PLAIN);
      for (const [how, text] of Object.entries(PASTED)) {
        assert.notEqual(text, PLAIN);
        assert.deepEqual(await read(model, text), plain, how);
      }
    });
  }
}

test('a language model reads every character of a prompt; a vocabulary that composes characters also composes those of stop and logitBias', async () => {
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
  const composed = '\ud55c'; // this syllable has three bytes, which two merges join
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
