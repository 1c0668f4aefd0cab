// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Tests the page about the fully visible sigmoid belief network: its completions, and the weights of its pixels. The tests run only if the
 * weights exist.
 */

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';

import { load } from '../../web/lib/index.js';
import { readGguf } from '../../web/shell/model/gguf.js';
import { more } from '../more.js';
import { OUT, session } from './browser.js';
import { endings, opening } from './endings.js';
import { inRepository } from './gallery.js';

/** @import { AnyModel } from '../../web/lib/model/of-kind.js' */

const { withPage } = session();
const PAGE = '/web/pages/fvsbn/';
const FILE = inRepository('weights/fvsbn.gguf');
const SIDE = 28;
const options = { skip: !existsSync(FILE) && 'weights/fvsbn.gguf is missing' };

test("the completions are the model's drawings for a black and white digit", options, () =>
  withPage(async (page) => {
    await page.goto(PAGE);
    await page.locator('#run-text', { hasText: 'Run again' }).waitFor();
    const model = /** @type {AnyModel} */ (await load(new Uint8Array(await readFile(FILE))));
    assert.equal(model.info.levels, 2);
    const source = await opening();
    const pictures = [0, 1, 2].map(() => Uint8Array.from(source));
    for await (const { sample, from, values } of model.complete(
      { data: source, width: SIDE, height: SIDE },
      { rows: 12, samples: 3, seed: 7 },
    )) {
      pictures[sample].set(values, from);
    }
    model.close();
    const seen = await endings(page);
    seen.forEach((picture, sample) =>
      assert.deepEqual(
        picture,
        Array.from(pictures[sample], (value) => value > 0),
        `ending ${sample}`,
      ),
    );
  }),
);

test('pointing at a pixel shows the weights that the file has for it', options, () =>
  withPage(
    async (page) => {
      await page.goto(PAGE);
      const note = page.locator('#votes .panel-note');
      await note.getByText(/^Row 15, column 14/).waitFor();
      const buffer = await readFile(FILE);
      const { values, shape } = readGguf(
        /** @type {ArrayBuffer} */ (buffer.buffer.slice(buffer.byteOffset, buffer.byteOffset + buffer.length)),
      ).tensor('fvsbn.weight');
      assert.deepEqual(shape, [784, 784]);
      const [row, col] = [20, 9];
      const i = row * SIDE + col;
      const box = await page.locator('#votes .picture').boundingBox();
      assert.ok(box);
      await page.locator('#votes .picture').scrollIntoViewIfNeeded();
      const now = (await page.locator('#votes .picture').boundingBox()) ?? box;
      await page.mouse.move(now.x + ((col + 0.5) * now.width) / SIDE, now.y + ((row + 0.5) * now.height) / SIDE);
      await note.getByText(`Row ${row + 1}, column ${col + 1}`).waitFor();
      let most = 0;
      for (let j = 0; j < i; j++) if (values[j * 784 + i] > values[most * 784 + i]) most = j;
      const said = (await note.textContent()) ?? '';
      assert.ok(
        said.includes(
          `Most for it: row ${Math.floor(most / SIDE) + 1}, column ${(most % SIDE) + 1} (+${values[most * 784 + i].toFixed(1)})`,
        ),
        said,
      );
      // A pixel has a warm colour if ink at this pixel makes ink at the selected pixel more probable, and a blue colour if it makes ink
      // there less probable. Later pixels have no weight.
      const colours = await page.locator('#votes canvas').evaluate((element) => {
        const { width } = /** @type {HTMLCanvasElement} */ (element);
        const context = /** @type {CanvasRenderingContext2D} */ (/** @type {HTMLCanvasElement} */ (element).getContext('2d'));
        const { data } = context.getImageData(0, 0, width, width);
        return Array.from({ length: 784 }, (_, k) => {
          const at = 4 * (Math.floor(((Math.floor(k / 28) + 0.5) * width) / 28) * width + Math.floor((((k % 28) + 0.5) * width) / 28));
          return [data[at], data[at + 1], data[at + 2]];
        });
      });
      for (let j = 0; j < 784; j++) {
        const w = j < i ? values[j * 784 + i] : 0;
        const [red, , blue] = colours[j];
        if (w > 0.05) assert.ok(red > blue, `${j}`);
        if (w < -0.05) assert.ok(blue > red, `${j}`);
        if (j > i) assert.deepEqual(colours[j], colours[783]);
      }
      await page.locator('#votes .picture').focus();
      await page.keyboard.press('ArrowLeft');
      await note.getByText(`Row ${row + 1}, column ${col}`).waitFor();
      await page.locator('#figure-votes').screenshot({ path: `${OUT}votes.png` });
    },
    { complains: true },
  ),
);

more('training digits are shown next to as many drawn digits; a button shows others', options, () =>
  withPage(async (page) => {
    await page.goto(PAGE);
    await page.locator('#figure-samples').scrollIntoViewIfNeeded();
    const [given, drawn] = [page.locator('#samples canvas').first(), page.locator('#samples canvas').last()];
    /**
     * Returns 1 for each black pixel of a sheet, and 0 for all others.
     *
     * @param {import('playwright-core').Locator} sheet
     * @returns {Promise<number[]>}
     */
    const inkOf = (sheet) =>
      sheet.evaluate((element) => {
        const { width, height } = /** @type {HTMLCanvasElement} */ (element);
        const copy = /** @type {OffscreenCanvasRenderingContext2D} */ (new OffscreenCanvas(width, height).getContext('2d'));
        copy.drawImage(/** @type {HTMLCanvasElement} */ (element), 0, 0);
        const { data } = copy.getImageData(0, 0, width, height);
        return Array.from({ length: width * height }, (_, i) => (data[4 * i + 3] > 0 && data[4 * i] < 128 ? 1 : 0));
      });
    await page.locator('#samples-again:enabled').waitFor();
    await page.waitForFunction(() => /** @type {HTMLCanvasElement} */ (document.querySelector('#samples canvas')).width === 150);
    const bits = await readFile(inRepository('web/pictures/binarised-digits.bin'));
    const ink = await inkOf(given);
    for (let k = 0; k < 25; k++) {
      for (let i = 0; i < 784; i++) {
        const at = (Math.floor(k / 5) * 30 + 1 + Math.floor(i / 28)) * 150 + (k % 5) * 30 + 1 + (i % 28);
        assert.equal(ink[at], (bits[98 * k + (i >> 3)] >> (7 - (i & 7))) & 1, `digit ${k}, pixel ${i}`);
      }
    }
    const before = await inkOf(drawn);
    await page.locator('#samples-again').press('Enter');
    const after = await inkOf(drawn);
    assert.notDeepEqual(after, before);
    const share = (/** @type {number[]} */ dots) => dots.reduce((sum, dot) => sum + dot, 0) / (25 * 784);
    // In the data set, 0.13 of all pixels are black.
    for (const dots of [before, after]) assert.ok(share(dots) > 0.07 && share(dots) < 0.2, `${share(dots)}`);
  }),
);

test('the model learns from picked or drawn digits, and can start over; with reduced motion, it learns one digit at a time', options, () =>
  withPage(async (page) => {
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await page.goto(PAGE);
    await page.locator('#figure-samples').scrollIntoViewIfNeeded();
    const transport = page.locator('#learning-transport');
    await transport.locator('#learning-run').waitFor();
    await page.locator('#figure-learning').scrollIntoViewIfNeeded();
    const nats = page.locator('#learning-nats');
    assert.match((await nats.textContent()) ?? '', /^Not trained yet/);
    assert.equal(await transport.getAttribute('data-phase'), 'ready'); // training does not begin automatically
    await page.locator('#learning-step').press('Enter');
    await nats.getByText(/^1 digit, one at a time: 543 nats/).waitFor();
    await page.locator('[role=status]', { hasText: '543 nats' }).waitFor({ state: 'attached' });

    // Picks only two digits for the training with the keyboard, and then adds a drawing.
    const digits = page.locator('#learning-digits .picture');
    await page.getByRole('button', { name: 'None', exact: true }).click();
    await page.locator('#learning-digits canvas[aria-label="200 digits, 0 of them picked"]').waitFor();
    await digits.focus();
    for (const key of ['ArrowRight', 'Enter', 'ArrowRight', ' ']) await page.keyboard.press(key);
    await page.locator('#learning-digits canvas[aria-label="200 digits, 2 of them picked"]').waitFor();
    await page.locator('#learning-pad-open').click();
    const pad = page.locator('#learning-pad .pad-surface');
    await pad.scrollIntoViewIfNeeded();
    const box = await pad.boundingBox();
    assert.ok(box);
    await page.mouse.move(box.x + 120, box.y + 40);
    await page.mouse.down();
    await page.mouse.move(box.x + 110, box.y + 200, { steps: 5 });
    await page.mouse.up();
    await page.locator('#learning-add').click();
    await page.locator('#learning-digits canvas[aria-label="201 digits, 3 of them picked"]').waitFor();
    assert.ok(await page.locator('#learning-add').isDisabled());

    // Training stops automatically. Afterwards, the three training digits cost almost nothing, and other digits cost more.
    await page.locator('#learning-again').click();
    await page.locator('#learning-run').click();
    await nats.getByText(/^2,000 digits/).waitFor({ timeout: 60000 }); // training on 2,000 digits may take up to a minute
    assert.equal(await transport.getAttribute('data-phase'), 'paused');
    const [, learnt, unseen] = /: (\d+) nats .*, (\d+) for a held-out digit/.exec((await nats.textContent()) ?? '')?.map(Number) ?? [];
    assert.ok(learnt < 20 && unseen > 200, `${learnt}, ${unseen}`);
    await page.locator('#figure-learning').screenshot({ path: `${OUT}learning.png` });
    await page.locator('#learning-again').click();
    await nats.getByText(/^Not trained yet/).waitFor();
  }),
);
