// SPDX-License-Identifier: MIT
// @ts-check

/** Tests a visitor's own model on the colour page: choosing or dropping the file, the pictures that the model draws, and error messages. */

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';

import { load } from '../../web/lib/index.js';
import { more } from '../more.js';
import { OUT, session } from './browser.js';
import { SIDE, WAIT, emoji, galleryOf, inRepository, photos, triples } from './gallery.js';
import { png } from './png.js';

/** @import { Page } from 'playwright-core' */

const { withPage } = session();
const colour = galleryOf('colour', 'in-colour');
const superres = galleryOf('superres', 'enlarged');
/** With reduced motion, nothing runs unless a test starts it. */
const CALM = /** @type {const} */ ({ reducedMotion: 'reduce' });
const bytes = (/** @type {string} */ name) => readFile(inRepository(`weights/${name}`));

/**
 * Opens a file in a figure, as if a visitor had chosen the file.
 *
 * @param {Page} page
 * @param {string} name
 * @param {Buffer} buffer
 * @param {string} [id] id of the figure
 */
const give = (page, name, buffer, id = 'colour') => page.locator(`#${id}-own input`).setInputFiles({ name, mimeType: '', buffer });
/** @param {Page} page @param {RegExp} text @param {string} [id] */
const said = (page, text, id = 'colour') => page.locator(`#${id}-own .photo-said`, { hasText: text }).waitFor(WAIT);
/** @param {Page} page @param {RegExp} text @param {string} [id] */
const refused = (page, text, id = 'colour') => page.locator(`#${id}-load-text`, { hasText: text }).waitFor(WAIT);

test('the figure completes pictures with a chosen file, with the same values as the library', () =>
  withPage(
    async (page) => {
      const buffer = await bytes('emoji.gguf');
      await colour.open(page);
      await page.locator('#colour-run:enabled').waitFor(WAIT);
      const before = await page.locator('#colour-emoji-parameters').textContent();
      await page.route('**/weights*/*.gguf', (route) => route.abort()); // from here on, no weight file can be downloaded
      await give(page, 'mine.gguf', buffer);
      await said(page, /^mine\.gguf, a model with [\d,]+ parameters, is running now\.( Try: .*)?$/);
      assert.ok(await page.locator('#colour-switch input[value=own]').isChecked());
      await page.locator('#colour-run').click();
      await colour.rowIs(page, 0);
      await page.click('#colour-stop'); // stops the run, because this test does not need the other rows
      const [, ...rest] = await colour.pixels(page, 0);
      const [original] = rest.splice(3);
      const model = await load(new Uint8Array(buffer));
      const style = emoji.find(({ name }) => name === 'winking face')?.style;
      assert.equal(await colour.name(page, 0), 'winking face');
      assert.equal(await page.locator('#colour-given').inputValue(), '50', 'only the shipped model is given two thirds');
      const run = model.complete(
        { data: /** @type {number[][]} */ (original).flat(), width: SIDE, height: SIDE },
        { samples: 3, seed: 7, temperature: 1, label: style },
      );
      const expected = [0, 1, 2].map(() => [...run.known]);
      for await (const { sample, values } of run) expected[sample].push(...values);
      model.close();
      expected.forEach((values, i) => assert.deepEqual(rest[i], triples(values), `ending ${i}`));
      assert.equal(await page.locator('#colour-temperature').textContent(), '1');
      assert.equal(await page.locator('#colour-emoji-parameters').textContent(), before, 'the text describes the shipped model');
      await page.locator('#colour-take summary').click();
      await page.locator('#colour-take button', { hasText: 'Link' }).click();
      await page.locator('.take-said', { hasText: /^A link cannot include your own model/ }).waitFor();
      assert.ok(!page.url().includes('#'));
      await page.locator('#in-colour').screenshot({ path: `${OUT}own-model.png` });

      // Both models are still available: the shipped model, and the visitor's model, whose file is read again.
      await page.locator('#colour-switch input').first().check();
      await page.locator('#colour-run:enabled').waitFor(WAIT);
      assert.ok(await page.locator('#colour-own .photo-said').isHidden());
      await page.locator('#colour-switch input[value=own]').check();
      await said(page, /^mine\.gguf/);
    },
    { ...CALM, complains: true },
  ));

more('a file can be dropped; a model without a palette gets photographs', () =>
  withPage(async (page) => {
    const base64 = (await bytes('cifar10.gguf')).toString('base64');
    await colour.open(page);
    await page.locator('#colour-run:enabled').waitFor(WAIT);
    await page.evaluate((text) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([Uint8Array.from(atob(text), (c) => c.charCodeAt(0))], 'Photos.GGUF'));
      document
        .querySelector('#figure-colour')
        ?.dispatchEvent(new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer: transfer }));
    }, base64);
    await said(page, /^Photos\.GGUF, a model with/);
    await page.locator('#colour-strip[data-strip=photos]').waitFor(WAIT);
    assert.equal(await colour.name(page, 0), photos[0].name);
    await page.click('#colour-run');
    await colour.rowIs(page, 0);
    assert.ok((await colour.pixels(page, 0)).flat().filter(Boolean).length > 4 * SIDE * SIDE);
  }, CALM),
);

more('a model that enlarges pictures opens in the other figure', () =>
  withPage(async (page) => {
    await superres.open(page);
    await page.locator('#superres-run:enabled').waitFor(WAIT);
    await give(page, 'larger.gguf', await bytes('emoji-sr.gguf'), 'superres');
    await said(page, /^larger\.gguf/, 'superres');
    await page.click('#superres-run');
    await superres.rowIs(page, 0);
    await give(page, 'mine.gguf', await bytes('emoji.gguf'), 'superres');
    await refused(page, /mine\.gguf does not enlarge pictures/, 'superres');
  }, CALM),
);

more('an unsuitable file is reported with a reason, and the shipped model continues', () =>
  withPage(async (page) => {
    await colour.open(page);
    await page.locator('#colour-run:enabled').waitFor(WAIT);
    const whole = await bytes('emoji.gguf');
    for (const [name, buffer, why] of /** @type {[string, Buffer, RegExp][]} */ ([
      ['picture.gguf', png(4, 4, () => [0, 0, 0, 255]), /It looks like a PNG image/],
      ['empty.gguf', Buffer.alloc(0), /could not be loaded\. .*(empty|truncated|not a GGUF)/i],
      ['half.gguf', whole.subarray(0, whole.length / 2), /could not be loaded\. .+/],
      ['digits.gguf', await bytes('digits.gguf'), /digits\.gguf draws 28 by 28 pixels in grey/],
      ['larger.gguf', await bytes('emoji-sr.gguf'), /larger\.gguf enlarges pictures/],
    ])) {
      await give(page, name, buffer);
      await refused(page, why);
      assert.ok(await page.locator('#colour-run').isDisabled(), name);
      assert.ok(await page.locator('#colour-switch').isEnabled(), name);
    }
    await give(page, 'checkpoint.pt', Buffer.from('PK'));
    await said(page, /checkpoint\.pt is not a GGUF file/);
    await page.locator('#colour-switch input').first().check();
    await page.locator('#colour-run:enabled').waitFor(WAIT);
    assert.ok(await page.locator('#colour-load').isHidden());
    await page.click('#colour-run');
    await colour.rowIs(page, 0);
  }, CALM),
);
