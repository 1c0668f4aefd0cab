// SPDX-License-Identifier: MIT
// @ts-check

/** Drives Chromium with playwright-core, as in the browser tests. */

import { existsSync } from 'node:fs';

import { CHROMIUM, launch } from '../browser/browser.js';

/** @type {import('./engine.js').Engine} */
export const chromium = {
  name: 'Chromium',
  missing: () => (existsSync(CHROMIUM) ? undefined : 'Chromium (Debian package: chromium-headless-shell or chromium), or CHROMIUM=PATH'),
  async open(url) {
    const browser = await launch();
    try {
      const page = await browser.newPage({ viewport: { width: 1200, height: 900 } });
      await page.goto(url);
      return {
        evaluate: (expression) => page.evaluate(expression),
        screenshot: () => page.screenshot(),
        close: () => browser.close(),
      };
    } catch (error) {
      await browser.close();
      throw error;
    }
  },
};
