// SPDX-License-Identifier: MIT
// @ts-check

/** Reads the code blocks in documentation: README.md, the chapters of the manual, and the other texts next to the code. */

import { readFile, readdir } from 'node:fs/promises';

import { ROOT } from './helpers.js';

/**
 * @typedef {object} Block
 * @property {string} where  file and line
 * @property {string} language  language of the block, "" if none is given
 * @property {string} file  from `js file=PATH`: the block is the content of that file
 * @property {string} code
 */

/** Returns the code blocks in these files. @param {string[]} files @returns {Promise<Block[]>} */
export async function blocksOf(files) {
  const texts = await Promise.all(files.map((file) => readFile(ROOT + file, 'utf8')));
  return texts.flatMap((text, i) =>
    [...text.matchAll(/^```([^\n]*)\n([^]*?)^```$/gm)].map(({ 1: info, 2: code, index }) => ({
      where: `${files[i]}:${text.slice(0, index).split('\n').length}`,
      language: info.split(' ')[0],
      file: /\bfile=(\S+)/.exec(info)?.[1] ?? '',
      code,
    })),
  );
}

/** Returns the paths of README.md and of the manual's chapters. */
export async function whatPeopleRead() {
  const chapters = (await readdir(`${ROOT}web/manual/chapters`)).filter((name) => name.endsWith('.md'));
  return ['README.md', ...chapters.map((name) => `web/manual/chapters/${name}`)];
}

/** Returns the complete code blocks on the pages of the models. A block that begins with a tag is HTML; any other block is JavaScript.
 * @returns {Promise<Block[]>} */
export async function blocksOfPages() {
  const folders = await readdir(`${ROOT}web/pages`);
  const texts = await Promise.all(folders.map((name) => readFile(`${ROOT}web/pages/${name}/page.html`, 'utf8').catch(() => '')));
  const plain = (/** @type {string} */ html) => html.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
  return texts.flatMap((text, i) =>
    [...text.matchAll(/<pre tabindex="0"><code>([^]*?)<\/code><\/pre>/g)].map(({ 1: html, index }) => ({
      where: `web/pages/${folders[i]}/page.html:${text.slice(0, index).split('\n').length}`,
      language: html.startsWith('&lt;') ? 'html' : 'js',
      file: '',
      code: plain(html),
    })),
  );
}
