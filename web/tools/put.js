// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Writes a generated file atomically, so that a concurrent reader never sees a partly written file. For example, two tests may pack the
 * library at the same time.
 */

import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

const BUILD = fileURLToPath(new URL('../build/', import.meta.url));
let count = 0;

/**
 * Writes text to a file. A file that already contains exactly this text is not touched.
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
