// SPDX-License-Identifier: MIT
// @ts-check

/**
 * The connection fails for a second while a model is being loaded. The model loads, whichever file is being fetched at that moment.
 */

import assert from 'node:assert/strict';
import http from 'node:http';
import { after, before } from 'node:test';

import { serve } from '../../web/tools/serve.js';
import { oneOf } from '../more.js';
import { EMPTY, session } from './browser.js';

const { withPage } = session();

const GONE_MS = 1000;
/** A model whose kind has a separate file in the published library, and a model of pictures. */
const MODELS = ['crf-en.gguf', 'digits.gguf'];

/** @type {Awaited<ReturnType<typeof serve>>} */
let real;
/** @type {http.Server} */
let server;
let base = '';
/** Paths that were requested. @type {Set<string>} */
const asked = new Set();
/** The event that breaks the connection: the first request for this path; with `half`, the moment when half of its answer has been sent. */
let breaks = { path: '', half: false };
let down = false;

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
    const { half } = breaks;
    const hit = path === breaks.path;
    if (hit && !half) goDown();
    const { range } = request.headers;
    // the page must request a file again that the server did not send
    if (down && (range || !path.startsWith('/weights/'))) return void request.socket.destroy();
    http.get({ port: real.port, path, headers: { host: `127.0.0.1:${real.port}`, ...(range && { range }) } }, (answer) => {
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
    });
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
