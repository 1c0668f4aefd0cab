// SPDX-License-Identifier: MIT
// @ts-check

/** Fuzzes a vocabulary and a text. An invalid vocabulary must be rejected. Decoding the tokens of a text must return the text, whether all
 * tokens are decoded at once or one by one. */

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';

import { atOnce } from '../../../web/lib/base/turns.js';
import { Tokenizer } from '../../../web/lib/kinds/text/tokenizer.js';
import { GOLDEN } from '../../js/helpers.js';
import { readGGUF } from '../../js/gguf.js';
import { toyText } from '../../js/toy-text.js';
import { Input, damaged, refusedOr } from '../input.js';

/** @typedef {Record<string, any>} Keys */

/** @param {Uint8Array<ArrayBuffer>} file @returns {Keys} */
const keysOf = (file) =>
  Object.fromEntries(Object.entries(readGGUF(file).metadata).filter(([key]) => /^(tokenizer\.|general\.architecture)/.test(key)));
/** @param {Keys} keys */
const tokenizerOf = (keys) => atOnce(Tokenizer.reading(new Map(Object.entries(keys))));

/** The characters that represent bytes in the files of GPT-2. @type {Keys} */
const PAIRS = {
  'general.architecture': 'gpt2',
  'tokenizer.ggml.model': 'gpt2',
  'tokenizer.ggml.pre': 'qwen2',
  'tokenizer.ggml.eos_token_id': 97,
  'tokenizer.ggml.tokens': [...Array.from({ length: 94 }, (_, i) => String.fromCharCode(33 + i)), 'ab', '\u0120a', 'abc', '<|end|>'],
  'tokenizer.ggml.token_type': [...new Array(97).fill(1), 3],
  'tokenizer.ggml.merges': ['a b', '\u0120 a', 'ab c'],
};

/** @returns {Promise<import('../fuzz.js').Target>} */
export async function open() {
  const vocabularies = [keysOf(toyText()), PAIRS];
  const FALCON = 1; // some bytes have no token
  const whole = [
    ...(await Promise.all(
      ['gpt-2', 'falcon'].map(async (name) => keysOf(new Uint8Array(gunzipSync(await readFile(`${GOLDEN}tokenizers/${name}.gguf.gz`))))),
    )),
    keysOf(new Uint8Array(await readFile(`${GOLDEN}stories260K.gguf`))),
    vocabularies[0],
  ].map(tokenizerOf);
  const utf8 = (/** @type {string} */ text) => new TextEncoder().encode(text);
  return {
    seeds: [
      '\0Once upon a time',
      "\u0001It's 1,234.5 \u00e9\u4e2d\u6587 \ud83d\udc4d\ud83c\udffd\u200d x",
      '\u0002  \n\n\t',
      '\u0003<s>a b</s><user>',
      '\u0004ab<0x41>',
      '\u0005\u0003\u0002\u0001 abc',
    ].map(utf8),
    words: [
      '<s>',
      '</s>',
      '<|endoftext|>',
      '<0x0A>',
      '\u2581',
      ' ',
      '\n',
      '\u0120',
      '\ud83d\udc69\u200d',
      '\ufeff',
      'e\u0301',
      "'ll",
      '12',
    ],
    run(bytes) {
      const input = new Input(bytes);
      const which = input.below(whole.length + vocabularies.length);
      let own = whole[which];
      if (!own) {
        const keys = damaged(vocabularies[which - whole.length], input);
        const made = keys && typeof keys === 'object' ? refusedOr(() => tokenizerOf(keys), ['format', 'unsupported', 'limit']) : undefined;
        if (!made) return;
        own = made;
      }
      const text = input.text();
      const ids = refusedOr(() => own.encode(text), ['format', 'unsupported', 'argument']);
      if (!ids) return assert.notEqual(own, whole[which], 'a complete vocabulary encodes any text');
      assert.ok(ids.every((id) => id < own.size));
      const writer = own.writer();
      assert.equal(own.decode(ids), ids.reduce((parts, id) => parts + writer.write(id), '') + writer.end());
      if (whole[which] && which !== FALCON) assert.equal(own.decode(ids), text.replace(/\p{Surrogate}/gu, '\ufffd'));
      const special = own.encode(text, { special: true });
      assert.ok(special.every((id) => id < own.size));
      own.decode(special, { special: true });
      own.marked(text);
      if (ids.length > 0) own.find(own.name(ids[0]));
    },
  };
}
