// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Tests the folder that ./build.sh site builds. The folder must work under any path of any static host, and contain everything that its
 * pages link to. pages.test.js checks each page.
 */

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';

import { pagesOf } from '../../web/tools/fresh.js';
import { filesOf, writeSite } from '../../web/tools/site.js';
import { more } from '../more.js';
import { OUT, session } from './browser.js';
import { isBuilt } from './published.js';

const { withPage } = session();

const SITE = fileURLToPath(new URL('../../build/site-test', import.meta.url));
const PAGES = await pagesOf(fileURLToPath(new URL('../../web/', import.meta.url)));
const PREFIX = '/some/where/';
/** @type {Record<string, string>} */
const TYPES = {
  '.css': 'text/css',
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
};

/** @type {import('node:http').Server} */
let server;
let url = '';
/** Requests for files that do not exist. @type {string[]} */
const missing = [];
/** @type {string[]} */
let files;

before(async () => {
  assert.ok(await isBuilt(), 'the pages are not built: run ./build.sh js');
  await writeSite(SITE, { effort: 1 });
  files = await filesOf(SITE);
  server = createServer(async (request, response) => {
    let { pathname } = new URL(request.url ?? '', 'http://here');
    if (pathname.endsWith('/')) pathname += 'index.html';
    try {
      if (!pathname.startsWith(PREFIX)) throw new Error('beside the site');
      const body = await readFile(join(SITE, pathname.slice(PREFIX.length)));
      response.setHeader('Content-Type', TYPES[extname(pathname)] ?? 'application/octet-stream');
      response.end(body);
    } catch {
      missing.push(pathname);
      response.writeHead(404).end();
    }
  });
  await new Promise((done) => {
    server.listen(0, '127.0.0.1', () => done(undefined));
  });
  url = `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}${PREFIX}`;
});

after(() => {
  server.closeAllConnections();
  server.close();
});

test('compressed files have the same content, and every referenced file exists', async () => {
  assert.ok(files.length > 50);
  for (const name of files.filter((file) => /\.(gz|br)$/.test(file))) {
    const whole = await readFile(join(SITE, name.replace(/\.(gz|br)$/, '')));
    const packed = await readFile(join(SITE, name));
    assert.ok(whole.equals(name.endsWith('.gz') ? gunzipSync(packed) : brotliDecompressSync(packed)), name);
  }
  for (const extension of ['gz', 'br']) assert.ok(files.some((name) => name.endsWith(`nextpixel.wasm.${extension}`)));
  for (const name of files.filter((file) => file.endsWith('.html'))) {
    const tags = (await readFile(join(SITE, name), 'utf8')).match(/<(?:a|link|script|img|next-pixel)\b[^>]*>/g) ?? [];
    for (const [, address] of tags.join('').matchAll(/ (?:href|src|model)="([^"#?]+)/g)) {
      if (/^[a-z]+:/.test(address)) continue;
      assert.ok(!address.startsWith('/'), `${name}: ${address} is not relative`);
      const path = join(SITE, name, '..', address);
      assert.ok(existsSync(address.endsWith('/') ? join(path, 'index.html') : path), `${name}: ${address}`);
    }
  }
});

for (const [i, [path, drawn, press]] of /** @type {[string, string, string?][]} */ ([
  ['', '.ending canvas[aria-label*=": 4"]'],
  ['web/manual/', 'next-pixel [part=status]:text("Drawn:")', 'next-pixel button'],
  ['web/pages/colour/', 'figure [data-phase="done"]'],
  ...PAGES.filter((name) => name !== 'colour').map((name) => [
    `web/pages/${name}/`,
    'figure :is([data-phase="done"], [data-phase="ready"])',
  ]),
]).entries()) {
  (i < 2 ? test : more)(`${path || 'the front page'} draws under ${PREFIX}`, { timeout: 90000 }, () =>
    withPage(async (page) => {
      missing.length = 0;
      /** @type {string[]} */
      const elsewhere = [];
      page.on('request', (request) => {
        if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(url)) elsewhere.push(request.url());
      });
      await page.goto(url + path);
      if (press !== undefined) await page.locator(press).first().click();
      await page.locator(drawn).first().waitFor({ timeout: 60000 });
      assert.deepEqual([missing, elsewhere], [[], []]);
      if (path === '') {
        assert.equal(page.url(), `${url}web/`);
        await page.screenshot({ path: `${OUT}site.png` });
      }
    }),
  );
}

test('opened from disk, a page says why it does not run, and what to do', () =>
  withPage(
    async (page) => {
      const disk = pathToFileURL(`${SITE}/`).href;
      const said = page.locator('#from-file');
      await page.goto(`${disk}index.html`);
      await page.waitForURL(`${disk}web/index.html`);
      await said.waitFor();
      await page.goto(`${disk}web/pages/transformer/ko/index.html`);
      assert.match(await said.innerText(), /^file:로 열면 .*build\.sh site --single transformer/);
      await page.goto(`${disk}web/pages/transformer/index.html`);
      assert.match(
        await said.innerText(),
        /^Opened from file:, this page cannot run its scripts\. .*build\.sh site --single transformer\)\.$/,
      );
      await page.screenshot({ path: `${OUT}site-from-disk.png` });
      await page.goto(`${url}web/pages/transformer/`);
      await page.locator('main figure').first().waitFor();
      assert.equal(await said.isVisible(), false);
    },
    { complains: true }, // the browser reports each blocked script
  ));
