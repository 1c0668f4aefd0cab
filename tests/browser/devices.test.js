// SPDX-License-Identifier: MIT
// @ts-check

/** Checks that all pages that use the microphone or the camera report faults in the same words. */

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';

import { pagesOf } from '../../web/tools/fresh.js';
import { oneOf } from '../more.js';
import { rowsOf } from '../pages/browser.js';
import { session } from './browser.js';
import { inRepository } from './gallery.js';

/** @import { Page } from 'playwright-core' */

const { withPage } = session();
/** The origin of another host on the network. Because it uses http, its pages are not secure contexts. */
const LAN = 'http://lan.test';

/** The pages that use a device, and their controls. */
const USES = Object.entries(rowsOf('device'));

/** Errors of browsers. Each error has a pattern that the page's message for it must match. @type {[string, RegExp][]} */
const ERRORS = [
  ['NotAllowedError', /This page may not use the .*Allow it in the browser/],
  ['SecurityError', /may not use/],
  ['NotFoundError', /^There is no (microphone|camera): choose a file\.$/],
  ['OverconstrainedError', /^There is no/],
  ['NotReadableError', /^Another program is using the (microphone|camera)/],
  ['AbortError', /^Another program is using the (microphone|camera)/],
  ['Insecure', /over https/],
  ['Unsupported', /This browser gives pages no access/],
  ['constructor', /does not work: why\. Choose a file\.$/],
  ['TypeError', /does not work: why\. Choose a file\.$/],
];

test('for both devices, every error has a sentence that names the device and says what to do', () =>
  withPage(async (page) => {
    await page.goto('/web/pages/fvsbn/');
    const said = await page.evaluate(
      async (names) => {
        const { deviceRefused } = await import(/** @type {any} */ (new URL('../../shell/page/devices.js', location.href).href));
        return ['microphone', 'camera'].map((device) =>
          names.map((name) => deviceRefused(device, Object.defineProperty(new Error('why'), 'name', { value: name }))),
        );
      },
      ERRORS.map(([name]) => name),
    );
    for (const [i, device] of ['microphone', 'camera'].entries())
      for (const [j, [name, words]] of ERRORS.entries()) {
        assert.match(said[i][j], words, `${device}, ${name}`);
        assert.match(said[i][j], new RegExp(device), name);
        assert.match(said[i][j], /choose a file/i, name);
      }
  }));

/** Serves the pages from LAN. @param {Page} page @param {string} url address of the server */
const overLan = (page, url) =>
  page.route(`${LAN}/**`, async (route) => {
    const answer = await route.fetch({ url: url + new URL(route.request().url()).pathname.slice(1) });
    await route.fulfill({ response: answer });
  });

test('these tests cover each page with a figure that may use the microphone or the camera', async () => {
  const allowed = await Promise.all(
    (await pagesOf(inRepository('web/'))).map(async (name) => {
      const html = await readFile(inRepository(`web/pages/${name}/page.html`), 'utf8');
      return [...new Set([...html.matchAll(/data-allow="(\w+)"/g)].map(([, device]) => `${name}: ${device}`))];
    }),
  );
  assert.deepEqual(USES.map(([name, { device }]) => `${name}: ${device}`).sort(), allowed.flat().sort());
});

for (const [i, [name, { device, button, said }]] of USES.entries())
  oneOf(i, 2)(`over http from another machine, ${name} says that the ${device} requires https`, () =>
    withPage(
      async (page) => {
        await page.goto('/web/pages/fvsbn/');
        await overLan(page, new URL('/', page.url()).href);
        await page.goto(`${LAN}/web/pages/${name}/`);
        assert.equal(await page.evaluate(() => isSecureContext), false);
        const use = page.locator(button).first();
        await use.scrollIntoViewIfNeeded();
        await page.locator(`${button}:not([disabled])`).first().waitFor({ timeout: 90000 });
        await use.click();
        await page
          .locator(said)
          .getByText(new RegExp(`Browsers allow the ${device} only on pages served over https`))
          .first()
          .waitFor();
        await page.unrouteAll({ behavior: 'ignoreErrors' });
      },
      { complains: true }, // Chromium reports a call of a function that needs a secure context
    ),
  );

test('a microphone that the visitor refuses, and a microphone that does not exist, are reported', () =>
  withPage(async (page) => {
    // Which of the two errors a headless browser gives depends on the machine.
    await page.addInitScript(() => {
      navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('', /** @type {any} */ (globalThis).refusal));
    });
    const [name, { button, said }] = USES.find(([, { device }]) => device === 'microphone') ?? assert.fail('no page uses a microphone');
    await page.goto(`/web/pages/${name}/`);
    for (const [refusal, words] of ERRORS.filter(([one]) => ['NotAllowedError', 'NotFoundError'].includes(one))) {
      await page.evaluate((one) => Object.assign(globalThis, { refusal: one }), refusal);
      await page.locator(`${button}:enabled`).click({ timeout: 90000 });
      await page.locator(said).getByText(words).waitFor();
    }
  }));
