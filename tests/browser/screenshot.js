// SPDX-License-Identifier: MIT
// @ts-check

/** Makes the picture of the demo for the README: node tests/browser/screenshot.js. Writes web/front/screenshot.png. */

import { fileURLToPath } from 'node:url';

import { serve } from '../../web/tools/serve.js';
import { launch } from './browser.js';

const PICTURE = fileURLToPath(new URL('../../web/front/screenshot.png', import.meta.url));

const [server, browser] = await Promise.all([serve({ port: 0 }), launch()]);
try {
  const page = await browser.newPage({ viewport: { width: 1200, height: 1000 }, colorScheme: 'light', reducedMotion: 'reduce' });
  await page.goto(`${server.url}web/`);
  await page.click('#run:enabled'); // with reduced motion, a picture appears only when it is complete
  await page.locator('#run-text', { hasText: 'Run again' }).waitFor();
  await page.locator('.tile canvas[width]').last().waitFor();
  await page.waitForFunction(() => /\d nats/.test(document.querySelector('.source .panel-note')?.textContent ?? ''));
  await page.mouse.move(0, 0);
  const top = await page.locator('.tiles-foot').evaluate((element) => element.getBoundingClientRect().bottom);
  const png = await page.screenshot({ path: PICTURE, clip: { x: 0, y: 0, width: 1200, height: Math.round(top) + 24 } });
  console.log(`web/front/screenshot.png: ${png.length} bytes`);
} finally {
  await browser.close();
  await server.close();
}
