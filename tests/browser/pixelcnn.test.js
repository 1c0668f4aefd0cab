// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Tests the page about PixelCNN: its completions, its masks, and the receptive fields of PixelCNN and Gated PixelCNN. The receptive fields
 * must equal those that the models report. The tests run only if the weights exist.
 */

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';

import { load } from '../../web/lib/index.js';
import { leaves } from '../../web/pages/pixelcnn/leaves.js';
import { session } from './browser.js';
import { inRepository } from './gallery.js';

const { withPage } = session();
const PAGE = '/web/pages/pixelcnn/';
const FILES = ['pixelcnn-digits.gguf', 'gated-pixelcnn-digits.gguf'];
const missing = FILES.find((file) => !existsSync(inRepository(`weights/${file}`)));
const options = { skip: missing && `weights/${missing} is missing` };

/** Returns the positions that pixel i sees, layer by layer, as the model reports them. @param {string} file @param {number} i */
async function fieldOf(file, i) {
  const model = await load(new Uint8Array(await readFile(inRepository(`weights/${file}`))));
  const blank = { data: new Uint8Array(784), width: 28, height: 28 };
  for await (const { from, maps } of model.complete(blank, { rows: Math.floor(i / 28), samples: 1, maps: true })) {
    if (from < i) continue;
    model.close();
    return (maps ?? []).map(({ keys }) => [...keys].filter((key) => key < i));
  }
  throw new Error('no such pixel');
}

test('a gate closes and opens with its inputs', () =>
  withPage(async (page) => {
    await page.goto(PAGE);
    const said = page.locator('#gates-said');
    await page.locator('#gate-f').fill('2');
    await page.locator('#gate-g').fill('0');
    await said.getByText('tanh 2.00 = 0.96; σ(0.00) = 0.50; together 0.48.').waitFor();
    const height = async () => 60 - Number(await page.locator('#gates-chart circle').getAttribute('cy'));
    const half = await height();
    await page.locator('#gate-g').fill('-4');
    await said.getByText('together 0.02.').waitFor();
    assert.ok(half > 25 && (await height()) < 2);
  }));

test('masks A and B keep the earlier pixels', () => {
  const open = (/** @type {'A' | 'B'} */ kind) =>
    [-2, -1, 0, 1, 2].flatMap((down) => [-2, -1, 0, 1, 2].map((right) => Number(leaves(kind, down, right))));
  assert.deepEqual(open('A'), [...Array(12).fill(1), ...Array(13).fill(0)]);
  assert.deepEqual(open('B'), [...Array(13).fill(1), ...Array(12).fill(0)]);
});

test('a pixel sees the positions that the models report, with all layers and with one; only PixelCNN has a blind spot', options, () =>
  withPage(
    async (page) => {
      await page.goto(PAGE);
      await page.locator('#transport[data-phase=ready]').waitFor();
      const i = 18 * 28 + 8;
      const fields = await Promise.all(FILES.map((file) => fieldOf(file, i)));
      await page.locator('#fields').scrollIntoViewIfNeeded();
      const notes = page.locator('#fields .panel-note');
      const said = (/** @type {number} */ count) => `Row 19, column 9: sees ${count} of the 512 pixels before it.`;
      await notes
        .nth(0)
        .getByText(said(/** @type {number[]} */ (fields[0].at(-1)).length))
        .waitFor();
      await notes.nth(1).getByText(said(512)).waitFor();
      assert.deepEqual(
        fields[1].at(-1),
        Array.from({ length: i }, (_, j) => j),
      );
      assert.ok(!fields[0].at(-1)?.includes(17 * 28 + 20)); // the plain model does not see the pixel one row up and to the right
      await page.locator('#field-layer').fill('0');
      for (const k of [0, 1]) await notes.nth(k).getByText(said(24)).waitFor(); // mask A keeps 24 pixels of the 7 x 7 square
      await page.locator('#fields .picture').nth(0).focus();
      await page.keyboard.press('ArrowRight');
      await notes.nth(0).getByText('Row 19, column 10').waitFor();
      await page.locator('#mask-at').fill('0');
      await page.locator('#masks').getByText('0 of 25 taps').waitFor();
    },
    { reducedMotion: 'reduce' },
  ),
);
