// SPDX-License-Identifier: MIT
// @ts-check

import { readFile } from 'node:fs/promises';

import { NAMES } from './rows.js';

const read = (/** @type {string} */ path) => readFile(new URL(path, import.meta.url), 'utf8');

/**
 * Returns the source files that check the types of the package: the common files, and one file for every kind.
 *
 * @returns {Promise<Record<string, string>>}
 */
export async function typeSamples() {
  const shared = ['consumer.ts', 'description.ts', 'same.ts'].map(async (name) => [name, await read(`../js/types/${name}`)]);
  const kinds = NAMES.map(async (name) => [`${name}.ts`, await read(`${name}/types.ts`)]);
  return Object.fromEntries(await Promise.all([...shared, ...kinds]));
}
