// SPDX-License-Identifier: MIT
// @ts-check

/** Checks the HTML of the pages. */

import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import { test } from 'node:test';

import { ROOT } from './helpers.js';

/** @type {Map<string, string>} */
const pages = new Map();
for (const name of await readdir(`${ROOT}web`, { recursive: true })) {
  if (/(^|\/)(page|endings|translation|writing)\.html$/.test(name)) pages.set(name, await readFile(`${ROOT}web/${name}`, 'utf8'));
}

test('every picture has an accessible name', () => {
  assert.ok(pages.size > 15);
  for (const [name, text] of pages) {
    for (const [tag] of text.matchAll(/<canvas[^>]*role="img"[^>]*>/g)) assert.match(tag, /aria-label(ledby)?="[^"]/, `${name}: ${tag}`);
  }
});
