// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Tests save({ state: true }), which also saves the engine's state after the processed tokens. A run that is resumed with this state must
 * not process any token again, and must draw the same bits as a run that is resumed without the state. An invalid state must be refused.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';

import { atOnce } from '../../web/lib/base/turns.js';
import { Jobs } from '../../web/lib/engine/jobs.js';
import { hashing } from '../../web/lib/kinds/text/saved-state.js';
import { isError, load, wasmModule } from './helpers.js';
import { toyText } from './toy-text.js';

/** @import { Message, TextOptions, TextRun } from '../../web/lib/index.js' */
/** @import { AnyModel as Model } from '../../web/lib/model/of-kind.js' */

const TEMPLATE = '{% for message in messages %}<s>{{ message.role }}: {{ message.content }}</s>{% endfor %}<s>assistant: ';
const file = (context = 256) => toyText({ context, metadata: { 'tokenizer.chat_template': ['string', TEMPLATE] } });
const PROMPT = 'ab abc ab abc ab abc';

/** @param {TextRun} run */
async function told(run) {
  const nats = [];
  for await (const step of run) nats.push(step.nats);
  return { ids: [...run.ids], nats };
}

/**
 * Returns a finished run, and a structured clone of the saved run. IndexedDB stores such clones.
 * @param {Model} model
 * @param {TextOptions} [options]
 * @param {string} [prompt]
 */
async function kept(model, options = {}, prompt = PROMPT) {
  const run = model.generate(prompt, { seed: 1, maxTokens: 20, ...options });
  await run.text();
  return { run, saved: structuredClone(await run.save({ state: true })) };
}

test('a run resumes where it was saved, and reads nothing again, with any options', async () => {
  /** @type {TextOptions[]} */
  const all = [
    {},
    { maps: true },
    { keyBits: 16 },
    { logitBias: { 65: 2 } },
    { repetitionPenalty: 1.3 },
    { alternatives: 3 },
    { temperature: 0 },
    { stop: 'a' },
  ];
  for (const options of all) {
    const today = await load(file());
    const { run, saved } = await kept(today, options);
    assert.deepEqual({ ...saved, state: undefined }, { ...run.save(), state: undefined });
    const expected = await told(today.resume(run.save(), { maxTokens: 30 }));
    today.close();
    const tomorrow = await load(file());
    const rest = tomorrow.resume(saved, { maxTokens: 30 });
    assert.deepEqual(await told(rest), expected, JSON.stringify(options));
    assert.equal(rest.reused, run.ids.length, JSON.stringify(options));
    const branch = tomorrow.resume(saved, { at: 2, seed: 9, maxTokens: 4 });
    await branch.text();
    assert.equal(branch.reused, Math.min(run.ids.length, run.promptLength + 2), 'also another branch');
    tomorrow.close();
  }
});

test('a resumed chat continues with the next question, and reads only this question', async () => {
  /** @type {Message[]} */
  const talk = [
    { role: 'system', content: 'abc' },
    { role: 'user', content: 'ab ab ab' },
  ];
  const today = await load(file());
  const first = today.chat(talk, { seed: 1, maxTokens: 12 });
  talk.push({ role: 'assistant', content: await first.text() }, { role: 'user', content: 'bc' });
  const saved = await first.save({ state: true });
  const second = today.chat(talk, { seed: 2, maxTokens: 12 });
  const expected = await told(second);
  today.close();
  const tomorrow = await load(file());
  const next = tomorrow.chat(talk, { seed: 2, maxTokens: 12, state: saved.state });
  assert.deepEqual(await told(next), expected);
  assert.equal(next.reused, second.reused, 'as much as without saving');
  tomorrow.close();
});

test('states of an interrupted run, of a run beyond its context, and of a resumed run can be saved', async () => {
  const model = await load(file(40));
  const left = model.generate(PROMPT, { seed: 2, maxTokens: 200 });
  let count = 0;
  for await (const step of left) if (step && ++count === 9) break;
  const states = [structuredClone(await left.save({ state: true })), (await kept(model, { maxTokens: 90 })).saved];
  const fresh = await load(file(40));
  for (const saved of states) {
    const expected = await told(model.resume({ ...saved, state: undefined }, { maxTokens: 30 }));
    const rest = fresh.resume(saved, { maxTokens: 10 });
    await rest.text();
    assert.ok(rest.reused > 8);
    const again = await load(file(40));
    const further = again.resume(structuredClone(await rest.save({ state: true })), { maxTokens: 20 });
    assert.deepEqual((await told(further)).ids, expected.ids);
    again.close();
  }
  fresh.close();
  model.close();
});

test('a damaged or truncated state, or the state of another file, is refused with a message; without the state, the run resumes', async () => {
  const model = await load(file());
  const { saved } = await kept(model);
  const { state } = saved;
  const bytes = (/** @type {(bytes: Uint8Array<ArrayBuffer>) => Uint8Array | void} */ change) => {
    const copy = state.bytes.slice();
    return { ...state, bytes: change(copy) ?? copy };
  };
  const ids = state.ids.map((id, i) => (i === 3 ? id + 1 : id));
  /** @type {[any, RegExp][]} */
  const none = [
    [{}, /is not valid/],
    ['state', /is not valid/],
    [{ ...state, bytes: [...state.bytes] }, /is not valid/],
    [{ ...state, ids: undefined }, /is not valid/],
    [JSON.parse(JSON.stringify(state)), /JSON does not/],
    [{ ...state, hash: 'x' }, /damaged/],
    [{ ...state, length: state.length + 1 }, /damaged/],
    [{ ...state, layout: undefined }, /damaged/],
    [{ ...state, hash: undefined }, /damaged/],
    [{ ...state, ids }, /damaged/],
    [
      bytes((all) => {
        all[all.length >> 1] ^= 1;
      }),
      /damaged/,
    ],
    [
      bytes((all) => {
        all[0] ^= 128;
      }),
      /damaged/,
    ],
    [
      bytes((all) => {
        all[all.length - 1]++;
      }),
      /damaged/,
    ],
    [bytes((all) => all.subarray(0, -1)), /damaged/],
    [bytes((all) => all.subarray(0, 16)), /damaged/],
    [bytes((all) => all.subarray(0, 0)), /damaged/],
    [bytes((all) => Uint8Array.from([...all, 0])), /damaged/],
  ];
  for (const [wrong, message] of none)
    await assert.rejects(async () => model.resume({ ...saved, state: wrong }, { maxTokens: 3 }).text(), isError('state', message));
  assert.throws(
    () => model.resume({ ...saved, state: none[0][0] }),
    isError('state', /is not valid/),
    'immediately, because this check reads no bytes',
  );
  // A large state is checked in chunks. If another run begins meanwhile, its input is read between these chunks.
  let turns = 0;
  const timer = setInterval(() => turns++, 1);
  const large = model.resume({ ...saved, state: { ...state, bytes: new Uint8Array(2 ** 27) } }, { maxTokens: 3 });
  await model.generate('a', { maxTokens: 1 }).text();
  await assert.rejects(large.text(), isError('state', /damaged/));
  clearInterval(timer);
  assert.ok(turns > 1, `other tasks ran ${turns} times`);
  await model.resume({ ...saved, state: undefined }, { maxTokens: 3 }).text();
  // This file has the same description but other weights.
  const other = file();
  other[other.length - 2] ^= 64;
  const stranger = await load(other);
  await assert.rejects(() => stranger.resume(saved, { maxTokens: 3 }).text(), isError('state', /another weight file/));
  stranger.resume(saved); // nobody reads this run, and it must not cause an unhandled rejection
  await stranger.resume({ ...saved, state: undefined }, { maxTokens: 3 }).text();
  stranger.close();
  model.close();
});

test('a run that is in progress, has read nothing or is not cached has no state to save', async () => {
  const model = await load(file());
  const run = model.generate(PROMPT, { seed: 1, maxTokens: 20 });
  assert.throws(() => run.save({ state: true }), isError('state', /not over/));
  for await (const step of run) if (step) assert.throws(() => run.save({ state: true }), isError('state', /not over/));
  await run.save({ state: true });
  const held = model.generate('bc bc ab', { seed: 1, maxTokens: 20, constraint: { next: () => undefined } });
  await held.text();
  await assert.rejects(async () => held.save({ state: true }), isError('state', /constraint/));
  assert.throws(() => run.save(/** @type {any} */ ({ State: true })), isError('argument', /save\(\) has no option State: state\?/));
  assert.throws(() => run.save(/** @type {any} */ ({ state: 1 })), isError('argument', /state must be true or false/));
  model.close();
});

test('a manipulated state with a correct hash affects only runs that are resumed with this state', async () => {
  const model = await load(file());
  const { saved } = await kept(model);
  const expected = await told(model.generate(PROMPT, { seed: 5, maxTokens: 12 }));
  const fresh = await load(file());
  const bytes = saved.state.bytes.slice();
  // changes values in the middle of the keys and values
  new Uint32Array(bytes.buffer).fill(0x3f000000, (bytes.length / 8) | 0, (bytes.length / 8 + 400) | 0);
  const state = { ...saved.state, bytes };
  state.hash = atOnce(hashing(state));
  const named = fresh.resume({ ...saved, state }, { maxTokens: 12 });
  await named.text().catch(() => {});
  for (const run of [
    fresh.generate(PROMPT, { seed: 5, maxTokens: 12 }),
    fresh.resume({ ...saved, state: undefined }, { at: 0, seed: 5, maxTokens: 12 }),
  ]) {
    assert.deepEqual(await told(run), expected);
    assert.ok(run.reused < fresh.tokenizer.encode(PROMPT).length || run.reused === named.promptLength);
  }
  const again = fresh.generate(PROMPT, { seed: 5, maxTokens: 12, state: saved.state });
  assert.deepEqual(await told(again), expected, 'a run that names the correct state');
  assert.ok(again.reused > 0);
  model.close();
  fresh.close();
});

test('messages transfer the bytes of a state instead of copying them; the caller keeps its bytes', async () => {
  const model = await load(file());
  const { saved } = await kept(model);
  const whole = saved.state.bytes.slice();
  /** @type {Uint8Array[]} */
  const posted = [];
  const { postMessage } = Worker.prototype;
  Worker.prototype.postMessage = function (message, ...rest) {
    postMessage.call(this, message, ...rest);
    if (message.state?.bytes) posted.push(message.state.bytes);
  };
  try {
    const rest = model.resume(saved, { maxTokens: 30 });
    await rest.text();
    assert.equal(rest.reused, saved.state.ids.length);
  } finally {
    Worker.prototype.postMessage = postMessage;
    model.close();
  }
  assert.deepEqual(
    posted.map(({ buffer }) => buffer.byteLength),
    [0],
  );
  assert.deepEqual(saved.state.bytes, whole);

  /** @type {[any, Transferable[] | undefined][]} */
  const answers = [];
  const jobs = new Jobs(
    (message, transfer) => answers.push([message, transfer]),
    (task) => task,
  );
  jobs.receive({ type: 'open', id: 1, module: wasmModule, bytes: file() });
  /** Sends a message, and returns the state in the answer and the transferred objects. @param {any} message */
  const keep = (message) => {
    jobs.receive({ type: 'keep', id: 2, ...message });
    const [answer, transfer] = /** @type {[any, Transferable[] | undefined]} */ (answers.at(-1));
    return [answer.state, transfer];
  };
  const { bytes, ids, hash } = saved.state;
  assert.deepEqual(keep({ known: Uint32Array.of(), state: saved.state }), [saved.state, [bytes.buffer]]);
  assert.deepEqual(keep({ known: Uint32Array.of(1e6) }), [undefined, undefined]);
  const [state, transfer] = keep({ known: Uint32Array.from(ids), of: hash });
  assert.deepEqual(state.bytes, whole);
  assert.equal(transfer[0], state.bytes.buffer);
});
