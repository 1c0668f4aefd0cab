// SPDX-License-Identifier: MIT
// @ts-check

/** Tests saving a picture as a PNG or an animated PNG, and sharing it by a link. The link must lead to the same picture, bit for bit. */

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';

import { more } from '../more.js';
import { WAIT, decode, session, sleep } from './browser.js';
import { png } from './png.js';

/** @import { Page } from 'playwright-core' */

const { withPage } = session();
const IT = '/web/pages/image-transformer/';

/** @param {Page} page */
const done = (page) => page.locator('#run-text', { hasText: 'Run again' }).waitFor(WAIT);

/** Sets the highest speed, because animation uses a whole core. @param {Page} page */
const hurry = (page) =>
  page.locator('#speed').evaluate((input) => {
    /** @type {HTMLInputElement} */ (input).value = '7';
    input.dispatchEvent(new Event('input', { bubbles: true }));
  });

/** Returns the address in the link to a figure. @param {Page} page @param {string} id of the box */
async function link(page, id) {
  const box = page.locator(`#${id}`);
  if (!(await box.locator('details').evaluate((details) => /** @type {HTMLDetailsElement} */ (details).open)))
    await box.locator('summary').click();
  await box.locator('button', { hasText: 'Link' }).click();
  await box.locator('.take-said', { hasText: /link/ }).waitFor();
  return page.evaluate(() => location.href);
}

/** Returns the file that a button saves. @param {Page} page @param {string} id @param {string} button @param {number} [shot] */
async function saved(page, id, button, shot = 0) {
  const box = page.locator(`#${id}`);
  if (!(await box.locator('details').evaluate((details) => /** @type {HTMLDetailsElement} */ (details).open)))
    await box.locator('summary').click();
  await box.locator('select').selectOption({ index: shot });
  const [download] = await Promise.all([page.waitForEvent('download'), box.getByRole('button', { name: button, exact: true }).click()]);
  return { name: download.suggestedFilename(), bytes: await readFile(await download.path()) };
}

/** Returns the chunks of a PNG. @param {Buffer} bytes */
function chunks(bytes) {
  const found = [];
  for (let at = 8; at < bytes.length; at += 12 + bytes.readUInt32BE(at)) {
    found.push({ type: bytes.toString('latin1', at + 4, at + 8), data: bytes.subarray(at + 8, at + 8 + bytes.readUInt32BE(at)) });
  }
  return found;
}

/** @param {Page} page @param {string} canvases */
const pictures = (page, canvases) =>
  page.locator(canvases).evaluateAll((all) => all.map((canvas) => /** @type {HTMLCanvasElement} */ (canvas).toDataURL()));

test('a completion can be saved as a PNG and as an animated PNG', () =>
  withPage(
    async (page) => {
      await page.goto(IT);
      await done(page);
      await page.uncheck('#show-surprise'); // saved pictures have no overlay
      const still = await saved(page, 'take', 'PNG', 1);
      assert.equal(still.name, 'test-digit-9-seed-7-ending-2.png');
      const film = await saved(page, 'take', 'Animated PNG', 1);
      assert.equal(film.name, 'test-digit-9-seed-7-ending-2-film.png');
      const frames = chunks(film.bytes);
      const count = frames.filter(({ type }) => type === 'fcTL').length;
      assert.equal(frames.find(({ type }) => type === 'acTL')?.data.readUInt32BE(0), count);
      assert.ok(count > 20, `${count} frames`);
      frames
        .filter(({ type }) => ['fcTL', 'fdAT'].includes(type))
        .forEach(({ data }, i) => assert.equal(data.readUInt32BE(0), i, 'numbered in order'));
      // The saved picture equals the page's picture; the animation's last frame, as the browser decodes it, equals the saved picture.
      const small = await decode(page, still.bytes);
      const shown = await decode(page, Buffer.from((await pictures(page, '.ending canvas'))[1].split(',')[1], 'base64'));
      for (let i = 0; i < 784; i++) {
        const [x, y] = [((i % 28) + 0.5) / 28, (Math.floor(i / 28) + 0.5) / 28];
        assert.deepEqual(small.at(x * small.width, y * small.height), shown.at(x * shown.width, y * shown.height), `pixel ${i}`);
      }
      const last = await page.evaluate(async (base64) => {
        const data = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
        const decoder = new /** @type {any} */ (globalThis).ImageDecoder({ data, type: 'image/png' });
        await decoder.tracks.ready;
        const { frameCount } = decoder.tracks.selectedTrack;
        const { image } = await decoder.decode({ frameIndex: frameCount - 1 });
        const canvas = Object.assign(document.createElement('canvas'), { width: image.displayWidth, height: image.displayHeight });
        canvas.getContext('2d')?.drawImage(image, 0, 0);
        return { frameCount, url: canvas.toDataURL() };
      }, film.bytes.toString('base64'));
      assert.equal(last.frameCount, count);
      const end = await decode(page, Buffer.from(last.url.split(',')[1], 'base64'));
      for (let i = 0; i < small.width * small.height; i += 7) {
        assert.deepEqual(end.at(i % small.width, Math.floor(i / small.width)), small.at(i % small.width, Math.floor(i / small.width)));
      }
    },
    { acceptDownloads: true },
  ));

more('if the browser cannot make the file, the page says so', () =>
  withPage(async (page) => {
    await page.addInitScript(() => {
      /** @type {any} */ (globalThis).CompressionStream = undefined;
    });
    await page.goto('/web/pages/fvsbn/');
    await done(page);
    await page.locator('#take summary').click();
    await page.locator('#take').getByRole('button', { name: 'PNG', exact: true }).click();
    await page
      .locator('#take .take-said', { hasText: /^This browser cannot create the file: CompressionStream is not a constructor\.$/ })
      .waitFor();
  }),
);

more('a link to endings keeps digit, line, seed, temperature and class', () =>
  withPage(async (page) => {
    await page.goto(IT);
    await hurry(page);
    await done(page);
    await page.locator('#strip input').nth(37).check();
    await page.fill('#seed', '12');
    await page.keyboard.press('Enter');
    await page.locator('#temperature').evaluate((input) => {
      /** @type {HTMLInputElement} */ (input).value = '0.8';
      input.dispatchEvent(new Event('input', { bubbles: true }));
    });
    await page.selectOption('#label', '4');
    await page.locator('.handle').focus();
    await page.keyboard.press('PageUp');
    await sleep(300);
    await done(page);
    await sleep(100);
    const before = await pictures(page, '.ending canvas');
    const address = await link(page, 'take');
    await page.goto('about:blank');
    await page.goto(address);
    await page.locator('#run-text', { hasText: 'Pause' }).waitFor(WAIT);
    await done(page);
    await sleep(300);
    assert.deepEqual(await pictures(page, '.ending canvas'), before);
    assert.equal(await page.inputValue('#seed'), '12');
    assert.equal(await page.inputValue('#temperature'), '0.8');
    assert.equal(await page.inputValue('#label'), '4');
    assert.ok(await page.locator('#strip input').nth(37).isChecked());

    // An invalid value in the link is ignored.
    await page.goto('about:blank');
    await page.goto(`${IT}#figure-endings?seed=-1&rows=99&temperature=hot&label=elephant&digit=1000&drawing=!`);
    await page.locator('#run:enabled').waitFor(WAIT);
    assert.equal(await page.inputValue('#seed'), '7');
  }),
);

more("links to a gallery's pictures work for the strip and for the visitor's own", () =>
  withPage(
    async (page) => {
      const first = '#colour-gallery .gallery-row:first-child canvas';
      const drawn = (/** @type {string} */ name) =>
        page.waitForFunction(
          (text) =>
            document.querySelector('#colour-gallery .gallery-row:first-child .drawn canvas')?.getAttribute('aria-label') ===
            `${text}, ending 1: drawn`,
          name,
          WAIT,
        );
      await page.goto('/web/pages/colour/');
      await page.locator('#figure-colour').scrollIntoViewIfNeeded();
      await page.locator('#colour-run:enabled').waitFor(WAIT);
      await page.locator('#colour-tries').selectOption('3');
      await page.locator('#colour-strip input').nth(7).check();
      const name = (await page.locator('#colour-gallery .row-name b').first().textContent()) ?? '';
      await page.click('#colour-run');
      await drawn(name);
      const before = await pictures(page, first);
      const address = await link(page, 'colour-take');
      await page.goto('about:blank');
      await page.goto(address);
      await page.locator('#colour-run:enabled').waitFor(WAIT);
      await page.click('#colour-run');
      await drawn(name);
      assert.deepEqual(await pictures(page, first), before);

      const buffer = png(64, 64, (x, y) => [4 * x, 4 * y, 128, 255]);
      await page.locator('#colour-photo input').setInputFiles({ name: 'slope.png', mimeType: 'image/png', buffer });
      await drawn('your picture');
      const own = await pictures(page, first);
      const mine = await link(page, 'colour-take');
      await page.goto('about:blank');
      await page.goto(mine);
      await page.locator('#colour-run:enabled').waitFor(WAIT);
      await page.click('#colour-run');
      await drawn('your picture');
      assert.deepEqual(await pictures(page, first), own);
    },
    { reducedMotion: 'reduce' },
  ),
);

more("links to enlargements work for the strip and for the visitor's own picture, with either model", () =>
  withPage(async (page) => {
    const first = '#superres-gallery .gallery-row:first-child canvas';
    const drawn = (/** @type {string} */ name) =>
      page.waitForFunction(
        (text) => {
          const labels = [...document.querySelectorAll('#superres-gallery .gallery-row:first-child .drawn canvas')].map(
            (canvas) => canvas.getAttribute('aria-label') ?? '',
          );
          return labels.length === 3 && labels.every((label) => label.startsWith(`${text}, `) && label.endsWith(': drawn'));
        },
        name,
        WAIT,
      );
    const name = async () => (await page.locator('#superres-gallery .row-name b').first().textContent()) ?? '';
    await page.goto('/web/pages/colour/#superres');
    await page.locator('#figure-superres').scrollIntoViewIfNeeded();
    await page.locator('#superres-run:enabled').waitFor(WAIT);
    await page.locator('#superres-strip input').nth(9).check();
    await page.fill('#superres-seed', '31');
    await page.keyboard.press('Enter');
    const chosen = await name();
    await page.locator('#superres-tries').selectOption('12');
    await drawn(chosen);
    const before = await pictures(page, first);
    const address = await link(page, 'superres-take');
    assert.match(address, /#figure-superres\?model=emoji&seed=31&temperature=0\.9&tries=12&picture=9$/);
    await page.goto('about:blank');
    await page.goto(address);
    await page.locator('#superres-run:enabled').waitFor(WAIT);
    await drawn(chosen);
    assert.equal(await page.inputValue('#superres-seed'), '31');
    assert.equal(await page.inputValue('#superres-tries'), '12');
    assert.ok(await page.locator('#superres-strip input').nth(9).isChecked());
    assert.deepEqual(await pictures(page, first), before);

    await page.locator('#superres-switch input').nth(1).check();
    await page.locator('#superres-strip[data-strip=photos]').waitFor(WAIT);
    const buffer = png(64, 64, (x, y) => [4 * x, 4 * y, 128, 255]);
    await page.locator('#superres-photo input').setInputFiles({ name: 'slope.png', mimeType: 'image/png', buffer });
    await drawn('your picture');
    const own = await pictures(page, first);
    const mine = await link(page, 'superres-take');
    assert.match(mine, /model=photos&seed=31&temperature=0.7&tries=3&pixels=/);
    await page.goto('about:blank');
    await page.goto(mine);
    await drawn('your picture');
    assert.deepEqual(await pictures(page, first), own);
  }),
);

more('links to classes, to local attention and to speculative decoding work', () =>
  withPage(async (page) => {
    await page.goto(`${IT}#figure-classes?model=digits&seed=5`);
    await page.locator('#classes-run:enabled').waitFor(WAIT);
    assert.equal(await page.inputValue('#classes-seed'), '5');
    await page.goto('about:blank');
    await page.goto('/web/pages/colour/#figure-classes?model=photos&seed=6');
    await page.locator('.class-name', { hasText: 'airplane' }).waitFor(WAIT);
    assert.equal(await page.inputValue('#classes-seed'), '6');
    await page.goto('about:blank');
    await page.goto(`${IT}#figure-geometry?seed=4`);
    await page.locator('#geometry-run:enabled').waitFor(WAIT);
    assert.equal(await page.inputValue('#geometry-seed'), '4');
    await page.goto('about:blank');
    await page.goto('/web/pages/look-ahead/#figure-ahead?seed=11&label=4');
    await page.locator('#ahead-run-text', { hasText: 'Play again' }).waitFor(WAIT);
    assert.equal(await page.inputValue('#ahead-seed'), '11');
    assert.equal(await page.inputValue('#ahead-label'), '4');
  }),
);
