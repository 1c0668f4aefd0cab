// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Tests generate() on text models: the text of a public model, streams, stop strings, saved runs, texts longer than the context, and errors
 * on misuse.
 */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { GOLDEN, isError, load, sleep } from './helpers.js';
import { TOKENS, toyText } from './toy-text.js';
import { toyModel } from './toy.js';

/** @import { TextStep } from '../../web/lib/index.js' */
/** @import { AnyModel as Model } from '../../web/lib/model/of-kind.js' */

/** @type {Model} */
let stories;
/** @type {Model} */
let toy;

before(async () => {
  stories = await load(`${GOLDEN}stories260K.gguf`);
  toy = await load(toyText());
});
after(() => {
  stories.close();
  toy.close();
});

/** @param {AsyncIterable<TextStep>} run */
async function all(run) {
  const steps = [];
  for await (const step of run) steps.push(step);
  return steps;
}

/** @param {TextStep[]} steps */
const ids = (steps) => steps.map(({ token }) => token);
/** @param {TextStep[]} steps */
const texts = (steps) => steps.map(({ text }) => text).join('');

/** Options that prevent the end token, so that a run has exactly the requested length. */
const ENDLESS = { logitBias: { 1: -Infinity, 2: -Infinity } };

test('greedy decoding of stories260K gives its well-known story', async () => {
  assert.deepEqual(stories.info.verbs, ['generate', 'attention', 'score']);
  assert.equal(stories.info.vocabulary, 512);
  const run = stories.generate('', { temperature: 0, maxTokens: 60 });
  assert.equal(run.finish, undefined);
  const steps = await all(run);
  const tale = 'Once upon a time, there was a little girl named Lily. She loved to play outside in the park.';
  assert.equal(texts(steps).slice(0, tale.length), tale);
  assert.equal(run.finish, 'length');
  assert.equal(steps.length, 60);
  assert.deepEqual([...run.ids], [1, ...ids(steps)]);
  assert.equal(run.promptLength, 1);
  assert.ok(steps.every(({ nats }) => nats >= 0 && nats < 5));
});

test('the tokens do not depend on which other results are requested', async () => {
  const options = { seed: 5, temperature: 0.9, minP: 0.02, repetitionPenalty: 1.1, maxTokens: 60 };
  const plain = await all(stories.generate('One day', options));
  const alternatives = await all(stories.generate('One day', { ...options, alternatives: 5 }));
  const maps = await all(stories.generate('One day', { ...options, maps: true, alternatives: 1 }));
  assert.deepEqual(ids(alternatives), ids(plain));
  assert.deepEqual(ids(maps), ids(plain));
  assert.deepEqual(
    alternatives.map(({ nats }) => nats),
    plain.map(({ nats }) => nats),
  );
  for (const { token, nats, alternatives: best = [] } of alternatives) {
    assert.equal(best.length, 5);
    assert.ok(best.every((one, i) => i === 0 || one.nats >= best[i - 1].nats));
    const same = best.find((one) => one.token === token);
    if (same) assert.ok(Math.abs(same.nats - nats) < 1e-5);
    else assert.ok(nats >= best[4].nats - 1e-5);
  }
  const prompt = stories.generate('One day').promptLength;
  maps.forEach(({ maps: rows = [] }, i) => {
    assert.equal(rows.length, 40);
    for (const { queries, keys, weights } of rows) {
      assert.deepEqual([...queries], [prompt + i]);
      assert.deepEqual(
        [...keys],
        Array.from({ length: prompt + i }, (_, j) => j),
        'each token attends to all tokens before it',
      );
      assert.ok(Math.abs(weights.reduce((sum, weight) => sum + weight, 0) - 1) < 1e-4);
    }
  });
});

test('a saved run continues with the same tokens, and can branch', async () => {
  const options = { seed: 11n, temperature: 0.8, topK: 40, presencePenalty: 0.5 };
  const whole = await all(stories.generate('Tom and', { ...options, maxTokens: 40 }));
  const begun = stories.generate('Tom and', { ...options, maxTokens: 15 });
  await all(begun);
  const saved = JSON.parse(JSON.stringify(begun.save()));
  const rest = stories.resume(saved, { maxTokens: 25 });
  assert.equal(rest.seed, 11n);
  assert.equal(rest.before, `Tom and${texts(whole.slice(0, 15))}`);
  assert.deepEqual(ids(await all(rest)), ids(whole.slice(15)));
  // A run that is saved while it is read contains only the steps that the reader has received.
  const middle = stories.generate('Tom and', { ...options, maxTokens: 40 });
  let told = 0;
  for await (const step of middle) {
    assert.equal(step.token, whole[told].token);
    if (++told === 7) break;
  }
  assert.equal(middle.finish, 'abort');
  assert.deepEqual(middle.save().ids.slice(middle.promptLength), ids(whole.slice(0, 7)));
  assert.deepEqual(ids(await all(stories.resume(middle.save(), { maxTokens: 33 }))), ids(whole.slice(7)));
  const branch = stories.resume(saved, { at: 3, seed: 12, maxTokens: 20 });
  const other = await all(branch);
  assert.notDeepEqual(ids(other), ids(whole.slice(3, 23)));
  assert.deepEqual([...branch.ids.slice(branch.promptLength, branch.promptLength + 3)], ids(whole.slice(0, 3)));
  assert.throws(() => toy.resume(saved), isError('state', /belongs to another model \("llama/));
  assert.throws(() => stories.resume(/** @type {any} */ ({})), isError('state', /not a saved run/));
  assert.throws(() => stories.resume(saved, { at: 99 }), isError('argument', /at must be a whole number from 0 to 15/));
  assert.throws(() => stories.resume({ ...saved, ids: [1, 9999], prompt: 1 }), isError('argument', /9999 is not a token/));
});

test('a stop string ends the text before the string appears, even in the middle of tokens', async () => {
  const whole = texts(await all(stories.generate('', { temperature: 0, maxTokens: 120 })));
  for (const stop of ['girl named', 'ttle g', ['zzz', '.'], 'She loved to play outside', '\n']) {
    const run = stories.generate('', { temperature: 0, maxTokens: 120, stop });
    const steps = await all(run);
    const [at] = [stop]
      .flat()
      .map((text) => whole.indexOf(text))
      .filter((place) => place >= 0)
      .sort((a, b) => a - b);
    assert.equal(texts(steps), whole.slice(0, at), JSON.stringify(stop));
    assert.equal(run.finish, 'stop');
    assert.equal(stories.tokenizer.decode(run.ids).startsWith(whole.slice(0, at)), true);
    assert.equal(run.ids.length, steps.length + 1, 'tokens of the stop are not part of the run');
  }
  // Text at the end that looks like the beginning of a stop string, but does not become one, is emitted.
  const almost = stories.generate('', {
    temperature: 0,
    maxTokens: 12,
    stop: `${texts(await all(stories.generate('', { temperature: 0, maxTokens: 12 }))).slice(-3)}§`,
  });
  assert.equal(texts(await all(almost)), whole.slice(0, texts(await all(stories.generate('', { temperature: 0, maxTokens: 12 }))).length));
  assert.equal(almost.finish, 'length');
});

test('the end token ends the text and is not part of it', async () => {
  const run = toy.generate('ab', { logitBias: { '</s>': 1000 } });
  assert.deepEqual(await all(run), []);
  assert.equal(run.finish, 'end');
  const none = toy.generate('ab', { maxTokens: 0 });
  assert.deepEqual(await all(none), []);
  assert.equal(none.finish, 'length');
});

test('streamed text never splits a character, and an incomplete character at the end is reported', async () => {
  // An untrained model is unlikely to write the bytes of 日 in order, so biases force these bytes.
  const bytes = [...new TextEncoder().encode('日')].map((byte) => TOKENS.indexOf(`<0x${byte.toString(16).toUpperCase()}>`));
  /** @param {number} token */
  const only = (token) => ({ logitBias: { [token]: 1e9 }, maxTokens: 1 });
  const first = toy.generate('', only(bytes[0]));
  assert.equal(texts(await all(first)), '\ufffd');
  const second = toy.resume(first.save(), only(bytes[1]));
  assert.equal(texts(await all(second)), '\ufffd');
  const third = toy.resume(second.save(), only(bytes[2]));
  assert.equal(texts(await all(third)), '日', 'the token that completes the character has its text');
  assert.equal(toy.tokenizer.decode(third.ids), '日');
  const random = await all(toy.generate('', { ...ENDLESS, seed: 2, maxTokens: 60 }));
  const joined = toy.tokenizer.decode([1, ...ids(random)]);
  assert.equal(texts(random), joined);
});

test('when a text exceeds the context, its older half is dropped, and saved runs reproduce this', async () => {
  const options = { ...ENDLESS, seed: 4 };
  const run = toy.generate('ab', options);
  assert.equal((await all(run)).length, 64 - run.promptLength, 'by default as many tokens as fit');
  assert.equal(run.finish, 'length');
  const long = toy.generate('ab', { ...options, maxTokens: 300 });
  const steps = await all(long);
  assert.equal(steps.length, 300);
  assert.equal(long.finish, 'length');
  assert.deepEqual(ids(steps.slice(0, 60)), [...run.ids].slice(run.promptLength, run.promptLength + 60));
  for (const at of [0, 61, 62, 63, 100, 155, 299]) {
    assert.deepEqual(ids(await all(toy.resume(long.save(), { at, maxTokens: 300 - at }))), ids(steps.slice(at)), `from ${at}`);
  }
  // When the context is full, the model continues with only the begin token and the newer half of the text. The next token must therefore
  // have the same nats as after these tokens alone.
  const full = 64;
  const kept = [1, ...long.ids.slice(full - 32, full)];
  const { perToken } = await toy.score([...kept, long.ids[full]]);
  const { nats } = steps[full - long.promptLength];
  assert.ok(Math.abs(perToken[perToken.length - 1] - nats) < 1e-4);
});

test('the memory does not grow in a long run', async () => {
  const model = await load(toyText());
  const tell = async () => {
    let count = 0;
    for await (const { token } of model.generate('ab', { ...ENDLESS, seed: 6, maxTokens: 10_000 })) count += Number(token >= 0);
    return count;
  };
  assert.equal(await tell(), 10_000); // memory that grows only once has grown by now
  const before = process.memoryUsage().rss;
  for (let i = 0; i < 3; i++) await tell();
  const grown = process.memoryUsage().rss - before;
  assert.ok(grown < 64e6, `${(grown / 1e6).toFixed(1)} MB more`);
  model.close();
});

test('score() returns the cost of a text', async () => {
  const text = 'Once upon a time, there was a little girl named Lily.';
  const { nats, natsPerByte, natsPerToken, perToken, tokens } = await stories.score(text);
  assert.ok(nats > 0 && nats < 3);
  assert.equal(tokens.length, perToken.length);
  assert.ok(Math.abs(natsPerToken * tokens.length - nats) < 1e-6);
  assert.ok(Math.abs(natsPerByte * (text.length + 1) - nats) < 1e-6, 'including the space before the text');
  const steps = await all(stories.generate(text, { seed: 1, maxTokens: 20 }));
  const { perToken: again } = await stories.score([1, ...tokens, ...ids(steps)]);
  steps.forEach(({ nats: cost }, i) => assert.ok(Math.abs(again[tokens.length + i] - cost) < 1e-5));
  const long = await toy.score('ab '.repeat(200));
  assert.ok(long.tokens.length > 64 && long.perToken.every((cost) => cost > 0));
  for (const nothing of ['', [5]]) {
    const { nats: none, natsPerToken: each, natsPerByte: bytes, perToken: costs } = await stories.score(nothing);
    assert.deepEqual([none, each, bytes, costs.length], [0, 0, 0, 0]);
  }
});

test('biases and penalties take effect', async () => {
  const never = await all(stories.generate('', { temperature: 0, maxTokens: 30, logitBias: { ' Lily': -Infinity } }));
  assert.doesNotMatch(texts(never), / Lily/);
  const map = await all(
    stories.generate('', { temperature: 0, maxTokens: 30, logitBias: new Map([[stories.tokenizer.find(' Lily') ?? '', -1e9]]) }),
  );
  assert.deepEqual(ids(map), ids(never));
  const said = (/** @type {TextStep[]} */ steps) => new Set(ids(steps)).size;
  const plain = await all(stories.generate('', { temperature: 0, maxTokens: 120 }));
  const penalised = await all(stories.generate('', { temperature: 0, maxTokens: 120, repetitionPenalty: 1.5, frequencyPenalty: 1 }));
  assert.ok(said(penalised) > said(plain));
});

test('wrong arguments give clear messages', async () => {
  /** @param {() => unknown} use  @param {RegExp} message  @param {any} [code] */
  const wrong = (use, message, code = 'argument') => assert.throws(use, isError(code, message));
  wrong(() => stories.generate('x '.repeat(600)), /The prompt has \d+ tokens, and this model sees 512: at most 511 leave room/);
  wrong(() => stories.generate(/** @type {any} */ (undefined)), /A prompt must be a string or a list of token ids/);
  wrong(() => stories.generate(/** @type {any} */ ({ text: 'x' })), /A prompt must be a string/);
  wrong(() => stories.generate([1, 512]), /512 is not a token: ids are 0 to 511/);
  wrong(() => stories.generate('', { maxTokens: -1 }), /maxTokens must be a whole number/);
  wrong(() => stories.generate('', { temperature: NaN }), /temperature must be a number/);
  for (const topP of [0, 1e-46, -0]) wrong(() => stories.generate('', { topP }), /topP must be over 0/);
  wrong(() => stories.generate('', { minP: 2 }), /minP must be a number from 0 to 1/);
  wrong(() => stories.generate('', { stop: [''] }), /stop must be a string/);
  wrong(() => stories.generate('', { logitBias: { ' quixotic': 1 } }), /" quixotic" is not one token of this model/);
  wrong(() => stories.generate('', { logitBias: { 3: NaN } }), /logitBias of "3" must be a number/);
  const pictures = await load(toyModel());
  wrong(() => pictures.tokenizer, /This model has no tokens/);
  pictures.close();
});

test('a run is stopped by the signal, by leaving the loop and by closing the model', async () => {
  const stopper = new AbortController();
  const run = stories.generate('', { ...ENDLESS, maxTokens: 1e6, signal: stopper.signal });
  let count = 0;
  await assert.rejects(async () => {
    for await (const { token } of run) if (token >= 0 && ++count === 20) stopper.abort(new Error('enough'));
  }, /enough/);
  assert.equal(run.finish, 'abort');
  assert.equal(count, 20);
  const model = await load(toyText());
  const open = model.generate('', { ...ENDLESS, maxTokens: 1e6 });
  const reading = all(open);
  await sleep(50);
  model.close();
  await assert.rejects(reading, isError('closed'));
  assert.throws(() => model.generate(''), isError('closed'));
});

test('byte-pair vocabularies put no begin token before a text, but one before an empty text', async () => {
  const LETTERS = Array.from({ length: 256 }, (_, byte) =>
    (byte > 0x20 && byte < 0x7f) || (byte > 0xa0 && byte !== 0xad) ? String.fromCharCode(byte) : '',
  );
  let hidden = 0;
  const tokens = [...LETTERS.map((letter) => letter || String.fromCharCode(256 + hidden++)), 'ab', '\u0120ab', '<|end|>'];
  /** @type {Record<string, import('./gguf.js').Typed | undefined>} */
  const metadata = {
    'tokenizer.ggml.model': ['string', 'gpt2'],
    'tokenizer.ggml.pre': ['string', 'gpt-2'],
    'tokenizer.ggml.tokens': ['array', 'string', tokens],
    'tokenizer.ggml.merges': ['array', 'string', ['a b', '\u0120 ab']],
    'tokenizer.ggml.token_type': ['array', 'i32', tokens.map((_, i) => (i === 258 ? 3 : 1))],
    'tokenizer.ggml.scores': undefined,
    'tokenizer.ggml.bos_token_id': ['u32', 258],
    'tokenizer.ggml.eos_token_id': ['u32', 258],
  };
  const model = await load(toyText({ values: tokens.length, metadata }));
  const endless = { logitBias: { 258: -Infinity }, seed: 3 };
  const run = model.generate('ab ab', { ...endless, maxTokens: 200 });
  assert.deepEqual([...run.ids], [256, 257]);
  const steps = await all(run);
  assert.equal(steps.length, 200);
  assert.equal(`ab ab${texts(steps)}`, model.tokenizer.decode(run.ids));
  assert.deepEqual(ids(await all(model.resume(run.save(), { at: 130, maxTokens: 70 }))), ids(steps.slice(130)));
  const empty = model.generate('', { ...endless, maxTokens: 3 });
  assert.deepEqual([...empty.ids], [258]);
  const { tokens: scored, natsPerByte, nats } = await model.score('ab ab ab');
  assert.deepEqual([...scored], [257, 257], 'the first token is given');
  assert.ok(Math.abs(natsPerByte - nats / 6) < 1e-9);
  model.close();
  const without = await load(toyText({ values: tokens.length, metadata: { ...metadata, 'tokenizer.ggml.bos_token_id': undefined } }));
  assert.throws(() => without.generate(''), isError('argument', /has no begin token/));
  without.close();
});

test('a vocabulary that does not fit the weights is refused', async () => {
  await assert.rejects(load(toyText({ values: TOKENS.length + 3 })), isError('format', /tokens/));
  await assert.rejects(load(toyText({ metadata: { 'tokenizer.ggml.scores': undefined } })), isError('format', /scores: missing/));
  await assert.rejects(
    load(toyText({ metadata: { 'tokenizer.ggml.model': ['string', 't5'] } })),
    isError('unsupported', /"t5" is not one of/),
  );
  const without = await load(toyText({ metadata: { 'tokenizer.ggml.model': undefined } }));
  assert.throws(() => without.generate('x'), isError('unsupported', /has no vocabulary/));
  const steps = await all(without.generate([5, 6], { maxTokens: 3, logitBias: { 2: -Infinity } }));
  assert.deepEqual(
    steps.map(({ text }) => text),
    ['', '', ''],
  );
  without.close();
});
