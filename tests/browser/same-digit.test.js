// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Tests the page on which all models complete the same digit: their drawings, costs and receptive fields. The tests run only if the weights
 * exist.
 */

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';

import { load } from '../../web/lib/index.js';
import { SYSTEMS } from '../../web/pages/same-digit/systems.js';
import { more } from '../more.js';
import { session } from './browser.js';
import { endings, opening } from './endings.js';
import { inRepository } from './gallery.js';

const { withPage } = session();
const PAGE = '/web/pages/same-digit/';
const SIDE = 28;
const missing = SYSTEMS.find(({ file }) => !existsSync(inRepository(`weights/${file}`)));
const options = { skip: missing && `weights/${missing.file} is missing` };

test('every model draws its own completion with the noise of the seed, and shows its cost', options, () =>
  withPage(async (page) => {
    await page.goto(PAGE);
    await page.locator('#transport[data-phase=done]').waitFor();
    const source = await opening();
    const seen = await endings(page);
    const rows = page.locator('#table tbody tr');
    assert.equal(await rows.count(), SYSTEMS.length);
    for (const [k, { file }] of SYSTEMS.entries()) {
      const model = await load(new Uint8Array(await readFile(inRepository(`weights/${file}`))));
      const picture = Uint8Array.from(source);
      let nats = 0;
      for await (const step of model.complete({ data: source, width: SIDE, height: SIDE }, { rows: 12, samples: 1, seed: 8 })) {
        picture.set(step.values, step.from);
        nats += step.nats.reduce((a, b) => a + b, 0);
      }
      const truth = (await model.score({ data: source, width: SIDE, height: SIDE })).perElement
        .subarray(12 * SIDE)
        .reduce((a, b) => a + b, 0);
      model.close();
      assert.deepEqual(
        seen[k],
        Array.from(picture, (value) => value > 0),
        file,
      );
      const cells = await rows.nth(k).locator('td').allTextContents();
      assert.equal(cells[0], `${nats.toFixed(1)} nats`);
      assert.equal(cells[1], `${truth.toFixed(1)} nats`);
      assert.match(cells[3], /^[\d.]+ µs$/);
      await rows.nth(k).getByText('earlier pixels').waitFor();
      if (k === 0) assert.equal(cells[5], '307,720', 'the biases, and the weights below the diagonal');
    }
  }),
);

more('the table has the measured costs of a test digit, and marks the lowest cost', options, () =>
  withPage(
    async (page) => {
      await page.goto(PAGE);
      const readme = await readFile(inRepository('weights/README.md'), 'utf8');
      const cells = await page.locator('#table td[data-head="A test digit"]').allTextContents();
      for (const [k, { file, test: nats }] of SYSTEMS.entries()) {
        const said = new RegExp(`^\\| \`${file}\` \\|[^|]*\\| ([\\d.]+) ±`, 'm').exec(readme);
        assert.equal(nats, Number(said?.[1]), file);
        assert.equal(cells[k], `${nats.toFixed(1)} nats`);
      }
      const best = SYSTEMS.toSorted((a, b) => a.test - b.test)[0];
      assert.equal(
        await page.locator('#table tr:has(.best) th').textContent(),
        await page.locator('#table tbody th').nth(SYSTEMS.indexOf(best)).textContent(),
      );
    },
    { reducedMotion: 'reduce' },
  ),
);

more('pointing at a pixel shows which earlier pixels it may depend on: some in PixelCNN, all in the other models', options, () =>
  withPage(
    async (page) => {
      await page.goto(PAGE);
      await page.locator('#transport[data-phase=ready]').waitFor();
      await page.locator('#run').click();
      await page.locator('#transport[data-phase=done]').waitFor();
      await page.locator('.ending .picture').nth(1).focus();
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('ArrowDown');
      const counts = page.locator('#table td[data-head="A pixel sees"]');
      await counts
        .nth(1)
        .getByText(/of 602 earlier pixels/)
        .waitFor(); // the pixel in row 22, column 15
      const texts = await counts.allTextContents();
      assert.deepEqual(texts.toSpliced(1, 1), Array(5).fill('602 of 602 earlier pixels'));
      assert.ok(parseInt(texts[1], 10) < 500, texts[1]);
    },
    { reducedMotion: 'reduce' },
  ),
);
