// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Builds the pages of the manual: ./build.sh manual
 *
 *     node web/manual/make/manual.js TOOLS [--check]
 *
 * TOOLS is the folder into which npm has installed the packages of package.json. The chapters are Markdown files in ../chapters. The
 * following lines are replaced: `<!-- reference -->` with the reference that TypeDoc extracts from web/lib, `<!-- attributes -->` with
 * table rows for the element's attributes, `<!-- types -->` with table rows for the tensor types, and `<!-- runs -->` with table rows for
 * the supported third-party files. A code fence that names a file is replaced with the contents of this file, so that readers see the same
 * code that the tests run:
 *
 *     ```js file=web/examples/node/draw.mjs
 *     ```
 */

import { readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

import { attributeList } from '../../tools/options.js';
import { addressOf, framed } from './page.js';
import { playgroundForm, playgroundTables } from './playground.js';
import { reference } from './reference.js';
import { otherScripts, runs, types } from './runs.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const MANUAL = `${ROOT}web/manual/`;
const LINE = 'made of web/manual/chapters and the comments of web/lib by ./build.sh manual';

/** File names and titles of the chapters, in the order of the manual. @type {[string, string][]} */
const CHAPTERS = [
  ['index', 'Start'],
  ['javascript', 'JavaScript'],
  ['element', 'Element'],
  ['sound', 'Sound'],
  ['latents', 'Pictures at once'],
  ['naming', 'Naming'],
  ['playground', 'Playground'],
  ['reference', 'Reference'],
  ['errors', 'Errors'],
  ['which-file', 'Which file?'],
  ['files', 'Files'],
  ['bundlers', 'Bundlers'],
  ['hosting', 'Hosting'],
  ['classroom', 'In the classroom'],
  ['training', 'Training'],
  ['c', 'C'],
  ['how', 'How it works'],
  ['numbers', 'Numbers'],
];

/**
 * Matches a comment that lists search keywords for a section, in English and Korean. The section's visible text need not contain these
 * words.
 */
const KEYWORDS = /<!-- keywords: (.*?) -->\n?/g;

/** @param {string} text  text of a heading, as Markdown */
const slug = (text) =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s+/g, '-');

/** @param {string} tools  folder with the packages */
async function markdown(tools) {
  const require = createRequire(join(tools, 'package.json'));
  const { default: MarkdownIt } = await import(pathToFileURL(require.resolve('markdown-it')).href);
  const strict = new MarkdownIt(); // without HTML; used for comments, in which <img> must stay plain text
  const md = new MarkdownIt({ html: true });
  /** @param {any[]} tokens @param {number} i */
  md.renderer.rules.fence = (tokens, i) => `<pre tabindex="0"><code>${md.utils.escapeHtml(tokens[i].content.trimEnd())}</code></pre>\n`;
  md.renderer.rules.em_open = () => '<i>';
  md.renderer.rules.em_close = () => '</i>';
  return { md, strict };
}

/**
 * Builds all pages. Returns them by path relative to web/manual.
 *
 * @param {string} tools  folder with the packages
 * @returns {Promise<Map<string, string>>}
 */
async function pages(tools) {
  const { md, strict } = await markdown(tools);
  const require = createRequire(join(tools, 'package.json'));
  const typedoc = await import(pathToFileURL(require.resolve('typedoc')).href);
  const ts = require('typescript');
  const made = await reference({ typedoc, ts, block: (text) => strict.render(text), inline: (text) => strict.renderInline(text) });

  const rows = (await attributeList()).map((one) => `| \`${one.name}\` | ${one.said} | ${one.initial || 'none'} |`).join('\n');
  const run = await runs();
  const tensors = await types();
  const result = new Map();
  /** @type {ReturnType<typeof sectionsOf>} */
  const index = [];
  for (const [name] of CHAPTERS) {
    const text = await readFile(`${MANUAL}chapters/${name}.md`, 'utf8');
    const tables = { attributes: rows, runs: run, types: tensors, later: await otherScripts(text) };
    const filled = Object.entries(tables).reduce((all, [table, part]) => all.replace(`<!-- ${table} -->`, part), text);
    const tokens = md.parse(filled, {});
    /** @type {import('./page.js').Page} */
    const page = { name, title: '', deck: '', body: '', contents: [] };
    // A page must start with a heading and a paragraph.
    if (tokens[0].tag !== 'h1' || tokens[3].type !== 'paragraph_open')
      throw new Error(`chapters/${name}.md must begin with a heading and a paragraph`);
    page.title = md.renderer
      .renderInline(tokens[1].children, md.options, {})
      .replaceAll('<i>', '<span class="predicted">')
      .replaceAll('</i>', '</span>');
    page.deck = md.renderer.render(tokens.slice(3, 6), md.options, {}).trim();
    const rest = tokens.slice(6);
    const seen = new Set();
    for (const [i, token] of rest.entries()) {
      if (token.type === 'fence') await include(token);
      if (token.type !== 'heading_open') continue;
      const { content, children } = rest[i + 1];
      const id = slug(content);
      if (seen.has(id)) throw new Error(`chapters/${name}.md has two headings "${content}"`);
      seen.add(id);
      token.attrSet('id', id);
      const level = Number(token.tag[1]);
      if (level <= 3) page.contents.push({ id, text: md.renderer.renderInline(children, md.options, {}), level });
    }
    label(rest);
    page.body = md.renderer.render(rest, md.options, {});
    if (page.body.includes('<!-- playground -->')) page.body = page.body.replace('<!-- playground -->', await playgroundForm());
    if (page.body.includes('<!-- reference -->')) {
      page.body = page.body.replace('<!-- reference -->', () => made.html);
      page.contents.push(...made.contents);
    }
    index.push(...sectionsOf(name, page));
    page.body = page.body.replace(KEYWORDS, '');
    result.set(`${name}.html`, framed(page, { chapters: CHAPTERS, line: LINE }));
  }
  result.set('playground.json', `${JSON.stringify(await playgroundTables(), null, 1)}\n`);
  result.set('search.json', `${JSON.stringify(index).replaceAll('],[', '],\n[')}\n`);
  return result;
}

/** @param {string} html */
const wordsOf = (html) =>
  html
    .replace(/<[^>]+>/g, ' ')
    .replace(/&(lt|gt|amp|quot);/g, (_, name) => ({ lt: '<', gt: '>', amp: '&', quot: '"' })[/** @type {'lt'} */ (name)])
    .replace(/\s+/g, ' ')
    .trim();

/**
 * Builds the index for web/manual/search.js. It contains the address, the title and the distinct words of each section.
 *
 * @param {string} name
 * @param {import('./page.js').Page} page
 * @returns {[address: string, called: string, words: string, keywords?: string][]}
 */
function sectionsOf(name, { title, deck, body }) {
  const parts = body.split(/(?=<h[2-4][^>]* id=")/);
  return [`${deck}${parts[0].startsWith('<h') ? '' : parts.shift()}`, ...parts].map((part) => {
    const [, id = '', heading = title] = /^<h[2-4][^>]* id="([^"]+)"[^>]*>(.*?)<\/h[2-4]>/s.exec(part) ?? [];
    const words = [
      ...new Set(
        wordsOf(part)
          .toLowerCase()
          .match(/[\p{L}\p{N}_-]{2,}/gu) ?? [],
      ),
    ].join(' ');
    const keywords = [...part.matchAll(KEYWORDS)].map(([, all]) => all).join(' ');
    const address = `${name}.html${id && `#${id}`}`;
    return keywords ? [address, wordsOf(heading), words, keywords] : [address, wordsOf(heading), words];
  });
}

/**
 * Adds the column's name to each cell, except those in the first column. Phones stack the columns, so they show the name next to the cell.
 *
 * @param {any[]} tokens
 */
function label(tokens) {
  /** @type {string[]} */
  let heads = [];
  let column = 0;
  tokens.forEach(({ type }, i) => {
    if (type === 'thead_open') heads = [];
    if (type === 'tr_open') column = 0;
    if (type === 'th_open') heads.push(tokens[i + 1].children.map((/** @type {any} */ { content }) => content).join(''));
    if (type === 'td_open' && column++ > 0 && tokens[i + 1].content !== '') tokens[i].attrSet('data-label', heads[column - 1]);
  });
}

/** If a code fence names a file, replaces the fence's content with the contents of this file. @param {any} token */
async function include(token) {
  const [, path] = /\bfile=(\S+)/.exec(token.info) ?? [];
  if (path === undefined) return;
  if (token.content.trim() !== '') throw new Error(`the fence of ${path} must be empty, because it is replaced by the file`);
  token.content = await readFile(`${ROOT}${path}`, 'utf8');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [tools, option] = process.argv.slice(2);
  const made = await pages(resolve(tools));
  for (const [name, text] of made) {
    if (option !== '--check') await writeFile(MANUAL + name, text);
    else if ((await readFile(MANUAL + name, 'utf8').catch(() => '')) !== text) {
      console.error(`web/manual/${name} is not what the chapters and comments make. Run ./build.sh manual and commit the result.`);
      process.exitCode = 1;
    }
  }
  for (const name of await readdir(MANUAL)) {
    if (!name.endsWith('.html') || made.has(name)) continue;
    if (option !== '--check') await rm(MANUAL + name);
    else {
      console.error(`web/manual/${name} belongs to no chapter. Run ./build.sh manual and commit the result.`);
      process.exitCode = 1;
    }
  }
  console.log(`${made.size - 2} pages; the first is web/manual/${addressOf('index') === './' ? 'index.html' : ''}`);
}
