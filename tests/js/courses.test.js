// SPDX-License-Identifier: MIT
// @ts-check

/** The courses: every page is a step of one course, and has the figure that answers its question. */

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';

import { COURSES } from '../../web/front/courses.js';
import { PAPERS } from '../../web/front/papers.js';
import { pagesOf } from '../../web/tools/fresh.js';

const WEB = fileURLToPath(new URL('../../web', import.meta.url));
const steps = COURSES.flatMap((course) => course.steps);

test('every page is a step of one course', async () => {
  const pages = steps.map(({ page }) => page);
  assert.deepEqual([...pages].sort(), [...(await pagesOf(WEB))].sort());
  assert.deepEqual([...pages].sort(), PAPERS.flatMap(({ page }) => page ?? []).sort());
});

test('each question is a question, and its figure is on its page', async () => {
  for (const { page, asks, at } of steps) {
    assert.match(asks, /\?/);
    assert.ok((await readFile(`${WEB}/pages/${page}/page.html`, 'utf8')).includes(`id="${at}"`), `${page} has no #${at}`);
  }
});
