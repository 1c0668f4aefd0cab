// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Runs code blocks from README.md and the manual, unchanged, in a browser: all CSS blocks, and every second HTML and JavaScript block. Also
 * runs some of the code blocks that the pages in web/pages show. `./build.sh test-sweep` runs all of these blocks. The blocks in web/pages
 * need only a canvas, a button and pictures. For the other blocks, the test provides everything that the text before the block mentions:
 * `image`, `canvas`, weight files next to the page, and a copy of web/dist. Blocks can import this copy as `nextpixel` and from
 * https://cdn.example. If a block continues an earlier block that imports `load`, the test also provides `load`. tests/js/documents.test.js
 * runs shell blocks and all other blocks.
 */

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';

import { singles } from '../../web/tools/single.js';
import { blocksOf, blocksOfPages, whatPeopleRead } from '../js/blocks.js';
import { ROOT } from '../js/helpers.js';
import { toyText } from '../js/toy-text.js';
import { EVERY, longer } from '../more.js';
import { session } from './browser.js';

/** @import { Page } from 'playwright-core' */
/** @import { Block } from '../js/blocks.js' */

const { withPage } = session();
const blocks = await blocksOf(await whatPeopleRead());
const inOne = await singles();
/** A toy chat model, which is served instead of a public model. */
const talker = Buffer.from(
  toyText({
    context: 512,
    metadata: { 'tokenizer.chat_template': ['string', '{% for message in messages %}{{ message.content }}{% endfor %}'] },
  }),
);
const TYPES = { js: 'text/javascript', wasm: 'application/wasm', png: 'image/png', gguf: 'application/octet-stream' };

/** Returns the file that is served for an address in a document. @param {string} path */
function fileAt(path) {
  const name = path.slice(path.lastIndexOf('/') + 1);
  // In the documents, these names stand for the reader's own model and pictures.
  const own = name === 'mine.gguf' ? 'emoji.gguf' : /^(ka|ki|new|scene)\.png$/.test(name) ? 'seven.png' : name;
  return [`web/dist/${name}`, `weights/${own}`, `tests/golden/${own}`, `web/pictures/${own}`].map((file) => ROOT + file).find(existsSync);
}

/**
 * Opens a page /doc/ with this body, and with all files that the documents mention.
 * @param {Page} page
 * @param {string} body
 * @param {string} [script]
 */
async function open(page, body, script = '') {
  await page.goto('about:blank'); // leaves the page, because requests of the previous block may still be running
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.route(/\/\/cdn\.example\/|\/doc\/|\/nextpixel\//, async (route) => {
    const path = new URL(route.request().url()).pathname;
    const headers = { 'Access-Control-Allow-Origin': '*' };
    if (path === '/doc/') {
      const map = {
        nextpixel: '/nextpixel/nextpixel.js',
        'nextpixel/define': '/nextpixel/define.js',
        'nextpixel/element': '/nextpixel/element.js',
        'nextpixel/chat-models': '/nextpixel/chat-models.js',
        'nextpixel/words/ko': '/nextpixel/words-ko.js',
        'nextpixel/inline': '/doc/inline.js',
      };
      return route.fulfill({
        contentType: 'text/html; charset=utf-8',
        body:
          '<!doctype html><html lang="en"><meta charset="utf-8"><title>a block</title>' +
          `<link rel="icon" href="data:,"><script type="importmap">${JSON.stringify({ imports: map })}</script><body>${body}</body></html>`,
      });
    }
    const made = path === '/doc/block.js' ? script : path === '/doc/model.gguf' ? talker : inOne.get(path.slice(path.lastIndexOf('/') + 1));
    const file = fileAt(path);
    if (made === undefined && file === undefined) return route.fulfill({ status: 404, headers, body: '' });
    const ending = /** @type {keyof typeof TYPES} */ (path.split('.').at(-1));
    return route.fulfill({ headers, contentType: TYPES[ending], body: made ?? (await readFile(/** @type {string} */ (file))) });
  });
  await page.goto('/doc/');
}

/** Returns code that defines the variables that a block uses but does not define itself. @param {string} code */
function given(code) {
  const lines = [];
  if (/\bload\(/.test(code) && !/import \{[^}]*\bload\b/.test(code)) lines.push("import { load } from 'nextpixel';");
  if (/\bcanvas\b/.test(code)) lines.push("const canvas = document.createElement('canvas'); document.body.append(canvas);");
  if (/\bimage\b/.test(code)) lines.push("const image = new Image(); image.src = 'seven.png'; await image.decode();");
  return lines.join('\n');
}

const ofPages = await blocksOfPages();
const scripts = blocks.filter(({ language, file }) => language === 'js' && file === '');
test('the documents have blocks to run', () =>
  assert.ok(scripts.length >= 15 && ofPages.length >= 15 && blocks.filter(({ language }) => language === 'html').length >= 5));

/** Runs blocks, each in a separate document of the same page.
 * @param {string} what @param {Block[]} all @param {(page: Page, code: string) => Promise<unknown>} body */
const each = (what, all, body) =>
  longer(what, (context) =>
    withPage(async (page, complaints) => {
      for (const { where, code } of all) {
        await context.test(where, { timeout: 90000 }, async () => {
          await body(page, code);
          assert.deepEqual(complaints.splice(0), []);
        });
      }
    }),
  );

test('frames in the documents show figures that exist', async () => {
  const frames = blocks.flatMap(({ code }) => [
    ...code.matchAll(/<iframe src="https:\/\/host\/(web\/pages\/[a-z-]+\/)\?figure=([a-z-]+)&amp;bare"/g),
  ]);
  assert.ok(frames.length >= 1);
  for (const [, page, id] of frames) assert.match(await readFile(`${ROOT}${page}page.html`, 'utf8'), new RegExp(`<figure id="${id}"`));
});

each(
  'script blocks run',
  scripts.filter((_, i) => EVERY || i % 2 === 0),
  async (page, code) => {
    const element = /next-pixel|nx-error/.test(code)
      ? '<script type="module" src="/nextpixel/define.js"></script><next-pixel model="digits.gguf" task="generate" seed="1"></next-pixel>'
      : '';
    await open(page, element, `${given(code)}\n${code}`);
    const left = /location\.assign/.test(code) ? page.waitForURL(/^blob:/) : undefined;
    await page
      .evaluate((path) => import(path).then(() => undefined), '/doc/block.js')
      .catch((error) => {
        if (!left) throw error;
      });
    await left;
  },
);

each(
  'blocks of the pages run when they are copied',
  ofPages.filter(({ language }) => language === 'js').filter((_, i) => EVERY || i % 6 === 0),
  async (page, code) => {
    assert.match(code, /^import \{ load \} from 'nextpixel';$/m);
    await open(page, `<canvas></canvas><button>sound</button>${'<img src="seven.png" alt="">'.repeat(3)}`, code);
    await page.evaluate((path) => import(path).then(() => undefined), '/doc/block.js');
  },
);

each(
  'blocks of HTML draw',
  [...blocks, ...ofPages.filter((_, i) => EVERY || i % 3 === 0)]
    .filter(({ language, code }) => language === 'html' && !code.includes('<iframe'))
    .filter((_, i) => EVERY || i % 2 === 0),
  async (page, code) => {
    await open(page, code);
    const count = await page.locator('next-pixel').count();
    assert.ok(count >= 1);
    await page.waitForFunction(() => customElements.get('next-pixel') !== undefined);
    await page.evaluate(async () => {
      for (const element of /** @type {NodeListOf<any>} */ (document.querySelectorAll('next-pixel'))) {
        await new Promise((resolve, reject) => {
          element.addEventListener('nx-end', resolve);
          element.addEventListener('nx-error', (/** @type {any} */ event) => reject(event.error));
          element.play();
          if (element.task !== 'chat') return;
          const speak = () => (element.shadowRoot.querySelector('[part~=messages]') ? element.send('Hello') : requestAnimationFrame(speak));
          speak(); // a chat answers only after the visitor has sent a message
        });
      }
    });
  },
);

test('the CSS blocks contain valid rules', () =>
  withPage(async (page) => {
    const styles = blocks.filter(({ language }) => language === 'css');
    assert.ok(styles.length >= 1);
    await open(page, '');
    for (const { where, code } of styles) {
      const rules = await page.evaluate((text) => {
        const sheet = new CSSStyleSheet();
        sheet.replaceSync(text);
        return [...sheet.cssRules].map((rule) => /** @type {CSSStyleRule} */ (rule).style.length);
      }, code);
      assert.equal(rules.length, code.split('{').length - 1, where);
      assert.ok(
        rules.every((count) => count > 0),
        where,
      );
    }
  }));
