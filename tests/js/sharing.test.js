// SPDX-License-Identifier: MIT
// @ts-check

/** Tests the preview image of a shared link, and the file with the citation of the project. */

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';

import { shared } from '../../web/tools/sharing.js';
import { framedPages } from '../../web/tools/frame.js';
import { ROOT } from './helpers.js';

const ADDRESS = 'https://example.org/some/where/';

test('a page on a site with a known address has a title, a description, a picture, and the addresses of both its languages', async () => {
  const pages = await framedPages(`${ROOT}web`);
  const page = shared(pages.get('pages/fvsbn/ko/index.html') ?? '', 'web/pages/fvsbn/ko/index.html', ADDRESS);
  for (const tag of [
    `<meta property="og:url" content="${ADDRESS}web/pages/fvsbn/ko/">`,
    '<meta property="og:locale" content="ko_KR">',
    `<meta property="og:image" content="${ADDRESS}web/front/screenshot.png">`,
    `<link rel="canonical" href="${ADDRESS}web/pages/fvsbn/ko/">`,
    `<link rel="alternate" hreflang="en" href="${ADDRESS}web/pages/fvsbn/">`,
    `<link rel="alternate" hreflang="ko" href="${ADDRESS}web/pages/fvsbn/ko/">`,
  ])
    assert.ok(page.includes(tag), tag);
  for (const [path, html] of pages) {
    const [, title] = /<title>(.*?)<\/title>/.exec(html) ?? [];
    assert.match(shared(html, `web/${path}`, ADDRESS), new RegExp(`og:title" content="${title?.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}"`));
  }
});

test('the preview image has the size that the page declares', async () => {
  const png = await readFile(`${ROOT}web/front/screenshot.png`);
  const page = shared('<title>x</title></head>', 'web/index.html', ADDRESS);
  assert.match(page, new RegExp(`image:width" content="${png.readUInt32BE(16)}"`));
  assert.match(page, new RegExp(`image:height" content="${png.readUInt32BE(20)}"`));
});

test('CITATION.cff states the version and the licence of the package', async () => {
  const { version, license } = JSON.parse(await readFile(`${ROOT}package.json`, 'utf8'));
  const citation = await readFile(`${ROOT}CITATION.cff`, 'utf8');
  assert.match(citation, new RegExp(`^version: ${version.replaceAll('.', '\\.')}$`, 'm'));
  assert.match(citation, new RegExp(`^license: ${license}$`, 'm'));
  const [, title] = /^title: "(.*)"$/m.exec(citation) ?? [];
  for (const [path, html] of await framedPages(`${ROOT}web`))
    assert.ok(html.includes(`<cite lang="en">${title}</cite>`), `${path} does not say how to cite it`);
});
