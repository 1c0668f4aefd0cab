// SPDX-License-Identifier: MIT
// @ts-check

/**
 * The page loads weights/de-en.gguf, or the file that the environment variable DE_EN names.
 */

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';

import { load } from '../../web/lib/index.js';
import { ROOT } from '../js/helpers.js';
import { more } from '../more.js';
import { OUT, painted, provide, session } from './browser.js';
import { axeFindsNothing, fits } from './checks.js';

/** @import { Page } from 'playwright-core' */

const { withPage } = session();
const PAGE = '/web/pages/transformer/';
const FILE = process.env.DE_EN ?? `${ROOT}weights/de-en.gguf`;
const weights = await readFile(FILE).catch(() => null);
const options = { skip: weights ? false : 'weights/de-en.gguf is missing' };

/** @param {Page} page @param {string} [hash] */
async function open(page, hash = '') {
  await provide(page, '/weights*/de-en.gguf', /** @type {Buffer} */ (weights));
  await page.goto(`${PAGE}${hash}`);
  await page.locator('#sentence:enabled').waitFor();
}
/** @param {Page} page */
const done = (page) => page.locator('#transport[data-phase="done"]').waitFor();
/** @param {Page} page */
const text = (page) => page.locator('#translation').evaluate((node) => node.textContent ?? '');

test('a sentence is translated when it becomes visible, and the result equals the translation by the library', options, () =>
  withPage(async (page) => {
    await open(page);
    await done(page);
    const sentence = await page.locator('#sentence').inputValue();
    const model = await load(FILE);
    assert.equal(await text(page), await model.translate(sentence).text());
    assert.match((await page.locator('#pace').textContent()) ?? '', /\d+ tokens, .* nats; computed without maps in .* ms/);
    await page.locator('#figure-translation').screenshot({ path: `${OUT}transformer.png` });

    // Types another sentence, as a visitor does. Each key press cancels the run that an earlier key press started.
    await page.locator('#sentence').fill('');
    await page.locator('#sentence').pressSequentially('Ein Hund schläft im Gras.', { delay: 30 });
    const wanted = await model.translate('Ein Hund schläft im Gras.').text();
    await page.waitForFunction((words) => document.getElementById('translation')?.textContent === words, wanted);
    await page.locator('#sentence').fill('');
    await page.waitForFunction(() => document.getElementById('translation')?.textContent === '');
    await page.locator('#sentence').fill('ja '.repeat(200));
    await page.waitForFunction(() => /this model sees/.test(document.getElementById('sentence-said')?.textContent ?? ''));
    await page.locator('.example').nth(1).click();
    await done(page);
    assert.equal(await text(page), await model.translate(await page.locator('#sentence').inputValue()).text());
    assert.equal(await page.locator('#sentence-said').textContent(), '');
    model.close();
  }),
);

test('maps are shown by layer and head, with the pointer and with the keys', options, () =>
  withPage(async (page) => {
    await open(page);
    await done(page);
    const map = page.locator('#map canvas');
    await map.scrollIntoViewIfNeeded();
    const pictures = new Set();
    for (const kind of ['source', 'encoder', 'attention']) {
      await page.locator(`input[name=map][value=${kind}]`).check();
      for (const [n, layer, head] of /** @type {const} */ ([
        [-1, '', ''],
        [0, '0', '0'],
        [9, '2', '1'],
      ])) {
        await page.locator(`#map-heads input[value="${n}"]`).check();
        assert.deepEqual(
          [await page.locator('#layer').inputValue(), await page.locator('#head').inputValue()],
          [layer, head],
          'the same above',
        );
        await page.waitForTimeout(60);
        pictures.add((await map.screenshot()).toString('base64'));
      }
      await page.locator('#figure-maps').screenshot({ path: `${OUT}transformer-${kind}.png` });
    }
    assert.equal(pictures.size, 9, 'each looks different');
    // Each head has its own picture and its own sentence. The mean over the heads of a layer is not one of these pictures.
    const small = () =>
      page.locator('#map-heads canvas').evaluateAll((all) => all.map((one) => /** @type {HTMLCanvasElement} */ (one).toDataURL()));
    assert.equal(new Set(await small()).size, 12);
    assert.match(
      (await page.locator('#map-heads label', { hasText: '%' }).first().textContent()) ?? '',
      /^(last word|one before it|the start) \d+%$/,
    );
    await page.locator('#head').selectOption({ value: '' });
    assert.equal(await page.locator('#map-heads input:checked').count(), 0);
    await page.locator('#layer').selectOption({ value: '' });
    assert.equal(await page.locator('#map-heads input:checked').inputValue(), '-1');
    await map.focus();
    await page.keyboard.press('ArrowDown');
    assert.match((await page.locator('#map-note').textContent()) ?? '', /^“.*” gives “.*” /);
    await page.keyboard.press('ArrowRight');
    assert.match(
      (await page.locator('#map-note').textContent()) ?? '',
      /cannot attend to/,
      'the first word of a translation attends only to the start',
    );
  }),
);

test('beams are shown as a tree', options, () =>
  withPage(async (page) => {
    await open(page, '#figure-translation?text=Ein+Hund+schl%C3%A4ft.&beams=4');
    await done(page);
    const model = await load(FILE);
    const run = model.translate('Ein Hund schläft.', { beams: 4 });
    assert.equal(await text(page), await run.text());
    const eight = model.translate('Ein Hund schläft.', { beams: 8 });
    await eight.text();
    model.close();
    await page.locator('#figure-beams').scrollIntoViewIfNeeded();
    assert.equal(await page.locator('#tree-beams').inputValue(), '4', 'as above');
    await page.waitForFunction(() => /complete translations/.test(document.getElementById('tree-said')?.textContent ?? ''));
    assert.equal(
      await page.locator('.tree-score').count(),
      run.search.reduce((sum, { hypotheses }) => sum + hypotheses.length, 0),
    );
    assert.ok((await page.locator('.tree-word.found').count()) >= run.ids.length);
    assert.match((await page.locator('#tree-said').textContent()) ?? '', /complete translations/);
    await page.locator('#figure-beams').screenshot({ path: `${OUT}transformer-beams.png` });
    await page.locator('#tree-beams').selectOption('8');
    await page.waitForFunction(
      (count) => document.querySelectorAll('.tree-score').length === count,
      eight.search.reduce((sum, { hypotheses }) => sum + hypotheses.length, 0),
    );
    assert.equal(await page.locator('#beams').inputValue(), '4', 'the translation above stays');
  }),
);

more('shuffled words are translated, also by a model without positions', options, () =>
  withPage(async (page) => {
    await open(page);
    await done(page);
    await page.locator('#figure-shuffle').scrollIntoViewIfNeeded();
    await page.waitForFunction(() => document.getElementById('without-other')?.textContent); // this text appears without a click
    const order = await page.locator('#order-other').textContent();
    for (let tries = 0; tries < 5 && (await page.locator('#order-other').textContent()) === order; tries++)
      await page.locator('#shuffle').click();
    assert.notEqual(await page.locator('#order-other').textContent(), order);
    await page.waitForFunction(() =>
      /cannot distinguish the two sentences/.test(document.getElementById('shuffle-said')?.textContent ?? ''),
    );
    await page.waitForFunction(() => document.getElementById('without-other')?.textContent);
    assert.equal(await page.locator('#without-own').textContent(), await page.locator('#without-other').textContent(), 'a bag of words');
    assert.match((await page.locator('#shuffle-said').textContent()) ?? '', /cannot distinguish the two sentences/);
    await page.locator('#figure-waves').scrollIntoViewIfNeeded();
    const embedding = Number(await page.locator('#numbers div', { hasText: 'Width' }).locator('dd').textContent());
    assert.equal(
      await page.locator('#waves').evaluate((canvas) => /** @type {HTMLCanvasElement} */ (canvas).width),
      embedding,
      'a column for each channel of the model',
    );
    await page.locator('#place').focus();
    await page.keyboard.press('ArrowRight');
    await page.waitForFunction(() => document.getElementById('place-text')?.textContent === '14');
    await page.locator('#positions-section').screenshot({ path: `${OUT}transformer-positions.png` });
    await page.locator('#figure-waves').screenshot({ path: `${OUT}transformer-waves.png` });
    await page.locator('#figure-shuffle').screenshot({ path: `${OUT}transformer-shuffle.png` });
  }),
);

more('axe-core finds nothing with two orders of a sentence shown, in light mode, in dark mode and on a phone', options, () =>
  withPage(async (page) => {
    await open(page, '#figure-translation?text=Ein+Hund+schl%C3%A4ft+im+Gras.&beams=2');
    await done(page);
    await page.locator('#figure-waves').scrollIntoViewIfNeeded();
    await page.locator('#shuffle').click();
    await page.waitForFunction(() => document.getElementById('with-other')?.textContent);
    await axeFindsNothing(page);
    await page.emulateMedia({ colorScheme: 'dark' });
    await axeFindsNothing(page);
    await page.setViewportSize({ width: 360, height: 740 });
    await painted(page);
    await axeFindsNothing(page);
    await fits(page);
  }),
);

test("the walkthrough leads from the tokens of a sentence to the next word, by keyboard, with the model's values", options, () =>
  withPage(async (page) => {
    await open(page);
    await done(page);
    await page.locator('#figure-walk').scrollIntoViewIfNeeded();
    await page.locator('#walk-words li').first().waitFor();
    const model = await load(FILE);
    const run = model.translate(await page.locator('#sentence').inputValue(), { beams: 8, maps: true });
    const steps = [];
    for await (const step of run) steps.push(step);
    /** @param {string} name */
    const live = (name) => page.locator(`#walk [data-live="${name}"]`).first().textContent();
    /** Checks that a fraction equals the whole percentage in the page's text. @param {number} share @param {string | null} said */
    const says = (share, said) =>
      assert.ok(share > 0.995 ? said === 'over 99%' : Math.abs(100 * share - parseFloat(said ?? '')) < 0.6, `${share}, ${said}`);
    const place = Number(await live('place')) - 1;
    assert.equal(await live('id'), String(run.source[place]));
    says(Math.exp(-steps[2].nats), await live('best-share'));
    says(steps[2].maps?.filter(({ name }) => name === 'source')[2 * model.info.heads + 2].weights[place] ?? 0, await live('cross-share'));
    const size = run.source.length;
    const friend = run.sourceTexts.findIndex((text, i) => i !== place && text.trim() === 'Ein');
    says(run.encoder[Number(await live('head')) - 1].weights[place * size + friend], await live('self-share'));
    const count = await page.locator('#walk > li').count();
    const lit = new Set();
    await page.locator('#walk-next').focus();
    for (let step = 0; step < count; step++) {
      const sentence = await page.locator('#walk > li:not([hidden])').innerText();
      assert.match(sentence, /^[A-Z].*\. .*\.$/);
      assert.doesNotMatch(sentence, /undefined|NaN|“”/);
      lit.add(
        await page
          .locator('#figure-walk')
          .evaluate((figure) =>
            [...figure.querySelectorAll('.walk-part')]
              .map(
                (part) =>
                  `${part.className} ${[...part.querySelectorAll('.chip')].map(
                    (chip) => `${chip.className}${/** @type {HTMLElement} */ (chip).style.cssText}`,
                  )}`,
              )
              .join(),
          ),
      );
      if (step + 1 < count) await page.keyboard.press('Enter');
    }
    assert.equal(lit.size, count, 'each step highlights something else');
    // Another word of the translation can be chosen as the next one.
    await page.locator('#walk-target input:checked').press('ArrowRight');
    await page.waitForFunction(
      (word) => document.querySelector('#walk [data-live=last]')?.textContent === word,
      steps[2].text.replace(' ', '␣'),
    );
    says(Math.exp(-steps[3].nats), await live('best-share'));
    model.close();
  }),
);
