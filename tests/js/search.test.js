// SPDX-License-Identifier: MIT
// @ts-check

/** Tests the manual's search function and search index. */

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';

import { find } from '../../web/manual/search.js';
import { ROOT } from './helpers.js';

/** @type {import('../../web/manual/search.js').Place[]} */
const places = JSON.parse(await readFile(`${ROOT}web/manual/search.json`, 'utf8'));

test('the entry whose name equals the query comes first; an empty query finds nothing', () => {
  for (const [question, address] of [
    ['SoundOptions', 'reference.html#SoundOptions'],
    ['trusted types', 'hosting.html'],
    ['circle walk', 'latents.html#walks'],
    ['loading', ''],
  ]) {
    const found = find(places, question).map(([at]) => at);
    assert.ok(found.length > 0 && found.slice(0, 5).some((at) => at.startsWith(address)), `${question}: ${found.slice(0, 5).join()}`);
  }
  assert.deepEqual(find(places, 'zzzz'), []);
  assert.deepEqual(find(places, '  '), []);
});

test('an entry must contain every word of the query, unless no entry does; synonyms match, and stop words are ignored', () => {
  const made = /** @type {import('../../web/manual/search.js').Place[]} */ ([
    ['a.html', 'Walks', 'circle line'],
    ['b.html', 'Colours', 'circle of a walk'],
    ['c.html', 'Others', 'abort'],
  ]);
  assert.deepEqual(
    find(made, 'walk line').map(([at]) => at),
    ['a.html'],
  );
  assert.deepEqual(
    find(made, 'walk zzzz').map(([at]) => at),
    ['a.html', 'b.html'],
  );
  assert.deepEqual(
    find(made, 'how do I cancel').map(([at]) => at),
    ['c.html'],
  );
  assert.deepEqual(
    find(made, 'colors').map(([at]) => at),
    ['b.html'],
  );
  assert.deepEqual(find(made, 'constructor'), []);
  for (const [question, address] of [
    ['csp', 'hosting.html'],
    ['cors', ''],
    ['iframe', 'hosting.html'],
    ['benchmark', 'numbers.html'],
    ['cancel', ''],
    ['webworker', ''],
  ]) {
    assert.ok(
      find(places, question)
        .slice(0, 3)
        .some(([at]) => at.startsWith(address)),
      question,
    );
  }
});

test('words that teachers use, in English and Korean, find sections that do not contain them', () => {
  for (const [questions, address] of [
    ['iframe embed moodle 임베드 아이프레임 퍼가기', 'classroom.html#one-figure-in-your-own-page'],
    ['offline 오프라인', 'classroom.html#without-a-network'],
    ['usb 유에스비', 'classroom.html#a-usb-stick'],
    ['csv 엑셀', 'numbers.html#on-the-command-line'],
    ['webgpu gpu 웹지피유', 'how.html'],
  ]) {
    for (const question of questions.split(' '))
      assert.ok(
        find(places, question)
          .slice(0, 3)
          .some(([at]) => at === address),
        `${question}: ${find(places, question)
          .slice(0, 5)
          .map(([at]) => at)}`,
      );
  }
});

test("every entry's target exists", async () => {
  for (const name of new Set(places.map(([address]) => address.split('#')[0]))) {
    const html = await readFile(`${ROOT}web/manual/${name}`, 'utf8');
    for (const [address] of places.filter(([at]) => at.startsWith(`${name}#`)))
      assert.ok(html.includes(`id="${address.split('#')[1]}"`), address);
  }
});
