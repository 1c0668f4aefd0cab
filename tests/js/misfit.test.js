// SPDX-License-Identifier: MIT
// @ts-check

/** Visitors can open their own files. Each kind of file is shown by one page. If a visitor opens a file on another page, that
 * other page must name the correct page (web/shell/model/misfit.js). */

import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import { test } from 'node:test';

import { KINDS } from '../../web/lib/kinds/index.js';
import { PAGES } from '../../web/shell/model/pages-of-kinds.js';
import { ROOT } from './helpers.js';

const taken = new Set(
  await Promise.all(
    (await readdir(`${ROOT}web/pages`)).map((page) => readFile(`${ROOT}web/pages/${page}/page.html`, 'utf8').catch(() => '')),
  ).then((texts) => texts.flatMap((text) => /^takes: (.*)$/m.exec(text)?.[1].split(' ') ?? [])),
);

for (const { name, verbs } of KINDS)
  test(`${name}: one page accepts files of this kind, and all other pages name this page`, () => {
    const own = PAGES.filter(([kind]) => kind === name);
    assert.ok(own.length > 0, `PAGES of web/lib/kinds/${name}/kind.js needs a sentence`);
    for (const [, deed, says] of own) {
      assert.ok(deed === name || Object.hasOwn(verbs, deed), `${deed} must be a verb of ${name}`);
      assert.ok(taken.has(deed), `a page takes ${deed}`);
      assert.match(says('x.gguf'), /^x\.gguf /);
    }
  });
