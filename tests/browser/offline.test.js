// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Tests which files are cached for the next visit: the page, and the weights that the library stores. Changed files must be downloaded
 * again, and pages must work even if nothing can be cached.
 */

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';

import { toyModel } from '../js/toy.js';
import { more, oneOf } from '../more.js';
import { LIBRARY, firstFigure, openEmpty, provide, session, sleep, until } from './browser.js';
import { isKept } from './checks.js';
import { published } from './published.js';

/** @import { Page } from 'playwright-core' */

const { withPage } = session();

const FILE = '/weights/kept.gguf';
const one = toyModel({ metadata: { 'nextpixel.card.version': ['string', 'one'] } });
const two = toyModel({ metadata: { 'nextpixel.card.version': ['string', 'two'] } });
const integrity = `sha256-${createHash('sha256').update(one).digest('base64')}`;

/** Time to wait until all files are stored. */
const SETTLE_MS = 800;

/**
 * Serves a version of the weight file.
 *
 * @param {Page} page
 * @param {Uint8Array} body
 * @param {Record<string, string>} headers
 */
async function offer(page, body, headers) {
  await page.unroute(`**${FILE}`);
  await page.route(`**${FILE}`, (route) => route.fulfill({ contentType: 'application/octet-stream', body: Buffer.from(body), headers }));
}

/**
 * Loads the file; returns its version, which is in its model card, or the code of the error.
 *
 * @param {Page} page
 * @param {any} [options]
 */
function version(page, options = {}) {
  return page.evaluate(
    async ({ library, file, given }) => {
      const { load } = await import(library);
      try {
        const model = await load(file, given);
        model.close();
        return model.info.card.version;
      } catch (error) {
        return /** @type {any} */ (error).code;
      }
    },
    { library: LIBRARY, file: FILE, given: options },
  );
}

/** Returns the warnings in `info`. @param {Page} page @param {string | string[]} [from] the address, or the addresses of the parts */
const warning = (page, from = FILE) =>
  page.evaluate(
    async ({ library, file }) => {
      const { load } = await import(library);
      const model = await load(file);
      model.close();
      return model.info.warnings.join();
    },
    { library: LIBRARY, file: from },
  );

/** Waits until this version is in the cache. @param {Page} page @param {string} wanted */
const keeps = (page, wanted) =>
  until(
    page,
    async ({ file, text }) => {
      const copy = await (await caches.open('nextpixel')).match(file);
      return copy !== undefined && new TextDecoder('latin1').decode(await copy.arrayBuffer()).includes(text);
    },
    { file: FILE, text: wanted },
  );

/** @param {Page} page */
const kept = async (page) => {
  await sleep(SETTLE_MS);
  return page.evaluate(async () => (await (await caches.open('nextpixel')).keys()).length);
};

/** @param {Page} page */
async function goOffline(page) {
  await page.unroute(`**${FILE}`);
  await page.route(`**${FILE}`, (route) => route.abort('internetdisconnected'));
}

test('cached weights are available without a connection, and changed weights are downloaded again', () =>
  withPage(
    async (page) => {
      await openEmpty(page);
      await offer(page, one, { ETag: '"1"' });
      assert.equal(await version(page), 'one');
      await keeps(page, 'one');
      assert.equal(await warning(page), '', 'no warning about a copy that the server confirms');
      await goOffline(page);
      assert.equal(await version(page), 'one');
      assert.equal(await version(page, { integrity }), 'one');
      assert.equal(await version(page, { cache: false }), 'network');

      // The ETag alone identifies a file: if the ETag is the same, the body is not read.
      await offer(page, two, { ETag: '"1"' });
      assert.equal(await version(page), 'one');
      await offer(page, two, { ETag: '"2"' });
      assert.equal(await version(page), 'two');
      await keeps(page, 'two');
      await goOffline(page);
      assert.equal(await version(page), 'two');
      assert.equal(await version(page, { integrity }), 'integrity');
      assert.equal(await kept(page), 1);

      assert.match(await warning(page), /^A cached copy: the server cannot be reached$/);
      for (const status of [500, 503, 599]) {
        // the server responds with an error
        await page.unroute(`**${FILE}`);
        await page.route(`**${FILE}`, (route) => route.fulfill({ status, body: 'out of order' }));
        assert.equal(await version(page), 'two', `${status}`);
        assert.equal(await warning(page), `A cached copy: the server answers ${status}`);
        assert.equal(await warning(page, [FILE]), `A cached copy: the server answers ${status}`, 'of parts, too');
        assert.equal(await version(page, { cache: false }), 'network');
      }

      await page.unroute(`**${FILE}`);
      assert.equal(await version(page), 'network', 'a file that the server no longer has is an error');
    },
    { complains: true },
  ));

test('cached files can be listed, measured and deleted', () =>
  withPage(async (page) => {
    await openEmpty(page);
    await offer(page, one, { ETag: '"1"' });
    assert.equal(await version(page), 'one');
    await keeps(page, 'one');
    const seen = await page.evaluate(
      async ({ library, file }) => {
        const { cache } = await import(library);
        return [
          await cache.list(),
          await cache.size(),
          await cache.delete('/weights/other.gguf'),
          await cache.delete(file),
          await cache.list(),
          await cache.delete(),
        ];
      },
      { library: LIBRARY, file: FILE },
    );
    assert.deepEqual(seen, [[{ url: new URL(FILE, page.url()).href, bytes: one.length }], one.length, false, true, [], true]);
  }));

more('of several copies whose addresses differ only in the query, such as a timestamp, the newest four are kept', () =>
  withPage(async (page) => {
    await openEmpty(page);
    await page.route('**/weights/kept.gguf?**', (route) =>
      route.fulfill({ contentType: 'application/octet-stream', body: Buffer.from(one), headers: { ETag: '"1"' } }),
    );
    await page.route('**/weights/other.gguf?**', (route) =>
      route.fulfill({ contentType: 'application/octet-stream', body: Buffer.from(one), headers: { ETag: '"1"' } }),
    );
    const urls = await page.evaluate(
      async ({ library, file }) => {
        const { cache, load } = await import(library);
        const seen = [];
        for (const address of ['/weights/other.gguf?a', ...Array.from({ length: 7 }, (_, i) => `${file}?t=${i}`)]) {
          (await load(address)).close();
          for (
            let left = 100;
            left > 0 && !(await cache.list()).some((/** @type {{ url: string }} */ { url }) => url.endsWith(address));
            left--
          )
            await new Promise((resolve) => {
              setTimeout(resolve, 50);
            });
          seen.push((await cache.list()).length);
        }
        await new Promise((resolve) => {
          setTimeout(resolve, 300);
        });
        return (await cache.list()).map((/** @type {{ url: string }} */ { url }) => url.replace(/.*\//, ''));
      },
      { library: LIBRARY, file: FILE },
    );
    assert.deepEqual(urls, ['other.gguf?a', ...[3, 4, 5, 6].map((i) => `kept.gguf?t=${i}`)]);
  }),
);

test('without an ETag, the date and the length show whether a file has changed', () =>
  withPage(async (page) => {
    await openEmpty(page);
    const date = 'Wed, 01 Jan 2025 00:00:00 GMT';
    await offer(page, one, { 'Last-Modified': date });
    assert.equal(await version(page), 'one');
    await keeps(page, 'one');
    await offer(page, two, { 'Last-Modified': date });
    assert.equal(one.length, two.length);
    assert.equal(await version(page), 'one');
    await offer(page, toyModel({ blocks: 1, metadata: { 'nextpixel.card.version': ['string', 'short'] } }), { 'Last-Modified': date });
    assert.equal(await version(page), 'short');
    await offer(page, two, { 'Last-Modified': 'Thu, 02 Jan 2025 00:00:00 GMT' });
    assert.equal(await version(page), 'two');
    await offer(page, one, {});
    assert.equal(await version(page), 'one', 'without any of these, it is downloaded again');
  }));

test('files that must not be cached and files that are not models are not cached', () =>
  withPage(async (page) => {
    await openEmpty(page);
    await offer(page, one, { ETag: '"1"' });
    assert.equal(await version(page, { cache: false }), 'one');
    await offer(page, one, { ETag: '"1"', 'Cache-Control': 'no-store' });
    assert.equal(await version(page), 'one');
    await offer(page, new TextEncoder().encode('<!doctype html>'), { ETag: '"1"' });
    assert.equal(await version(page), 'format');
    assert.equal(await kept(page), 0);
  }));

/** @type {[string, () => void][]} */
const broken = [
  [
    'a full disk',
    () => {
      Cache.prototype.put = () => Promise.reject(new DOMException('no room', 'QuotaExceededError'));
    },
  ],
  [
    'a forbidden cache',
    () => {
      CacheStorage.prototype.open = () => Promise.reject(new DOMException('private', 'SecurityError'));
    },
  ],
  [
    'no cache at all',
    () => {
      Reflect.deleteProperty(globalThis, 'caches');
    },
  ],
];
for (const [i, [name, script]] of broken.entries()) {
  oneOf(i, 2)(`${name} stores no file, and the page works`, () =>
    withPage(async (page) => {
      await page.addInitScript(script);
      await openEmpty(page);
      await offer(page, one, { ETag: '"1"' });
      assert.equal(await version(page), 'one');
      await sleep(SETTLE_MS); // a failure to cache the file would have been reported by now
      await offer(page, two, { ETag: '"2"' });
      assert.equal(await version(page), 'two');
    }),
  );
}

test('the published library works under the strict policy', () =>
  withPage(async (page) => {
    await provide(page, FILE, one);
    await openEmpty(page);
    const drawn = await page.evaluate(async (file) => {
      const address = '/web/dist/nextpixel.js';
      const { load } = await import(address);
      const model = await load(file);
      let count = 0;
      for await (const { values } of model.generate({ seed: 1 })) count += values.length;
      model.close();
      const names = performance.getEntriesByType('resource').map(({ name }) => name.split('/').pop());
      return { count, modules: names.filter((name) => name?.endsWith('.js')) };
    }, FILE);
    assert.equal(drawn.count, 64);
    assert.deepEqual(new Set(drawn.modules), new Set(['nextpixel.js', 'recovery.js', 'shared.js', 'worker.js']));
  }));

more('a visited page works without a connection, and after the connection returns', () =>
  withPage(
    async (page) => {
      // all/offline.test.js tests every page in this way
      const works = () => firstFigure(page, 'done').waitFor();
      await page.goto('/web/');
      await works();
      await isKept(page);
      for (const offline of [true, false]) {
        await page.context().setOffline(offline);
        await page.reload();
        await works();
      }
    },
    { complains: true },
  ),
);

test('a page has one cached copy, however it was requested; two releases are cached, and the pages of older releases are deleted', () =>
  withPage(
    async (page) => {
      const worker = await readFile(join((await published()).root, 'web/sw.js'));
      /** The release of the site on the server. */
      let release = 1;
      const folder = () => `dist-${String(release).repeat(12)}`;
      const server = createServer((request, response) => {
        const { pathname } = new URL(request.url ?? '', 'http://here');
        const script = pathname.endsWith('.js');
        response.setHeader('Content-Type', script ? 'text/javascript' : 'text/html');
        if (pathname === '/sw.js') return response.end(worker);
        if (script) return response.end(pathname.includes(folder()) ? `document.title = '${release}';` : '');
        response.end(`<!doctype html><link rel="icon" href="data:,"><title>0</title><script src="/${folder()}/a.js"></script>`);
      });
      await new Promise((done) => {
        server.listen(0, '127.0.0.1', () => done(undefined));
      });
      const url = `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}`;
      const copies = () =>
        page.evaluate(async () =>
          (await (await caches.open('nextpixel-page')).keys()).map((request) => request.url.slice(location.origin.length)),
        );
      /** @param {string} path */
      const keeps = (path) =>
        until(page, async (wanted) => (await (await caches.open('nextpixel-page')).match(wanted)) !== undefined, path);
      try {
        await page.goto(`${url}/first/`);
        await page.evaluate(async () => {
          const old = await caches.open('nextpixel-page');
          await old.put('/first/?x=1', new Response('from an earlier service worker'));
          // Adds the record of a course's unfinished download. This record must not prevent files from being replaced or deleted.
          await (await caches.open('nextpixel-courses')).put('/unfinished/course-x', Response.json({ unfinished: [['/first/', 9, 'x']] }));
          await navigator.serviceWorker.register('/sw.js');
          await navigator.serviceWorker.ready;
        });
        for (let i = 0; i < 20; i++) await page.goto(`${url}/first/?x=${i}`);
        const weights = [
          '/weights-aaaaaaaaaaaa/a.gguf',
          '/elsewhere/weights-aaaaaaaaaaaa/a.gguf',
          '/weights-bbbbbbbbbbbb/b.gguf',
          '/own.gguf',
        ];
        await page.evaluate(async (paths) => {
          const library = await caches.open('nextpixel');
          for (const path of paths) await library.put(path, new Response('weights'));
          await fetch('/weights-bbbbbbbbbbbb/a.gguf');
        }, weights);
        await until(page, async () => (await (await caches.open('nextpixel')).match('/weights-aaaaaaaaaaaa/a.gguf')) === undefined);
        assert.deepEqual(
          await page.evaluate(async () => (await (await caches.open('nextpixel')).keys()).map(({ url }) => new URL(url).pathname)),
          weights.slice(1),
          'another release of the site, and nothing else',
        );
        await keeps('/first/');
        await keeps(`/${folder()}/a.js`);
        assert.deepEqual((await copies()).sort(), [`/${folder()}/a.js`, '/first/']);
        for (release = 2; release < 6; release++) {
          await page.goto(`${url}/page-${release}/?release=${release}`);
          assert.equal(await page.title(), String(release));
          await keeps(`/page-${release}/`);
          await keeps(`/${folder()}/a.js`);
        }
        await until(page, async () => (await (await caches.open('nextpixel-page')).keys()).length === 4);
        assert.deepEqual(
          (await copies()).sort(),
          [...[4, 5].map((n) => `/dist-${String(n).repeat(12)}/a.js`), ...[4, 5].map((n) => `/page-${n}/`)].sort(),
        );
        await page.context().setOffline(true);
        await page.goto(`${url}/page-5/?offline`);
        assert.equal(await page.title(), '5');
      } finally {
        await page.context().setOffline(false);
        server.closeAllConnections();
        server.close();
      }
    },
    { complains: true },
  ));

test('the weights of two releases are kept while both are open in one browser; after the old pages are closed, the next visit deletes the old weights', () =>
  withPage(
    async (page) => {
      const { root } = await published();
      const [weights, worker] = await Promise.all([readFile(join(root, 'weights/opened.gguf')), readFile(join(root, 'web/sw.js'))]);
      /** The number of the current release. The server sends this number as the title of each page. */
      let release = 1;
      /** The weight files that were sent completely. @type {string[]} */
      const sent = [];
      const server = createServer(async (request, response) => {
        const { pathname } = new URL(request.url ?? '', 'http://here');
        if (pathname.endsWith('.gguf')) {
          response.writeHead(200, { ETag: '"1"', 'Cache-Control': 'no-cache', 'Content-Length': weights.length });
          response.write(weights.subarray(0, 1000));
          // A page that has a cached copy ends its request early.
          if (sent.includes(pathname)) await Promise.race([once(response, 'close'), sleep(20_000)]);
          if (!response.destroyed) sent.push(pathname);
          response.end(weights.subarray(1000));
          return;
        }
        const types = { js: 'text/javascript', wasm: 'application/wasm' };
        response.setHeader('Content-Type', types[/** @type {'js'} */ (pathname.split('.').at(-1))] ?? 'text/html');
        if (pathname === '/sw.js') response.end(worker);
        else if (/\.(js|wasm)$/.test(pathname)) response.end(await readFile(join(root, pathname)));
        else response.end(`<!doctype html><link rel="icon" href="data:,"><title>${release}</title>`);
      });
      await new Promise((done) => {
        server.listen(0, '127.0.0.1', () => done(undefined));
      });
      const url = `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}`;
      const addressOf = (/** @type {number} */ of, /** @type {string} */ name) => `/weights-${String(of).repeat(12)}/${name}.gguf`;
      const all = [1, 2].flatMap((of) => ['a', 'b'].map((name) => addressOf(of, name)));
      /** In a page, loads two models of the page's release. @param {Page} tab */
      const loads = async (tab) => {
        const of = Number(await tab.title());
        for (const address of ['a', 'b'].map((name) => addressOf(of, name))) {
          await tab.evaluate(
            async ([library, file]) => {
              const { load } = await import(library);
              (await load(file)).close();
            },
            [LIBRARY, address],
          );
          await until(tab, async (file) => (await (await caches.open('nextpixel')).match(file)) !== undefined, address);
        }
      };
      const copies = (/** @type {Page} */ tab) =>
        tab.evaluate(async () => (await (await caches.open('nextpixel')).keys()).map((request) => new URL(request.url).pathname).sort());
      try {
        await page.goto(url);
        await page.evaluate(() => navigator.serviceWorker.register('/sw.js').then(() => navigator.serviceWorker.ready));
        await loads(page); // this page's requests bypass the service worker, which was not active yet when the page was loaded
        release = 2;
        const newer = await page.context().newPage();
        await newer.goto(url);
        for (const tab of [newer, page, newer, page, newer]) await loads(tab);
        assert.deepEqual(await copies(newer), all);

        release = 1;
        await page.reload();
        release = 2;
        assert.ok(await page.evaluate(() => navigator.serviceWorker.controller !== null));
        for (const tab of [page, newer, page, newer]) await loads(tab);
        assert.deepEqual(await copies(newer), all);
        assert.deepEqual(sent.sort(), all, 'every file was downloaded once');

        const session = await newer.context().newCDPSession(newer);
        await session.send('ServiceWorker.enable');
        await session.send('ServiceWorker.stopAllWorkers');
        const third = await page.context().newPage();
        await page.close();
        await third.goto(url);
        // A course is being downloaded, and its list names one of the old files. The request for this file does not count as a use of the
        // old release.
        await newer.evaluate(async (file) => {
          const address = new URL(file, location.href).href;
          const list = Response.json({ unfinished: [[address, 9, 'x']] });
          await (await caches.open('nextpixel-courses')).put('/unfinished/course-y', list);
          const stopper = new AbortController();
          await fetch(address, { headers: { 'x-nextpixel-keep': '1' }, signal: stopper.signal });
          stopper.abort();
        }, all[1]);
        await loads(third);
        await until(third, async () => (await (await caches.open('nextpixel')).keys()).length === 3);
        assert.deepEqual(await copies(third), all.slice(1));
        await third.evaluate(() => caches.delete('nextpixel-courses'));
        await loads(third);
        await until(third, async () => (await (await caches.open('nextpixel')).keys()).length === 2);
        for (const tab of [newer, third]) await loads(tab);
        assert.deepEqual(await copies(third), all.slice(2));
        assert.deepEqual(sent.sort(), all, 'every file was downloaded once');
        await until(third, async () => !(await caches.has('nextpixel-uses')));
      } finally {
        server.closeAllConnections();
        server.close();
      }
    },
    { complains: true },
  ));

test('without a connection, figures that show the numbers of a file read the copy that the library has cached', () =>
  withPage(
    async (page) => {
      await openEmpty(page);
      await offer(page, one, { ETag: '"1"' });
      await version(page);
      await keeps(page, 'one');
      await page.evaluate((address) => import(address), '/web/shell/model/weight-bytes.js');
      await page.context().setOffline(true);
      await page.unroute(`**${FILE}`);
      const found = await page.evaluate(async (file) => {
        const address = '/web/shell/model/weight-bytes.js';
        const { weightBytes } = await import(address).catch(() => ({}));
        return weightBytes ? (await weightBytes(new URL(file, location.href).href)).byteLength : 'the module is missing';
      }, FILE);
      assert.equal(found, one.byteLength);
    },
    { complains: true },
  ));
