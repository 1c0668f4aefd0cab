// SPDX-License-Identifier: MIT
// @ts-check

/** A visitor's file of any kind is shown by one page, and every other page names that page (web/shell/model/misfit.js). */

import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import { test } from 'node:test';

import { KINDS } from '../../web/lib/kinds/index.js';
import { ROOT } from './helpers.js';

/** The entries of misfit.js in order: kinds or verbs, each with its sentence. */
const rows = [...(await readFile(`${ROOT}web/shell/model/misfit.js`, 'utf8')).matchAll(/^ {4}'(\w+)',\n {4}\(name\) => phrase`/gm)].map(
  ([, does]) => does,
);
const taken = new Set(
  await Promise.all(
    (await readdir(`${ROOT}web/pages`)).map((page) => readFile(`${ROOT}web/pages/${page}/page.html`, 'utf8').catch(() => '')),
  ).then((texts) => texts.flatMap((text) => /^takes: (.*)$/m.exec(text)?.[1].split(' ') ?? [])),
);

for (const { name, verbs } of KINDS)
  test(`${name}: one page accepts such files, and the others name it`, () => {
    const words = rows.filter((does) => does === name || Object.hasOwn(verbs, does));
    assert.ok(words.length > 0, `misfit.js has a sentence about ${name}`);
    assert.ok(taken.has(words[0]), `a page takes ${words[0]}`);
  });

test('every sentence is about an existing kind or verb', () => {
  assert.ok(rows.length > 0);
  for (const does of rows)
    assert.ok(
      KINDS.some(({ name, verbs }) => name === does || Object.hasOwn(verbs, does)),
      does,
    );
});
