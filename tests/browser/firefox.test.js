// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Tests in Firefox, if it is installed. The tests open a page saved as a single file, and a figure in a frame. After the server has
 * stopped, they also open a course that was kept on the device.
 */

import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';

import { COURSES, idOf } from '../../web/front/courses.js';
import { serve } from '../../web/tools/serve.js';
import { writeSingle } from '../../web/tools/single-page.js';
import { sleep } from '../engines/engine.js';
import { firefox } from '../engines/firefox.js';
import { OUT } from './browser.js';
import { published } from './published.js';

const FOLDER = fileURLToPath(new URL('../../build/single-firefox/', import.meta.url));
const COURSE = COURSES[2];
const skip = firefox.missing();
const PATIENCE_MS = 120_000;

/** A script that tells whether any canvas of a figure has more than one colour. */
const DRAWN = `[...document.querySelectorAll('figure canvas')].some((canvas) => {
  if (canvas.width * canvas.height === 0) return false;
  const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext('2d');
  copy.drawImage(canvas, 0, 0);
  const words = new Uint32Array(copy.getImageData(0, 0, canvas.width, canvas.height).data.buffer);
  return words.some((word) => word !== words[0]);
})`;

/** @typedef {Awaited<ReturnType<typeof firefox.open>>} Session */

/** Waits until an expression is true. @param {Session} session @param {string} expression */
async function until(session, expression) {
  for (const end = Date.now() + PATIENCE_MS; Date.now() < end; await sleep(300)) {
    const is = await session.evaluate(expression).catch(() => false); // evaluation fails while a page is being replaced
    if (is) return;
  }
  writeFileSync(`${OUT}firefox-failed.png`, await session.screenshot());
  assert.fail(`not true after ${PATIENCE_MS / 1000} seconds: ${expression}`);
}

/** @type {Awaited<ReturnType<typeof serve>>} */
let server;
before(async () => {
  mkdirSync(OUT, { recursive: true });
  if (!skip) server = await serve({ port: 0, root: (await published()).root });
});
after(() => server?.close());

test('a page saved as one file draws when it is opened from disk', { skip, timeout: 300000 }, async () => {
  await writeSingle(FOLDER, ['image-transformer']);
  const session = await firefox.open(pathToFileURL(`${FOLDER}image-transformer.html`).href);
  try {
    await until(session, `document.querySelector('figure [data-phase="done"]') !== null && ${DRAWN}`);
    writeFileSync(`${OUT}firefox-single.png`, await session.screenshot());
  } finally {
    await session.close();
  }
});

test('a figure in a frame of another origin is drawn without scrolling, also in a sandbox', { skip, timeout: 400000 }, async () => {
  const site = await serve({ port: 0, root: (await published()).root, cors: true });
  let course = '';
  const theirs = createServer((_, response) => {
    response
      .writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' })
      .end(`<!doctype html><html lang="en"><title>A course</title><body><h1>A course</h1>${course}</body></html>`);
  });
  await new Promise((resolve) => theirs.listen(0, '127.0.0.1', () => resolve(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (theirs.address());
  const session = await firefox.open(`${site.url}web/pages/fvsbn/`);
  try {
    await until(session, `document.querySelector('#transport')?.dataset.phase === 'done'`);
    await session.evaluate(`document.querySelector('#figure-endings .embed').click()`);
    await until(session, `document.querySelector('.embed-code code')?.textContent.includes('<iframe')`);
    const code = String(await session.evaluate(`document.querySelector('.embed-code code').textContent`));
    for (const sandbox of ['', ' sandbox="allow-scripts"']) {
      course = code.replace('<iframe', `<iframe${sandbox}`);
      await session.evaluate(`void setTimeout(() => location.assign('http://127.0.0.1:${port}/?${sandbox.length}'))`);
      await until(session, `location.port === '${port}' && location.search === '?${sandbox.length}'`);
      const inFrame = { ...session, evaluate: /** @type {NonNullable<Session['evaluateInFrame']>} */ (session.evaluateInFrame) };
      await until(inFrame, `document.querySelector('#transport')?.dataset.phase === 'done' && ${DRAWN}`);
      const shown = `[...document.querySelectorAll('figure[id]')].filter((one) => one.checkVisibility()).map(({ id }) => id)`;
      assert.deepEqual(await inFrame.evaluate(shown), ['figure-endings']);
      const [inside, outside] = [
        Number(await inFrame.evaluate('document.body.offsetHeight')),
        Number(await session.evaluate(`document.querySelector('iframe').clientHeight`)),
      ];
      assert.ok(inside <= outside, `the figure is ${inside} pixels high, its frame ${outside}`);
      writeFileSync(`${OUT}firefox-frame${sandbox && '-sandboxed'}.png`, await session.screenshot());
    }
  } finally {
    await session.close();
    theirs.closeAllConnections();
    theirs.close();
    await site.close();
  }
});

test('a kept course works after its server has stopped', { skip, timeout: 400000 }, async () => {
  const session = await firefox.open(`${server.url}web/pages/${COURSE.steps[0].page}/`);
  const box = `document.querySelector('[data-course="${idOf(COURSE.name)}"]')`;
  try {
    await until(session, `${DRAWN}`);
    await session.evaluate(`${box}.querySelector('summary').click()`);
    await until(session, `/^2 pages/.test(${box}.querySelector('[role=status]')?.textContent)`);
    await session.evaluate(`${box}.querySelector('button').click()`);
    await until(session, `/^Kept: /.test(${box}.querySelector('[role=status]').textContent)`);
    await server.close();
    for (const { page } of [...COURSE.steps].reverse()) {
      // the last page comes first, because the first page is already open
      for (const lang of ['', 'ko/']) {
        await session.evaluate(`void setTimeout(() => location.assign('${server.url}web/pages/${page}/${lang}'))`);
        await until(session, `location.pathname.endsWith('/${page}/${lang}') && ${DRAWN}`);
      }
    }
    writeFileSync(`${OUT}firefox-kept.png`, await session.screenshot());
  } finally {
    await session.close();
  }
});
