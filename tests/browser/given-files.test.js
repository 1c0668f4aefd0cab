// SPDX-License-Identifier: MIT
// @ts-check

/** Drops and pastes files on figures. Every figure that accepts files must react in the same way. tests/pages has the test cases. */

import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { test } from 'node:test';

import { ROOT } from '../js/helpers.js';
import { oneOf } from '../more.js';
import { rowsOf } from '../pages/browser.js';
import { session } from './browser.js';
import { png } from './png.js';

/** @import { Page } from 'playwright-core' */
/** @import { GivenFile } from '../pages/browser.js' */

const { withPage } = session();
const CALM = /** @type {const} */ ({ reducedMotion: 'reduce' });

const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="64" height="64"><rect width="64" height="64" fill="red"/></svg>';

const ROWS = rowsOf('givenFiles');
/** Pages that other tests cover: photo.test.js covers the colour page. own-file.test.js and tokens.test.js cover model files. */
const OTHERS = ['colour'];

test('these tests cover every page whose figures take files', async () => {
  const pages = await readdir(`${ROOT}web/pages`);
  const taking = [];
  for (const name of pages) {
    const files = await readdir(`${ROOT}web/pages/${name}`).catch(() => /** @type {string[]} */ ([]));
    const sources = await Promise.all(
      files.filter((file) => file.endsWith('.js')).map((file) => readFile(`${ROOT}web/pages/${name}/${file}`, 'utf8')),
    );
    for (const source of OTHERS.includes(name) ? [] : sources)
      assert.doesNotMatch(source, /\.files\b|'drop'|'paste'/, `${name} reads files without shell/page/files.js`);
    if (sources.some((source) => source.includes('takeFiles('))) taking.push(name);
  }
  assert.deepEqual(taking.sort(), [...Object.keys(ROWS), ...OTHERS].sort());
});

/**
 * Drops or pastes files; returns whether the page prevented the browser's default action.
 *
 * @param {Page} page @param {'drop' | 'paste'} type @param {string} selector @param {GivenFile[]} given @param {string} [text]
 */
const hand = (page, type, selector, given, text = '') =>
  page.locator(selector).evaluate(
    (element, [kind, files, words]) => {
      const transfer = new DataTransfer();
      if (words) transfer.setData('text/plain', String(words));
      for (const [name, base64, mime] of /** @type {string[][]} */ (files))
        transfer.items.add(new File([Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))], name, { type: mime }));
      const how = { bubbles: true, cancelable: true };
      return !element.dispatchEvent(
        kind === 'paste'
          ? new ClipboardEvent('paste', { ...how, clipboardData: transfer })
          : new DragEvent('drop', { ...how, dataTransfer: transfer }),
      );
    },
    [type, given.map(([name, bytes, mime]) => [name, Buffer.from(bytes).toString('base64'), mime]), text],
  );

for (const [i, [name, { figure, said, refused = said, given, done }]] of Object.entries(ROWS).entries()) {
  oneOf(i, 2)(`${name}: a file among others, dropped and pasted; one that is broken, and a model`, { timeout: 120_000 }, () =>
    withPage(async (page) => {
      await page.goto(`/web/pages/${name}/`);
      await page.locator('[data-phase=done]').first().waitFor({ timeout: 60_000 });
      await page.locator(figure).scrollIntoViewIfNeeded();
      await page.locator(`${figure} input[type=file]:enabled`).waitFor({ state: 'attached' });
      const [answer, why, file] = [page.locator(said), page.locator(refused), given()];
      const broken = /** @type {GivenFile} */ ([`broken ${file[0]}`, '', file[2]]);
      for (const type of /** @type {const} */ (['drop', 'paste'])) {
        assert.ok(await hand(page, 'drop', figure, [broken]), 'the browser does not open the file');
        await why.getByText(/empty|no byte|cannot be read|is not/i).waitFor();
        const fault = await why.innerText();
        assert.ok(await hand(page, type, figure, [['notes.txt', 'x', 'text/plain'], file]));
        await answer.getByText(done).and(page.locator(said)).waitFor({ timeout: 40_000 });
        await why.getByText(fault, { exact: true }).waitFor({ state: 'hidden' });
      }
      const box = page.locator('#own-file [role=status]');
      if ((await box.count()) > 0) {
        assert.ok(await hand(page, 'drop', figure, [['mine.gguf', 'no model', '']]));
        await box.getByText(/GGUF/).waitFor();
      }
    }, CALM),
  );
}

test('of two pictures, the one given later is shown, whichever is read first; a field gets pasted text', () =>
  withPage(async (page) => {
    await page.goto('/web/pages/captions/');
    await page.locator('#transport[data-phase=done]').waitFor({ timeout: 60_000 });
    const large = png(3000, 3000, () => [0, 0, 255, 255]);
    await hand(page, 'drop', '#figure-tell', [['large.png', large, 'image/png']]);
    await hand(page, 'drop', '#figure-tell', [['red.svg', svg, 'image/svg+xml']]);
    await page.locator('#said', { hasText: 'middle of your picture' }).waitFor();
    await page.waitForTimeout(1000);
    const [red, , blue] = await page
      .locator('#scene-canvas')
      .evaluate((/** @type {HTMLCanvasElement} */ canvas) => [...(canvas.getContext('2d')?.getImageData(32, 32, 1, 1).data ?? [])]);
    assert.deepEqual([red, blue], [255, 0]);
    // Cells that are copied from a spreadsheet are both text and a picture. A text field gets the text, and a figure gets the picture.
    const seed = '#compare-seed';
    assert.ok(!(await hand(page, 'paste', seed, [['image.png', large, 'image/png']], '42')), 'the field gets the text');
    assert.ok(await hand(page, 'paste', '#figure-tell', [['image.png', large, 'image/png']], '42'));
  }, CALM));
