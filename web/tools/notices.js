// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Collects the licences of the packages whose code the published files contain. The licences appear as legal comments, which bundlers and
 * minifiers keep, and in the file NOTICE.
 */

import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

import { OF_PACKAGES } from './fresh.js';

const MODULES = fileURLToPath(new URL('../../node_modules/', import.meta.url));

/** @typedef {{ name: string, version: string, licence: string }} Notice */

/**
 * Returns the notice for the package that a module imports.
 *
 * @param {string} path  a key of OF_PACKAGES
 * @returns {Promise<Notice>}
 */
async function noticeOf(path) {
  const terms = /** @type {string} */ (OF_PACKAGES.get(path));
  const { name, version } = JSON.parse(await readFile(`${MODULES}${dirname(terms)}/package.json`, 'utf8'));
  return { name, version, licence: (await readFile(MODULES + terms, 'utf8')).trim() };
}

/** @param {Notice} notice */
const comment = ({ name, version, licence }) =>
  `/*! ${name} ${version}\n${licence
    .split('\n')
    .map((line) => ` * ${line}`.trimEnd())
    .join('\n')}\n */\n`;

/** Returns the legal comments for modules that import packages. @param {Iterable<string>} [paths]  keys of OF_PACKAGES (default: all) */
export async function legalComments(paths = OF_PACKAGES.keys()) {
  return (await Promise.all([...paths].map(noticeOf))).map(comment).join('');
}

/** Returns the contents of the file NOTICE. */
export async function noticeFile() {
  const all = await Promise.all([...OF_PACKAGES.keys()].map(noticeOf));
  return `nextpixel is distributed under the MIT licence (LICENSE). Its published files contain code of these packages:\n${all
    .map(({ name, version, licence }) => `\n\n${name} ${version}\n${'-'.repeat(name.length + version.length + 1)}\n\n${licence}\n`)
    .join('')}`;
}
