// SPDX-License-Identifier: MIT
// @ts-check

/**
 * A verb may wait forever: for an address that never responds, for a recording or a file whose data never arrives, for a chat template that
 * never ends, or for a promise that a `constraint` returned. stop(), abort signals and close() must end the wait. Afterwards, the verb must
 * read nothing more of its input. There is one test case per verb of each kind.
 */

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, test } from 'node:test';

import { KINDS } from '../../web/lib/kinds/index.js';
import { EVERY, longer } from '../more.js';
import { rowsOf, weightsOf } from '../kinds/js.js';
import { NAMES, named } from '../kinds/rows.js';
import { load, sleep } from './helpers.js';

const server = createServer((request, response) => {
  if (request.url !== '/part') return;
  response.writeHead(200, { 'content-length': '1000' });
  response.write('RIFF');
  readings.push(() => response.destroyed);
}).listen(0, '127.0.0.1');
await new Promise((resolve) => server.once('listening', resolve));
const never = `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}/never`;
const part = never.replace('never', 'part');
const scope = /** @type {any} */ (globalThis);

/**
 * Functions, one for each input that is being read. A function returns whether the reading of its input has stopped.
 * @type {(() => boolean)[]}
 */
const readings = [];

const { fetch } = scope;
const replaced = {
  createImageBitmap: () => new Promise(() => {}), // stands in for the decoder of a browser, and never ends
  /** @param {string | URL} url @param {{ signal?: AbortSignal }} [how] */
  fetch: (url, how) => {
    if (String(url) === never) readings.push(() => how?.signal?.aborted === true);
    return fetch(url, how);
  },
  MediaStream: class {
    get [Symbol.toStringTag]() {
      return 'MediaStream';
    }

    getAudioTracks() {
      return [{ readyState: 'live' }];
    }
  },
  MediaRecorder: class {
    state = 'inactive';
    onstop = () => {};

    start() {
      this.state = 'recording';
      readings.push(() => this.state === 'inactive');
    }

    stop() {
      this.state = 'inactive';
      this.onstop();
    }
  },
};
const kept = Object.keys(replaced).map((name) => [name, Object.getOwnPropertyDescriptor(scope, name)]);
Object.assign(scope, replaced);
after(() => {
  for (const [name, own] of /** @type {[string, PropertyDescriptor | undefined][]} */ (kept)) {
    if (own) Object.defineProperty(scope, name, own);
    else delete scope[name];
  }
  server.close();
  server.closeAllConnections();
});

/** Returns a Blob whose bytes never arrive. @returns {object} */
const endlessFile = () => ({
  size: 1000,
  slice: endlessFile,
  stream: () => {
    let cancelled = false;
    readings.push(() => cancelled);
    return new ReadableStream({
      cancel() {
        cancelled = true;
      },
    });
  },
});

/** Inputs that never arrive. */
const INPUTS = { address: () => never, part: () => part, recording: () => new scope.MediaStream(), file: endlessFile };
/** @typedef {keyof typeof INPUTS} Form */

const ROWS = named(rowsOf('waiting'));

test('this file tests the waits of every verb of every kind', () => {
  const verbs = KINDS.filter(({ name }) => NAMES.includes(name)).flatMap(({ name, verbs }) =>
    Object.keys(verbs).map((verb) => `${name}.${verb}`),
  );
  assert.deepEqual(Object.keys(ROWS).sort(), verbs.sort());
});

/** Methods of runs that read the result. */
const READINGS = ['result', 'drawTo', 'samples', 'wav', 'notes', 'midi', 'pictures', 'text'];

/** @param {Promise<unknown>} promise @returns {Promise<string>} how the promise ended */
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
  const { file, ask: make, forms = [], immediate, rendered } = row;
  longer(`${name}: no call waits any longer after the end`, { timeout: 60000 }, async () => {
    /**
     * @param {'stop' | 'signal' | 'reader' | 'close'} how
     * @param {string} [reading]  method or property of the run
     * @param {Form} [form]       form of the input
     */
    const ended = async (how, reading, form = forms[0]) => {
      const model = await load(weightsOf(file));
      const [whole, reader] = [new AbortController(), new AbortController()];
      readings.length = 0;
      try {
        const asked = make(model, { signal: whole.signal, ...(reading && { seed: 1 }) }, form && INPUTS[form]());
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
        for (let i = 0; form && readings.length === 0; i++) {
          assert.ok(i < 200, `${form}: nothing is read`);
          await sleep(10);
        }
        const ends = { stop: () => asked.stop(), signal: () => whole.abort(), reader: () => reader.abort(), close: () => model.close() };
        if (reading) void asked.input; // nobody awaits this promise; if its rejection were unhandled, Node would report it
        ends[how]();
        const end = await settled(promise);
        if (how === 'reader') assert.equal(asked.finish, 'abort', `${reading}: the last reader has left`);
        // a stream is cancelled only after some turns of the event loop
        for (let i = 0; i < 50 && !readings.every((isStopped) => isStopped()); i++) await sleep(2);
        assert.ok(
          readings.every((isStopped) => isStopped()),
          `${form}, ${reading}, ${how}: the input is still read`,
        );
        return end;
      } finally {
        model.close();
      }
    };
    const model = await load(weightsOf(file));
    const asked = make(model, {}, forms[0] && INPUTS[forms[0]]());
    const isRun = Symbol.asyncIterator in asked;
    if (!isRun) asked.catch(() => {});
    const ways = READINGS.filter((reading) => typeof asked[reading] === 'function');
    model.close();
    if (!isRun) {
      for (const form of forms)
        assert.deepEqual([await ended('signal', undefined, form), await ended('close', undefined, form)], [20, 'closed'], form);
      return;
    }
    for (const form of forms.slice(1)) {
      const ends = [await ended('stop', 'steps', form), await ended('signal', 'steps', form), await ended('close', 'steps', form)];
      assert.deepEqual([...ends, await ended('reader', 'result', form)], ['resolved', 20, 'closed', 20], form);
    }
    for (const [i, reading] of ways.entries()) {
      const how = { stop: 'resolved', signal: 20, reader: 20, close: 'closed' };
      for (const [k, [end, expected]] of Object.entries(how).entries()) {
        // A run can be read in several ways and ended in four ways. The first way of reading is tested with all four endings. Each
        // of the other ways is tested with one ending. npm run test:all tests all combinations.
        if (!EVERY && i > 0 && (i + k) % 4) continue;
        const got = await ended(/** @type {any} */ (end), reading);
        // To return the samples of a run that ends without an error, the library may need Web Audio, which Node does not have.
        const needsAudio = rendered && ['samples', 'wav'].includes(reading) && end === 'stop';
        assert.equal(got, needsAudio ? 'unsupported' : expected, `${reading}, ${end}`);
      }
    }
    assert.deepEqual([await ended('stop', 'steps'), await ended('close', 'steps')], ['resolved', 'closed']);
    assert.deepEqual([await ended('close', 'input'), await ended('stop', 'input')], immediate ? ['resolved', 'resolved'] : ['closed', 20]);
  });
}
