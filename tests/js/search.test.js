// SPDX-License-Identifier: MIT
// @ts-check

/** The search of the manual, in its own index. */

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';

import { find } from '../../web/manual/search.js';
import { ROOT } from './helpers.js';

/** @type {import('../../web/manual/search.js').Place[]} */
const places = JSON.parse(await readFile(`${ROOT}web/manual/search.json`, 'utf8'));

test('what is called so comes first; every word has to be there; nothing is found of nothing', () => {
  for (const [question, address] of [['SoundOptions', 'reference.html#SoundOptions'], ['trusted types', 'hosting.html'], ['circle walk', 'latents.html#walks'], ['loading', '']]) {
    const found = find(places, question).map(([at]) => at);
    assert.ok(found.length > 0 && found.slice(0, 5).some((at) => at.startsWith(address)), `${question}: ${found.slice(0, 5).join()}`);
  }
  assert.deepEqual(find(places, 'walk zzzz'), []);
  assert.deepEqual(find(places, '  '), []);
});

test('every place is there', async () => {
  for (const name of new Set(places.map(([address]) => address.split('#')[0]))) {
    const html = await readFile(`${ROOT}web/manual/${name}`, 'utf8');
    for (const [address] of places.filter(([at]) => at.startsWith(`${name}#`))) assert.ok(html.includes(`id="${address.split('#')[1]}"`), address);
  }
});
