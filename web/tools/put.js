// SPDX-License-Identifier: MIT
// @ts-check

/** Writes what is made of the sources so that whoever reads it meanwhile never finds half of it: two tests may pack the library at the same time. */

import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

const BUILD = fileURLToPath(new URL('../build/', import.meta.url));
let count = 0;

/**
 * Makes a file what it should be. One that is that already stays untouched; another one is replaced at once.
 *
 * @param {string} path
 * @param {string} text
 */
export async function put(path, text) {
  if ((await readFile(path, 'utf8').catch(() => undefined)) === text) return;
  await Promise.all([BUILD, dirname(path)].map((folder) => mkdir(folder, { recursive: true })));
  const fresh = `${BUILD}fresh-${process.pid}-${count++}`;
  await writeFile(fresh, text);
  await rename(fresh, path);
}
