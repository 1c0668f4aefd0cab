// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Tests the page about sparse attention: its patterns must equal those of the models, and its captions must match its figures. The tests
 * run only if the weights exist.
 */

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';

import { load } from '../../web/lib/index.js';
import { FAR, NEAR, cells, keysOf, kept, reached } from '../../web/pages/sparse/patterns.js';
import { kindOf, randomModel } from '../../web/pages/sparse/random-model.js';
import { more } from '../more.js';
import { session } from './browser.js';
import { inRepository } from './gallery.js';

const { withPage } = session();
const PAGE = '/web/pages/sparse/';
const FILES = ['sparse-digits.gguf', 'image-transformer-digits-bw.gguf'];
const missing = FILES.find((file) => !existsSync(inRepository(`weights/${file}`)));
const options = { skip: missing && `weights/${missing} is missing` };

test('the patterns on the page equal the patterns of the models, head by head', options, async () => {
  const digits = await load(new Uint8Array(await readFile(inRepository('weights/sparse-digits.gguf'))));
  const strided = /** @type {const} */ ({ kind: 'strided', n: 784, stride: 28, summary: 0 });
  let looks = 0;
  for await (const { from, maps = [] } of digits.complete(
    { data: new Uint8Array(784), width: 28, height: 28 },
    { rows: 26, samples: 1, maps: true },
  )) {
    for (const { layer, keys } of maps) {
      // the key at position j holds pixel j - 1
      assert.deepEqual(
        [...keys],
        keysOf(strided, layer % 2 ? FAR : NEAR, from).map((j) => j - 1),
      );
      looks++;
    }
  }
  digits.close();
  assert.ok(looks >= 56 * 24, `${looks} rows`);
  const [byte, text] = [
    await load(new Uint8Array(await readFile(inRepository('tests/golden/sparse-fixed-q8_0.gguf')))),
    'Once upon a time',
  ];
  const fixed = /** @type {const} */ ({ kind: 'fixed', n: 40, stride: 8, summary: 2 });
  const half = byte.info.heads / 2;
  let at = text.length; // position 0 holds the begin token, so byte `at` is predicted at position `at` - 1
  for await (const { maps = [] } of byte.generate(text, { maxTokens: 20, maps: true, seed: 1 })) {
    at++;
    for (const { head, keys } of maps) assert.deepEqual([...keys], keysOf(fixed, head < half ? NEAR : FAR, at - 1));
  }
  byte.close();
  assert.ok(at > text.length);
});

test('two layers reach every earlier position; cells() and kept() count the computed cells and the cached positions', () => {
  for (const kind of /** @type {const} */ (['strided', 'fixed'])) {
    const p = { kind, n: 36, stride: 6, summary: 1 };
    for (const combine of /** @type {const} */ (['interleaved', 'merged', 'heads']))
      for (let i = 0; i < p.n; i++)
        assert.equal(
          reached(p, combine, i).reduce((a, b) => a + b, 0),
          i + 1,
        );
  }
  assert.equal(cells({ kind: 'strided', n: 36, stride: 36, summary: 0 }, NEAR), 666);
  assert.deepEqual(
    [kept({ kind: 'fixed', n: 1024, stride: 32, summary: 2 }, FAR), kept({ kind: 'fixed', n: 1024, stride: 32, summary: 2 }, NEAR)],
    [64, 48],
  );
});

test('files of models with random weights load and draw', async () => {
  for (const which of /** @type {const} */ (['dense', 'strided', 'fixed'])) {
    const model = await load(randomModel(16, kindOf(which, 16)));
    let drawn = 0;
    for await (const { values } of model.generate({ samples: 1, seed: 1 })) drawn += values.length;
    model.close();
    assert.equal(drawn, 256);
  }
});

test('in every pattern and combination, a row lists its keys, with the pointer and with the keyboard', options, () =>
  withPage(
    async (page) => {
      await page.goto(PAGE);
      await page.locator('#figure-patterns[data-ready]').waitFor();
      const said = page.locator('#patterns [data-result]');
      await said
        .getByText(
          'position 22 of 36. Dense attention looks at 22 keys in each layer; here a step looks at 6 keys in one layer and 4 in the next.',
        )
        .waitFor();
      const notes = page.locator('.patterns .panel-note');
      await notes.nth(3).getByText('All 22 positions up to this one.').waitFor();
      await page.getByLabel('Fixed', { exact: true }).check();
      // the query sees 4 keys of its own block, and the last keys of three previous blocks
      await said.getByText('4 keys in one layer and 3 in the next').waitFor();
      await page.getByLabel('Merged').check();
      await said.getByText('here a step looks at 7 keys').waitFor();
      assert.ok(await page.locator('.patterns .panel').nth(1).isHidden());
      await page.getByLabel('By head').check();
      await said.getByText('half of the heads look at 4 keys, the others at 3').waitFor();
      await page.getByRole('radio', { name: '28 × 28' }).check();
      await said.getByText('of 784').waitFor();
      await page.getByLabel('Strided', { exact: true }).check();
      const picture = page.locator('.patterns .picture').nth(2);
      await picture.focus();
      await page.keyboard.press('ArrowDown');
      const before = await said.textContent();
      await page.keyboard.press('ArrowRight');
      await page.waitForFunction((text) => document.querySelector('#patterns [data-result]')?.textContent !== text, before);
      assert.match(String(await said.textContent()), /half of the heads look at 28 keys/);
    },
    { reducedMotion: 'reduce' },
  ),
);

test('heads of both models show their attention; a pixel of a completion shows its sets', options, () =>
  withPage(
    async (page) => {
      await page.goto(PAGE);
      await page.locator('#transport[data-phase=ready]').waitFor();
      await page.locator('#heads').scrollIntoViewIfNeeded();
      const note = page.locator('#heads [data-result]');
      await note.getByText(/Row 18, column 14: \d+% of the attention of the dense heads/).waitFor();
      assert.equal(await page.locator('.all-heads canvas').count(), 48);
      await page.locator('#heads .picture').focus();
      await page.keyboard.press('ArrowRight');
      await note.getByText('Row 18, column 15').waitFor();
    },
    { reducedMotion: 'reduce' },
  ),
);

more('the cost of a step is measured on this machine, and the measurement can be stopped', options, () =>
  withPage(
    async (page) => {
      await page.goto(PAGE);
      await page.locator('#cost').scrollIntoViewIfNeeded();
      await page
        .locator('#cost-said')
        .getByText(/Measured on another machine/)
        .waitFor();
      const filled = await page.locator('#cost td').allTextContents();
      assert.ok(filled.length === 21 && filled.every((text) => /\d/.test(text)), 'the table is filled from the start');
      await page.locator('#cost-run').click();
      const first = page.locator('#cost tbody tr').first();
      await first
        .locator('td')
        .nth(3)
        .getByText(/^[\d.]+ times$/)
        .waitFor({ timeout: 60000 });
      for (const k of [0, 1, 2]) assert.match(String(await first.locator('td').nth(k).textContent()), /^[\d,]+ µs$/);
      await page.locator('#cost-stop').click();
      await page.locator('#cost-transport[data-phase=ready]').waitFor();
    },
    { reducedMotion: 'reduce' },
  ),
);
