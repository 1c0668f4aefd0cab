// SPDX-License-Identifier: MIT
// @ts-check

/** Tests text models whose files have invalid or extreme numbers and strings, and methods that get lists of tokens with invalid items. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { atOnce } from '../../web/lib/base/turns.js';
import { readingEntries } from '../../web/lib/gguf/header.js';
import { Tokenizer } from '../../web/lib/kinds/text/tokenizer.js';
import { Specials } from '../../web/lib/kinds/text/tokenizer/special.js';
import { tokenizer } from '../../web/lib/index.js';
import { lookupOf, metadataOf } from '../../web/lib/gguf/metadata.js';
import { Context } from '../../web/lib/kinds/text/context.js';
import { writeGGUF } from './gguf.js';
import { cost, isError, load } from './helpers.js';
import { TOKENS, toyText } from './toy-text.js';
import { toyTranslation } from './toy-translation.js';

/** @import { AnyModel as Model } from '../../web/lib/model/of-kind.js' */

/** @type {Model} */
let toy;
before(async () => void (toy = await load(toyText())));
after(() => toy.close());

/** Options that prevent an early end, so that a run has exactly the requested length. */
const ENDLESS = { logitBias: { 1: -Infinity, 2: -Infinity }, seed: 1 };

/** Returns a vocabulary with one more token, of the given type. @param {string} text  @param {number} type */
const withToken = (text, type) => {
  const tokens = [...TOKENS, text];
  const kinds = tokens.map((_, i) => (i === 0 ? 2 : i < 3 ? 3 : i < 259 ? 6 : i === tokens.length - 1 ? type : 1));
  return toyText({
    values: tokens.length,
    metadata: {
      'tokenizer.ggml.tokens': ['array', 'string', tokens],
      'tokenizer.ggml.scores': ['array', 'f32', tokens.map((_, i) => -i)],
      'tokenizer.ggml.token_type': ['array', 'i32', kinds],
    },
  });
};

test('the window of a text moves forward; if the context is too short for this, there is an error', () => {
  // Computes the expected result in the simplest way, by removing one piece again and again.
  const slow = (/** @type {number} */ count, /** @type {number} */ head, /** @type {number} */ positions) => {
    let from = 0;
    for (let seen = count; seen >= positions; seen = count - from + head) from = count - seen + positions - Math.floor(positions / 2);
    return from;
  };
  for (let positions = 3; positions < 20; positions++) {
    for (const head of [0, 1]) {
      for (let count = 0; count < 120; count++) {
        const from = new Context(positions, head).start(count);
        assert.equal(from, slow(count, head, positions));
        assert.ok(count - from + (from > 0 ? head : 0) < positions, 'another token fits');
      }
    }
  }
  for (const positions of [1, 2]) {
    assert.equal(new Context(positions, 1).start(positions - 1), 0);
    assert.throws(() => new Context(positions, 1).start(positions), isError('argument', /too few to drop the oldest/));
    assert.ok(new Context(positions, 0).start(99) > 90);
  }
});

test('with a context of 1, 2, 3 or 4, a text runs if it fits, or gives an error', async () => {
  for (const context of [1, 2, 3, 4]) {
    const model = await load(toyText({ context }));
    if (context === 1) {
      assert.throws(() => model.generate('', ENDLESS), isError('argument', /sees 1/));
    } else {
      const run = model.generate('', { ...ENDLESS, seed: 3 });
      await run.text();
      assert.equal(run.ids.length, context);
    }
    if (context < 3) {
      assert.throws(() => model.generate([], { ...ENDLESS, maxTokens: 5 }), isError('argument'));
      await assert.rejects(model.score('abcabc'), isError('argument', /too few/));
    } else {
      const run = model.generate('', { ...ENDLESS, maxTokens: 50 });
      await run.text();
      assert.equal(run.ids.length, 51);
      const { perToken } = await model.score('abcabc'.repeat(9));
      assert.ok(perToken.every((nats) => nats > 0 && nats < 50));
    }
    const alone = [5, 6, 7, 8]; // tokens without a begin token
    if (context > 1) assert.equal((await model.score(alone)).perToken.length, 3);
    model.close();
  }
});

test('special tokens: the longest match is found first; the cost depends on the text, not on the file', () => {
  /**
   * Computes the expected result in the simplest way, by searching for each token in the remaining text.
   *
   * @param {string[]} tokens
   * @param {string} text
   */
  const slow = (tokens, text) => {
    const order = tokens.map((_, id) => id).filter((id) => tokens[id] !== '' && tokens.lastIndexOf(tokens[id]) === id);
    order.sort((a, b) => tokens[b].length - tokens[a].length || a - b);
    /** @type {(string | number)[]} */
    let parts = [text];
    for (const id of order) {
      parts = parts.flatMap((part) =>
        typeof part === 'number'
          ? part
          : part
              .split(tokens[id])
              .flatMap((between, i) => (i > 0 ? [id, between] : [between]))
              .filter((piece) => piece !== ''),
      );
    }
    return parts.filter((part) => part !== '');
  };
  const random = (
    (seed) => (/** @type {number} */ n) =>
      ((seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0) % 65521) % n
  )(1);
  const word = (/** @type {number} */ length) => Array.from({ length }, () => 'abc'[random(2 + random(2))]).join('');
  for (let round = 0; round < 3000; round++) {
    const tokens = Array.from({ length: 1 + random(8) }, () => word(random(6)));
    const specials = atOnce(Specials.reading({ tokens, types: new Uint8Array(tokens.length).fill(3) }));
    const text = word(random(30));
    assert.deepEqual(specials.divide(text, true), slow(tokens, text), `${tokens} in ${text}`);
    assert.deepEqual(specials.divide(text, false), text === '' ? [] : [text], 'control tokens are not recognised');
  }
  const letters = 'a'.repeat(40_000);
  const hostile = [
    Array.from({ length: 250 }, (_, i) => 'a'.repeat(i + 1)),
    [`${'a'.repeat(250)}b`],
    Array.from({ length: 20_000 }, (_, i) => 'a'.repeat(240) + i),
    Array.from({ length: 9_000 }, (_, i) => String.fromCharCode(97 + (i % 5)) + i),
  ];
  for (const tokens of hostile) {
    const time = cost(() => atOnce(Specials.reading({ tokens, types: new Uint8Array(tokens.length).fill(3) })).divide(letters, true));
    assert.ok(time < 4000, `${tokens.length} tokens: ${time} ms`);
  }
});

test('tokens beyond the limits are refused, in tokenizer() and in load()', async () => {
  for (const [text, type, message] of /** @type {[string, number, RegExp][]} */ ([
    ['x'.repeat(300), 3, /is matched as a whole and has more than 256 characters/],
    ['<|'.repeat(200_000), 4, /more than 65536 characters/],
    ['y'.repeat(70_000), 1, /more than 65536 characters/],
  ])) {
    const file = withToken(text, type);
    await assert.rejects(tokenizer(file.slice()), isError('limit', message));
    await assert.rejects(load(file), isError('limit', message));
  }
  const file = withToken('<|'.repeat(100), 3);
  const own = await tokenizer(file);
  assert.equal(own.encode(`ab${'<|'.repeat(100)}`, { special: true }).at(-1), TOKENS.length);
});

test('unused metadata cost no time, and long unused metadata cost almost none', async () => {
  const long = 'm'.repeat(900_000);
  const file = toyText({
    metadata: {
      'tokenizer.chat_template': ['string', long],
      'general.description': ['string', `${long}${long}`],
      'general.author': ['string', 'somebody'],
      'general.notes': ['string', long],
      'nextpixel.card.numbers': ['array', 'i32', Array(1000).fill(1)],
    },
  });
  const model = await load(file);
  assert.equal(model.info.card.author, 'somebody');
  assert.equal(model.info.card.notes, long);
  assert.equal(model.info.card.description, undefined, 'more than 1 MB');
  model.close();
  const text = (/** @type {string} */ key, /** @type {number} */ bytes) => {
    const value = new Uint8Array(8 + bytes).fill(109);
    new DataView(value.buffer).setBigUint64(0, BigInt(bytes), true);
    return { key, type: 8, itemType: 8, count: 1, value };
  };
  const read = lookupOf([text('a', 1e8), text('b', 5e5), text('c', 3)]);
  const time = cost(() => assert.equal(String(read.get('b')).length, 5e5));
  assert.ok(time < 100, `${time} ms`);
  assert.equal(read.get('c'), 'mmm');
  assert.ok(read.has('a'));
  assert.throws(() => read.get('a'), isError('limit', /a is too long/));
  const all = metadataOf([...Array(40).keys()].map((i) => text(String(i), 1e6)));
  assert.equal(all.size, 16, 'only entries that fit into 16 MB are kept');
  const numbers = [...Array(5).keys()].map((i) => ({ key: `${i}`, type: 9, itemType: 0, count: 2 ** 19, value: new Uint8Array(2 ** 19) }));
  assert.equal(metadataOf(numbers).size, 4, 'numbers count as 8 bytes');
});

/** @param {Generator<unknown, unknown, void>} work @returns {number} how often the generator yields */
function yieldsOf(work) {
  for (let count = 0; ; count++) if (work.next().done) return count;
}

test('the longest file headers are read in chunks', () => {
  const texts = (/** @type {number} */ count, /** @type {number} */ bytes) => {
    const value = new Uint8Array(count * (8 + bytes)).fill(109);
    const view = new DataView(value.buffer);
    for (let i = 0; i < count; i++) view.setBigUint64(i * (8 + bytes), BigInt(bytes), true);
    return { key: 'texts', type: 9, itemType: 8, count, value };
  };
  // many lists, each shorter than one chunk of work
  const empty = Array(2 ** 14).fill('');
  const keys = Object.fromEntries([...Array(40).keys()].map((i) => [`key${i}`, ['array', 'string', empty]]));
  const file = writeGGUF({ metadata: keys, tensors: {} });
  assert.ok(yieldsOf(readingEntries(file, true)) >= 20);
  // few texts, each of them long
  const long = lookupOf([texts(100, 60_000)]);
  assert.ok(yieldsOf(/** @type {NonNullable<typeof long.reading>} */ (long.reading)('texts')) >= 5);
  const list = /** @type {string[]} */ (long.get('texts'));
  assert.ok(list.length === 100 && list.every((text) => text === 'm'.repeat(60_000)));
  assert.throws(() => lookupOf([texts(2, 2 ** 20 + 1)]).get('texts'), isError('limit', /texts is too long/));
  const tokens = ['a', 'b', ...Array.from({ length: 300 }, (_, i) => `${i}`.padEnd(6000, 'x'))];
  const vocabulary = (/** @type {string} */ model) =>
    Tokenizer.reading(
      new Map(
        /** @type {[string, any][]} */ ([
          ['tokenizer.ggml.model', model],
          ['tokenizer.ggml.tokens', tokens],
          ['tokenizer.ggml.merges', []],
          ['tokenizer.ggml.scores', tokens.map(() => 0)],
        ]),
      ),
      'llama',
    );
  assert.ok(yieldsOf(vocabulary('gpt2')) >= 6);
  assert.throws(() => yieldsOf(vocabulary('llama')), isError('limit', /the texts of the tokens are too long/));
  // many special tokens, which are read in chunks
  const count = 50_000;
  const names = Array.from({ length: count }, (_, i) => `t${(i * 7919) % count}`);
  const specials = { tokens: names, types: new Uint8Array(count).fill(4) };
  assert.ok(yieldsOf(Specials.reading(specials)) >= 100);
  assert.deepEqual(atOnce(Specials.reading(specials)).divide('-t1-t31t', false), [
    '-',
    names.indexOf('t1'),
    '-',
    names.indexOf('t31'),
    't',
  ]);
});

test('lists with an item that is not a token are refused', async () => {
  const holes = [1, 5];
  holes.length = 4;
  const lists = [[1, undefined, 5], holes, [NaN], [1, null], ['5'], [1.5], [-1], [TOKENS.length], [[5]], [5n]];
  for (const list of /** @type {any[]} */ (lists)) {
    assert.throws(() => toy.generate(list), isError('argument', /is not a token: ids are 0 to/));
    // A list that does not begin with a number would be read as a list of inputs.
    if (typeof list[0] === 'number') await assert.rejects(toy.score(list), isError('argument', /is not a token/));
    const saved = toy.generate([1, 5], { maxTokens: 0 }).save();
    assert.throws(() => toy.resume({ ...saved, ids: list, prompt: 1 }), isError('argument', /is not a token/));
    assert.throws(() => toy.tokenizer.decode(list), isError('argument', /is not a token/));
  }
  for (const stop of /** @type {any[]} */ ([new Array(3), ['a', undefined], [null], {}, 5])) {
    assert.throws(() => toy.generate('', { stop }), isError('argument', /stop must be a string/));
  }
  const translator = await load(toyTranslation());
  for (const list of /** @type {any[]} */ (lists.filter((list) => !String(list).includes(String(TOKENS.length))))) {
    assert.throws(() => translator.translate(list), isError('argument', /is not a token/));
  }
  translator.close();
});

test('the caller may change inputs after the call', async () => {
  const stop = ['zzz'];
  const options = { ...ENDLESS, maxTokens: 20, stop };
  const run = toy.generate('ab', options);
  stop[0] = 'a';
  stop.push('b');
  await run.text();
  assert.equal(run.finish, 'length');
});
