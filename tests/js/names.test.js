// SPDX-License-Identifier: MIT
// @ts-check

/** Checks that the name of a page is the same in its h1, in its title, on its card on the front page and in the list of its course. This
 * must hold in each language. */

import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { COURSES, FACTS } from '../../web/front/courses.js';
import { factsOfPages } from '../../web/tools/facts.js';
import { framedPages } from '../../web/tools/frame.js';

const WEB = fileURLToPath(new URL('../../web/', import.meta.url));
const pages = await framedPages(WEB);
const steps = COURSES.flatMap(({ steps: all }) => all);

for (const language of ['', 'ko/'])
  test(`each page has one name, and shows its position in the course: /${language}`, async () => {
    const facts = language ? factsOfPages(WEB, 'ko') : FACTS;
    const front = pages.get(`${language}index.html`) ?? '';
    for (const { page } of steps) {
      const name = facts.get(page)?.title ?? assert.fail(`${page} has no title`);
      const html = pages.get(`pages/${page}/${language}index.html`) ?? '';
      assert.equal(/<h1>(.*?)<\/h1>/.exec(html)?.[1], name);
      assert.equal(/<title>nextpixel: (.*?)<\/title>/.exec(html)?.[1], name);
      assert.equal(html.match(/<h1>/g)?.length, 1);
      const link = new RegExp(`<li><a href="[^"]*pages/${page}/[^"]*">([^<]*)</a></li>`);
      assert.equal(link.exec(front)?.[1], name, `the list of courses on /${language}`);
      assert.match(html, /<nav class="where"[^>]*>.*\d+.*\d+/);
    }
  });

test('no page changes the layout of the line above its h1', async () => {
  const [, rules] = /\/\* ---- .*?(\.place \{.*?\.system span \{[^}]*\})/s.exec(await readFile(`${WEB}shell/page.css`, 'utf8')) ?? [];
  const classes = new Set([...(rules ?? '').matchAll(/^\.([\w-]+)/gm)].map(([, name]) => name));
  assert.deepEqual([...classes], ['place', 'where', 'system']);
  for (const { page } of steps) {
    const folder = `${WEB}pages/${page}/`;
    for (const file of (await readdir(folder)).filter((name) => name.endsWith('.css'))) {
      const selectors = (await readFile(folder + file, 'utf8')).replace(/\{[^}]*\}/g, '{}');
      const taken = [...selectors.matchAll(/\.([\w-]+)/g)].map(([, name]) => name).filter((name) => classes.has(name));
      assert.deepEqual(taken, [], `${page}/${file}`);
    }
  }
});
