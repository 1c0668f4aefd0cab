// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Drops the connection for a second while a model is being loaded. The model must load, whichever file is being downloaded at that moment.
 * A loaded element must run without a connection.
 */

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import http from 'node:http';
import { after, before } from 'node:test';

import { serve } from '../../web/tools/serve.js';
import { rowsOf } from '../kinds/browser.js';
import { flat } from '../kinds/rows.js';
import { oneOf } from '../more.js';
import { EMPTY, session } from './browser.js';
import { inRepository } from './gallery.js';

const { withPage } = session();

const GONE_MS = 1000;
/** A CRF, whose code is a separate file of the published library, and a picture model. */
const MODELS = ['crf-en.gguf', 'digits.gguf'];

/** @type {Awaited<ReturnType<typeof serve>>} */
let real;
/** @type {http.Server} */
let server;
let base = '';
/** The paths that were requested. @type {Set<string>} */
const asked = new Set();
/**
 * The event that ends the connection: the first request for this path, or, with `half`, the moment when half of its response has been sent.
 */
let breaks = { path: '', half: false };
let down = false;
/** Whether the connection has failed for good, not only for a second. */
let gone = false;

function goDown() {
  down = true;
  breaks = { path: '', half: false };
  setTimeout(() => {
    down = false;
  }, GONE_MS);
}

before(async () => {
  real = await serve({ port: 0 });
  server = http.createServer((request, response) => {
    const path = String(request.url);
    asked.add(path);
    if (gone) return void request.socket.destroy();
    const { half } = breaks;
    const hit = path === breaks.path;
    if (hit && !half) goDown();
    const { range } = request.headers;
    // the page must repeat requests that the server did not answer
    if (down && (range || !path.startsWith('/weights/'))) return void request.socket.destroy();
    http.get(
      { host: '127.0.0.1', port: real.port, path, headers: { host: `127.0.0.1:${real.port}`, ...(range && { range }) } },
      (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        if (!hit || range) return void answer.pipe(response);
        let sent = 0;
        const length = Number(answer.headers['content-length']);
        answer.on('data', (/** @type {Buffer} */ bytes) => {
          if (sent < length / 2) response.write(bytes.subarray(0, Math.ceil(length / 2) - sent));
          if (sent < length / 2 && sent + bytes.length >= length / 2)
            setTimeout(() => {
              goDown();
              response.destroy();
            }, 100);
          sent += bytes.length;
        });
      },
    );
  });
  await new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(undefined));
  });
  base = `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}`;
});
after(() => {
  server.closeAllConnections();
  server.close();
  return real.close();
});

/** @param {string} model @returns {Promise<string>} */
async function loads(model) {
  let how = '';
  const body = async (/** @type {import('playwright-core').Page} */ page) => {
    await page.goto(base + EMPTY);
    how = await page.evaluate(async (address) => {
      const library = await import(/** @type {string} */ ('/web/dist/nextpixel.js'));
      try {
        (await library.load(address)).close();
        return 'loaded';
      } catch (error) {
        const { name, code, message } = /** @type {any} */ (error);
        return `${name} ${code}: ${message}`;
      }
    }, `/weights/${model}`);
  };
  await withPage(body, { complains: true }); // the browser reports the failed requests
  return how;
}

for (const [i, model] of MODELS.entries()) {
  oneOf(i, 2)(`${model} is loaded, whichever file is being fetched when the connection fails`, async () => {
    asked.clear();
    assert.equal(await loads(model), 'loaded');
    const all = [...asked].filter((path) => path.startsWith('/web/dist/') && !/\/(nextpixel|shared)\.js$/.test(path));
    assert.ok(all.some((path) => path.endsWith('recovery.js')) && all.some((path) => path.endsWith('worker.js')), all.join());
    for (const path of all) {
      breaks = { path, half: false };
      assert.equal(await loads(model), 'loaded', `the connection failed at ${path}`);
      assert.equal(breaks.path, '', `${path} was never requested`);
    }
    breaks = { path: `/weights/${model}`, half: true };
    assert.equal(await loads(model), 'loaded', 'the connection failed within the weights');
    assert.equal(breaks.path, '');
  });
}

/** The elements whose model files are in weights/, except elements that fetch their input during a run. */
const SHOWN = Object.entries(flat(rowsOf('shown'))).filter(
  ([name, { attributes }]) => !('src' in attributes) && existsSync(inRepository(`weights/${name}.gguf`)),
);

for (const [i, [name, { attributes }]] of SHOWN.entries()) {
  const model = `${name}.gguf`;
  oneOf(i, SHOWN.length)(
    `${model}: without a connection, an element that has been loaded runs, also with a new worker, and a wrong file gets its error`,
    async () => {
      gone = false;
      await withPage(
        async (page) => {
          await page.addInitScript(() => {
            const all = /** @type {any} */ (globalThis);
            all.workers = [];
            all.Worker = class extends Worker {
              /** @param {any[]} given */
              constructor(...given) {
                super(.../** @type {[string]} */ (given));
                all.workers.push(this);
              }
            };
          });
          await page.goto(base + EMPTY);
          await page.evaluate(
            async ({ model, attributes }) => {
              const define = '/web/dist/define.js';
              const library = '/web/dist/nextpixel.js';
              const [{ load }] = await Promise.all([import(library), import(define)]);
              Object.assign(globalThis, { load });
              const element = /** @type {any} */ (document.createElement('next-pixel'));
              for (const [name, value] of Object.entries({ model, seed: '1', ...attributes })) element.setAttribute(name, value);
              element.told = [];
              for (const name of ['nx-ready', 'nx-end', 'nx-error'])
                element.addEventListener(name, (/** @type {any} */ event) => {
                  event.preventDefault();
                  element.told.push(event.error ? `${event.error.name} ${event.error.code}` : name);
                });
              const all = /** @type {any} */ (globalThis);
              all.until = async (/** @type {() => unknown} */ is) => {
                for (let i = 0; i < 1000 && !is(); i++)
                  await new Promise((resolve) => {
                    setTimeout(resolve, 20);
                  });
                if (!is()) throw new Error(`events so far: ${element.told}`);
              };
              all.plays = async () => {
                const { length } = element.told;
                element.seed = String(Number(element.seed) + 1); // with the same seed, music would only be played again, not drawn
                element.play();
                await all.until(() => element.told.length > length);
                return element.told.at(-1);
              };
              document.body.append(element);
              await all.until(() => element.told.length > 0);
              for (let cached = false; !cached; ) {
                cached = (await (await caches.open('nextpixel')).match(element.getAttribute('model'))) !== undefined;
                await new Promise((resolve) => {
                  setTimeout(resolve, 20);
                });
              }
            },
            { model: `/weights/${model}`, attributes },
          );
          const plays = () => page.evaluate(() => /** @type {any} */ (globalThis).plays());
          gone = true;
          assert.equal(await plays(), 'nx-end');
          const workers = await page.evaluate(() => {
            const all = [.../** @type {any} */ (globalThis).workers];
            for (const worker of all) worker.onerror(new ErrorEvent('error', { message: 'gone' }));
            return all.length;
          });
          assert.equal(await plays(), 'nx-end', 'with a new worker');
          assert.ok((await page.evaluate(() => /** @type {any} */ (globalThis).workers.length)) > workers, 'a new worker was started');
          const [code, took] = await page.evaluate(async () => {
            const { load } = /** @type {any} */ (globalThis);
            const begun = performance.now();
            return load(new Uint8Array(9999)).then(
              () => [undefined, 0],
              (/** @type {any} */ error) => [error.code, performance.now() - begun],
            );
          });
          assert.equal(code, 'format');
          assert.ok(took < 5000, `${took} ms`);
          gone = false;
          assert.equal(await plays(), 'nx-end', 'the connection is back');
        },
        { complains: true },
      );
    },
  );
}
