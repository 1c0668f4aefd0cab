// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Whatever a verb waits for, it hears a stop, the signals and close(): an address that never answers, a template that never ends, a
 * constraint of the page. One row per verb of each kind.
 */

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, test } from 'node:test';

import { KINDS } from '../../web/lib/kinds/index.js';
import { GOLDEN, ROOT, load, sleep } from './helpers.js';
import { toyCaption } from './toy-caption.js';
import { toyText } from './toy-text.js';

const server = createServer(() => {}).listen(0, '127.0.0.1');
await new Promise((resolve) => server.once('listening', resolve));
const never = `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}/never`;
const scope = /** @type {any} */ (globalThis);
const { createImageBitmap } = scope;
scope.createImageBitmap = () => new Promise(() => {}); // only a browser decodes picture files
after(() => {
  if (createImageBitmap) scope.createImageBitmap = createImageBitmap;
  else delete scope.createImageBitmap;
  server.close();
  server.closeAllConnections();
});

const LOOPS = '{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}';
const endless = toyText({ metadata: { 'tokenizer.chat_template': ['string', LOOPS] } });
const constraint = { next: () => new Promise(() => {}) };

/** A file, and a call that waits for something that does not come; or why the verb waits for its worker alone. @typedef {[string | Uint8Array, (model: any, options: object) => any] | string} Row */

/** @type {Record<string, Row>} */
const ROWS = {
  'picture.complete': [`${GOLDEN}local-f16.gguf`, (model, options) => model.complete(never, options)],
  'picture.superResolve': [`${GOLDEN}palette-2d-sr.gguf`, (model, options) => model.superResolve(never, options)],
  'picture.score': [`${GOLDEN}local-f16.gguf`, (model, options) => model.score(never, options)],
  'picture.attention': [`${GOLDEN}local-f16.gguf`, (model, options) => model.attention(never, { row: 0, column: 0, ...options })],
  'picture.generate': 'it has no input',
  'latent.generate': 'it has no input',
  'latent.walk': 'its inputs are numbers',
  'sound.complete': [`${GOLDEN}wavenet-tiny.gguf`, (model, options) => model.complete(never, options)],
  'sound.score': [`${GOLDEN}wavenet-tiny.gguf`, (model, options) => model.score(never, options)],
  'sound.generate': 'it has no input',
  'code.complete': [`${GOLDEN}jukebox-tiny.gguf`, (model, options) => model.complete(never, options)],
  'code.encode': [`${GOLDEN}jukebox-tiny.gguf`, (model, options) => model.encode(never, options)],
  'code.decode': 'its codes are numbers',
  'code.generate': 'it has no input',
  'note.complete': [`${ROOT}weights/chorales.gguf`, (model, options) => model.complete(never, options)],
  'note.score': [`${ROOT}weights/chorales.gguf`, (model, options) => model.score([never, never], options)],
  'note.generate': 'it has no input',
  'caption.caption': [toyCaption(), (model, options) => model.caption(never, options)],
  'caption.score': [toyCaption(), (model, options) => model.score(never, { text: 'w1', ...options })],
  'sign.classify': [
    `${GOLDEN}snail-tiny.gguf`,
    (model, options) => model.classify(never, { support: ['a', 'b'].map((label) => ({ image: never, label })), ...options }),
  ],
  'text.chat': [endless, (model, options) => model.chat([{ role: 'user', content: 'a' }], options)],
  'text.generate': [toyText(), (model, options) => model.generate('a', { constraint, ...options })],
  'text.score': 'its text is there',
  'text.attention': 'its text is there',
  'text.translate': 'its text is there',
  'head.parse': 'its words are there',
  'tag.tag': 'its words are there',
};

test('every verb of every kind is in the sweep', () => {
  const verbs = KINDS.filter(({ name }) => name !== 'triad').flatMap(({ name, verbs }) =>
    Object.keys(verbs).map((verb) => `${name}.${verb}`),
  );
  assert.deepEqual(Object.keys(ROWS).sort(), verbs.sort());
});

/** What a run can be asked for. */
const READINGS = ['result', 'drawTo', 'samples', 'wav', 'notes', 'midi', 'pictures', 'text'];

/** @param {Promise<unknown>} promise @returns {Promise<string>} how it ended */
async function settled(promise) {
  const over = new AbortController();
  const ended = promise.then(
    () => 'resolved',
    (error) => error.code ?? error.name,
  );
  const late = (async () => {
    for (let i = 0; i < 100 && !over.signal.aborted; i++) await sleep(20);
    return 'still waiting';
  })();
  const how = await Promise.race([ended, late]);
  over.abort();
  return how;
}

const context = new Proxy(
  {},
  {
    get: (_, name) =>
      name === 'measureText'
        ? (/** @type {string} */ text) => ({ width: text.length })
        : name === 'createImageData'
          ? (/** @type {number} */ width, /** @type {number} */ height) => ({
              data: new Uint8ClampedArray(4 * width * height),
              width,
              height,
            })
          : () => {},
    set: () => true,
  },
);

for (const [name, row] of Object.entries(ROWS)) {
  if (typeof row === 'string') continue;
  const [file, make] = row;
  test(`${name}: nothing is waited for after the end`, { timeout: 60000 }, async () => {
    /** @param {'stop' | 'signal' | 'reader' | 'close'} how @param {string} [reading] of a run */
    const ended = async (how, reading) => {
      const model = await load(file);
      const [whole, reader] = [new AbortController(), new AbortController()];
      try {
        const asked = make(model, { signal: whole.signal, ...(reading && { seed: 1 }) });
        const promise = !reading
          ? asked
          : reading === 'input'
            ? asked.input
            : reading === 'steps'
              ? (async () => {
                  for await (const step of asked) assert.fail(step);
                })()
              : reading === 'drawTo'
                ? asked.drawTo({ width: 30, height: 15, getContext: () => context }, { signal: reader.signal })
                : asked[reading]({ signal: reader.signal });
        promise.catch(() => {});
        await sleep(10);
        const ends = { stop: () => asked.stop(), signal: () => whole.abort(), reader: () => reader.abort(), close: () => model.close() };
        if (reading) void asked.input; // its rejection is nobody's, and Node would report it
        ends[how]();
        const end = await settled(promise);
        if (how === 'reader') assert.equal(asked.finish, 'abort', `${reading}: the last reader has left`);
        return end;
      } finally {
        model.close();
      }
    };
    const model = await load(file);
    const asked = make(model, {});
    const isRun = Symbol.asyncIterator in asked;
    if (!isRun) asked.catch(() => {});
    const readings = READINGS.filter((reading) => typeof asked[reading] === 'function');
    model.close();
    if (!isRun) {
      assert.deepEqual([await ended('signal'), await ended('close')], [20, 'closed']);
      return;
    }
    for (const reading of readings) {
      const how = { stop: 'resolved', signal: 20, reader: 20, close: 'closed' };
      for (const [end, expected] of Object.entries(how)) {
        const got = await ended(/** @type {any} */ (end), reading);
        // A run of notes that ends without an error is rendered by Web Audio, which Node does not have.
        const rendered = name === 'note.complete' && ['samples', 'wav'].includes(reading) && end === 'stop';
        assert.equal(got, rendered ? 'unsupported' : expected, `${reading}, ${end}`);
      }
    }
    assert.deepEqual([await ended('stop', 'steps'), await ended('close', 'steps')], ['resolved', 'closed']);
    const isThere = name === 'text.generate'; // a short prompt is made into tokens at once
    assert.deepEqual([await ended('close', 'input'), await ended('stop', 'input')], isThere ? ['resolved', 'resolved'] : ['closed', 20]);
  });
}
