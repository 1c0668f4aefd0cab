// SPDX-License-Identifier: MIT
// @ts-check

/** The toy page: three endings of a digit. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { session } from './browser.js';

const { withPage } = session();

test('three endings are drawn without a click', () => withPage(async (page) => {
  await page.goto('/web/pages/toy/');
  await page.locator('#run-text', { hasText: 'Run again' }).waitFor();
  assert.equal(await page.locator('.ending canvas').count(), 3);
}));
