// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Tests the pages in other languages. Every sentence must be translated, the translation tables must have no unused sentences, and a page
 * must have the same figures, placeholders and code in each language. CONTRIBUTING.md describes how to translate a page and how to add a
 * language.
 */

import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { TRANSLATED, parseFacts } from '../../web/tools/facts.js';
import { pagesIn, framedPages } from '../../web/tools/frame.js';
import { COURSES } from '../../web/front/courses.js';
import { PAPERS } from '../../web/front/papers.js';
import { pagesOf } from '../../web/tools/fresh.js';
import { LANGUAGES, joined, sentencesOfKinds } from '../../web/tools/languages.js';
import { THINGS } from '../../web/pages/captions/emoji.js';
import { phrasesIn } from '../../web/shell/page/phrase.js';
import { stringsOf } from './strings.js';

const WEB = fileURLToPath(new URL('../../web', import.meta.url));

/** Scripts that are not part of a page. */
const TOOLS = /^web\/(front\/(make-stills|stills|tiles\/record)|pages\/[\w-]+\/(still|record))\.js$/;
/** Scripts that are in the folder of a page but belong to the front page. */
const TILES = /^pages\/[\w-]+\/tile\.js$/;
/** Scripts whose sentences are translated by other scripts. */
const DATA = ['web/front/papers.js', 'web/front/papers-of-pages.js', 'web/front/courses.js'];

/** @param {string} path */
const read = (path) => readFile(join(WEB, path), 'utf8');
/** @param {string} lang @param {string} folder @returns {Promise<Record<string, string>>} */
const tableOf = async (lang, folder) => JSON.parse(await read(`${folder}/${lang}.json`).catch(() => '{}'));

/**
 * Collects the strings for visitors from the scripts of a folder, and from scripts that are imported from the folders of other pages.
 *
 * @param {string} folder from web/
 */
async function saidIn(folder) {
  const scriptsOf = async (/** @type {string} */ root) =>
    (await readdir(join(WEB, root), { recursive: true })).filter((name) => name.endsWith('.js')).map((name) => `${root}/${name}`);
  const own = (await scriptsOf(folder)).filter((name) => !TILES.test(name));
  if (folder === 'front') own.push(...(await scriptsOf('pages')).filter((name) => TILES.test(name)));
  const taken = folder.startsWith('pages/')
    ? (await Promise.all(own.map(read))).flatMap((source) =>
        [...source.matchAll(/ from '\.\.\/([\w-]+\/[\w-]+\.js)'/g)].map(([, name]) => `pages/${name}`),
      )
    : [];
  const names = [...new Set([...own, ...taken])];
  const all = await Promise.all(
    names.filter((name) => !TOOLS.test(`web/${name}`)).map(async (name) => stringsOf(await read(name), `web/${name}`)),
  );
  return {
    said: all.flatMap(({ said }) => said),
    plain: all.flatMap(({ plain }) => plain),
    literals: new Set(all.flatMap(({ literals }) => [...literals])),
  };
}

/** @param {import('./strings.js').Found} found */
const shown = ({ file, line, text }) => `${file}:${line}: ${text}`;

/** The texts that the frame of a page (header, footer) contains, and the texts about courses and papers. */
const frame = stringsOf(await read('tools/frame.js'), 'web/tools/frame.js').said;
const data = [
  ...COURSES.flatMap(({ name, says }) => [name, says]),
  ...PAPERS.filter(({ page }) => !page).map(({ system }) => system), // a paper that has a page is named in the facts of that page
];

/** Names of pictures, and of the objects in scenes. Scripts take these names from data and look up their translations. */
const named = [
  ...THINGS,
  ...(
    await Promise.all(
      ['photos', 'emoji'].map(async (strip) =>
        JSON.parse(await read(`pictures/${strip}.json`)).pictures.map((/** @type {{ name: string }} */ { name }) => name),
      ),
    )
  ).flat(),
];

/** Returns the parts of a page that must be equal in both languages. @param {string} html */
function skeleton(html) {
  const body = html.slice(html.indexOf('\n---\n', 4));
  const all = (/** @type {RegExp} */ pattern) => [...body.matchAll(pattern)].map(([, found]) => found);
  return {
    ids: all(/ id="([^"]+)"/g),
    links: all(/ href="([^"]+)"/g).sort(),
    media: all(/ (?:src|model)="([^"]+)"/g),
    controls: all(/<(input|select|button|canvas|figure|table|math|next-pixel|video|audio|details)\b/g),
    values: all(/ (?:value|for|name|data-[\w-]+)="([^"]*)"/g),
    code: all(/<pre[^>]*><code>(.*?)<\/code>/gs).map((code) => code.replace(/\/\/.*$/gm, '')),
    includes: all(/<!-- include (\S+)/g),
  };
}
/** Returns the items of a list of facts. @param {string} html @param {string} name  name of the list */
const facts = (html, name) =>
  [...(new RegExp(`^${name}:\\n((?:  .*\\n)*)`, 'm').exec(html)?.[1] ?? '').matchAll(/^ {2}(\S+)/gm)].map(([, address]) => address);

for (const [lang, { name: spoken, whole }] of Object.entries(LANGUAGES)) {
  const translated = await pagesIn(WEB, lang);
  const kinds = (await readdir(join(WEB, 'lib/kinds'), { withFileTypes: true }))
    .filter((entry) => entry.isDirectory())
    .map((entry) => `lib/kinds/${entry.name}`);
  const shell = { ...(await tableOf(lang, 'shell')), ...(await sentencesOfKinds(WEB, lang)) };
  const folders = [...(whole ? ['shell', 'front'] : []), ...translated.flatMap((name) => (name ? [`pages/${name}`] : []))];

  if (whole) {
    test(`${spoken}: every page exists`, async () => {
      assert.deepEqual(
        ['', ...(await pagesOf(WEB))].filter((name) => !translated.includes(name)),
        [],
      );
    });
  }

  for (const folder of folders) {
    test(`web/${folder}: ${spoken}: every sentence of the scripts is translated, and the table has no unused sentence`, async () => {
      const own = await tableOf(lang, folder);
      const table = { ...shell, ...own };
      const { said, plain, literals } = await saidIn(folder);
      const all = folder === 'front' ? [...said, ...frame] : said;
      assert.deepEqual(all.filter(({ text }) => !(text in table)).map(shown), [], `is not in web/${folder}/${lang}.json`);
      assert.deepEqual(
        plain.filter(({ file, text }) => !(text in table) && !DATA.includes(file)).map(shown),
        [],
        'is shown to people, and not through phrase`...`',
      );
      if (folder === 'front')
        assert.deepEqual(
          data.filter((text) => !(text in table)),
          [],
          `is not in web/front/${lang}.json`,
        );
      const used = new Set([...all.map(({ text }) => text), ...literals, ...named, ...(folder === 'front' ? data : [])]);
      assert.deepEqual(
        Object.keys(own).filter((english) => !used.has(english)),
        [],
        `no script uses these sentences of web/${folder}/${lang}.json`,
      );
    });
  }

  for (const folder of kinds)
    test(`web/${folder}/${lang}.json: the table has the sentences about the kind's pages`, async () => {
      const { PAGES } = await import(`../../web/${folder}/kind.js`);
      const said = Object.values(PAGES).flat();
      const table = Object.keys(await tableOf(lang, folder));
      assert.deepEqual(
        table.filter((english) => !said.includes(english)),
        [],
        'are not in PAGES of kind.js',
      );
      if (whole)
        assert.deepEqual(
          said.filter((english) => !table.includes(english)),
          [],
          'are missing',
        );
    });

  for (const folder of [...folders, ...kinds]) {
    test(`web/${folder}/${lang}.json: each sentence occurs once; its translation has the same placeholders and the usual punctuation`, async () => {
      const text = await read(`${folder}/${lang}.json`).catch(() => '{}');
      const keys = [...text.matchAll(/^ {2}("(?:[^"\\]|\\.)*"): /gm)].map(([, key]) => JSON.parse(key));
      assert.deepEqual(
        keys.filter((key, i) => keys.indexOf(key) !== i),
        [],
        'stands there twice',
      );
      for (const [english, other] of Object.entries(await tableOf(lang, folder))) {
        const places = english.split('{}').length - 1;
        const given = [...other.matchAll(/\{(\d+)/g)].map(([, n]) => Number(n));
        if (english === other) continue;
        assert.ok(
          given.every((n) => n < places),
          `${english}: ${other} has a placeholder too many`,
        );
        assert.deepEqual(
          [...new Set(given)].sort((a, b) => a - b),
          [...Array(places).keys()],
          `${english}: ${other}`,
        );
        if (lang === 'ko') assert.doesNotMatch(other, /[.,!?][가-힣]|[\u3000-\u303f]/u, english);
        assert.equal(/\s$/.test(other), /\s$/.test(english), english);
      }
    });
  }

  for (const name of translated) {
    const folder = name ? `pages/${name}` : 'front';
    test(`web/${folder}/page.${lang}.html: the same figures, placeholders, links and code as in English`, async () => {
      const [english, other] = await Promise.all([read(`${folder}/page.html`), read(`${folder}/page.${lang}.html`)]);
      assert.deepEqual(skeleton(other), skeleton(english));
      for (const list of ['contents', 'ways']) assert.deepEqual(facts(other, list), facts(english, list), list);
      const [here, there] = [other, english].map((html) => Object.keys(parseFacts(html, folder).facts));
      const seen = [...TRANSLATED, 'contents', 'ways'];
      assert.deepEqual(
        here.filter((key) => !seen.includes(key)),
        [],
        'only the English page states these facts',
      );
      if (whole)
        for (const key of TRANSLATED)
          assert.equal(here.includes(key), there.includes(key), `${key} must be translated if the English page has it`);
      const prose = other.replace(
        /<span lang="en">[^<]*<\/span>|<pre.*?<\/pre>|<math.*?<\/math>|<cite>.*?<\/cite>|<footer>.*<\/footer>|<[^>]*>/gs,
        ' ',
      );
      if (lang === 'ko') assert.deepEqual(prose.match(/(?:\b[A-Za-z]{2,}\b[ ,]+){6,}/g) ?? [], [], 'is English still');
    });
  }

  test(`the parts of pages in web/shell are translated into ${spoken} for every page that includes them`, async () => {
    for (const name of translated) {
      for (const [, part] of (await read(`${name ? `pages/${name}` : 'front'}/page.${lang}.html`)).matchAll(/<!-- include (\S+)\.html/g)) {
        const [english, other] = await Promise.all([read(`shell/${part}.html`), read(`shell/${part}.${lang}.html`)]);
        assert.deepEqual(skeleton(`\n---\n${other}`), skeleton(`\n---\n${english}`), part);
      }
    }
  });

  test(`${spoken}: every link leads to a file that exists, and to the page in that language if there is one; each page links to its English original`, async () => {
    const pages = await framedPages(WEB);
    for (const name of translated) {
      const path = `${name && `pages/${name}/`}${lang}/index.html`;
      const html = pages.get(path) ?? '';
      assert.match(html, new RegExp(`<html lang="${lang}">`));
      const original = pages.get(`${name && `pages/${name}/`}index.html`) ?? '';
      assert.ok(original.includes(`<link rel="alternate" hreflang="${lang}" href="${lang}/">`), name);
      assert.ok(original.includes(`<a class="language" href="${lang}/" hreflang="${lang}" lang="${lang}">${spoken}</a>`), name);
      assert.doesNotMatch(original, /words-of-page/);
      const base = `https://host/web/${path.replace('index.html', '')}`;
      for (const [tag, address] of html.matchAll(/<[^>]* (?:href|src|model)="([^"#]+)[^"]*"[^>]*>/g)) {
        if (/^[a-z]+:/.test(address)) continue;
        const { pathname } = new URL(address, base);
        const target = pathname.slice('/web/'.length);
        if (pathname.startsWith('/weights/')) assert.ok((await readdir(join(WEB, '../weights'))).includes(basename(pathname)), tag);
        else if (pathname.endsWith('/')) {
          assert.ok(pages.has(`${target}index.html`) || target === 'manual/', `${path}: ${tag}`);
          const page = /^(?:pages\/([\w-]+)\/)?$/.exec(target);
          if (!tag.includes('hreflang')) assert.ok(!page || !translated.includes(page[1] ?? ''), `${path}: ${tag} leads to English`);
        } else if (!target.startsWith('dist/')) await assert.doesNotReject(readFile(join(WEB, target)), `${path}: ${tag}`);
      }
    }
  });
}

test('the name of a page that is not translated is in the table of the front page', async () => {
  const html = (await framedPages(WEB)).get('pages/transformer/de/index.html') ?? '';
  const table = await tableOf('de', 'front');
  for (const name of ['Reading with a memory', 'The Transformer, opened']) assert.ok(html.includes(`>${table[name]}</a>`), name);
});

test('a phrase is unchanged in English; in other languages, a table gives the order of its placeholders and the particle after a value', () => {
  const english = phrasesIn({});
  assert.equal(english`Row ${1} of ${2}`, 'Row 1 of 2');
  assert.equal(english('a text of elsewhere'), 'a text of elsewhere');
  const other = phrasesIn({ 'Row {} of {}': '{1}행 중 {0}행', one: '하나', 'Press {}': '{0:을/를} 누르세요', 'To {}': '{0:으로/로}' });
  assert.equal(other`Row ${1} of ${2}`, '2행 중 1행');
  assert.equal(other('one'), '하나');
  for (const [value, expected] of [
    ['픽셀', '픽셀을'],
    ['나트', '나트를'],
    [3, '3을'],
    [2, '2를'],
    ['“열”', '“열”을'],
    ['FVSBN', 'FVSBN을'],
    ['SAGAN', 'SAGAN을'],
    ['Ada', 'Ada를'],
    ['', '를'],
  ]) {
    assert.equal(other`Press ${value}`, `${expected} 누르세요`);
  }
  for (const [value, expected] of [
    ['픽셀', '픽셀로'],
    ['행', '행으로'],
    ['토큰', '토큰으로'],
    ['나트', '나트로'],
    [1, '1로'],
    [6, '6으로'],
  ])
    assert.equal(other`To ${value}`, expected);
});

test('no line of a Korean page begins with a particle after a bracket', () => {
  assert.equal(
    joined('<b>쿼리(<span lang="en">query</span>)</b>이다. f(x) = 1'),
    '<b>쿼리(<span lang="en">query</span>)\u2060</b>이다. f(x) = 1',
  );
  assert.equal(joined('<p title="f(x)는">f(x)는 (뿌리)</p>'), '<p title="f(x)는">f(x)\u2060는 (뿌리)</p>');
});

test('the tool finds only those texts of a script that visitors read', () => {
  const texts = (/** @type {string} */ source) => stringsOf(source, 'toy.js').plain.map(({ text }) => text);
  assert.deepEqual(texts("make('p', { class: 'a note of it' }, 'Stop', b ? 'go' : ` (${n} nats)`)"), ['Stop', 'go', ' ({} nats)']);
  assert.deepEqual(
    texts(
      "box.textContent = `${n} of ${m}`; box.className = 'one two three'; announce('Done'); canvas.setAttribute('aria-label', 'a map')",
    ),
    ['{} of {}', 'Done', 'a map'],
  );
  assert.deepEqual(texts("const words = { name: 'Nothing is drawn yet.', d: 'M0 0 L1 1' }; say(`The ${x} is there`)"), [
    'Nothing is drawn yet.',
    'The {} is there',
  ]);
  assert.deepEqual(
    texts(
      "document.querySelector('main figure .a'); throw new Error('The page has no place.'); a.matches('p em'); phrase`Row ${1}`; import x from './an other.js'",
    ),
    [],
  );
  assert.deepEqual(
    stringsOf('phrase`Row ${phrase`one`} of ${2}`', 'toy.js').said.map(({ text }) => text),
    ['Row {} of {}', 'one'],
  );
});
