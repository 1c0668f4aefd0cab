// SPDX-License-Identifier: MIT
// @ts-check

/** Whether the page's scripts in web/dist are made of the sources beside them. Needs nothing but Node. */

import { createHash } from 'node:crypto';
import { open, readFile, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** What the server answers in place of scripts that are not fresh: the sources themselves. @type {Record<string, string>} */
export const SOURCES = {
  'page.js': "import '../demo/main.js';\n",
  'page-start.js': "import '../demo/start.js';\n",
};

/** Digests by folder, each good for as long as no file is changed. @type {Map<string, { state: string, line: string }>} */
const known = new Map();

/**
 * The first line of a script that is made of the scripts of web/demo and web/lib as they are now.
 *
 * @param {string} web  the folder
 */
export async function sourcesOf(web) {
  const names = (await Promise.all(['demo', 'lib'].map(async (folder) => (
    (await readdir(join(web, folder))).filter((name) => name.endsWith('.js')).map((name) => `${folder}/${name}`))))).flat().sort();
  const stats = await Promise.all(names.map((name) => stat(join(web, name))));
  const state = names.map((name, i) => `${name} ${stats[i].size} ${stats[i].mtimeMs}`).join('\n');
  const cached = known.get(web);
  if (cached?.state === state) return cached.line;
  const hash = createHash('sha256');
  for (const name of names) hash.update(`${name}\n`).update(await readFile(join(web, name)));
  const line = `// made of sources ${hash.digest('hex')} by ./build.sh js`;
  known.set(web, { state, line });
  return line;
}

/**
 * @param {string} path  of a script
 */
export async function isMade(path) {
  const file = await open(path);
  try {
    const line = await sourcesOf(join(path, '../..'));
    const { buffer } = await file.read({ buffer: Buffer.alloc(line.length + 1), position: 0 });
    return buffer.toString() === `${line}\n`;
  } catch {
    return true; // no sources that it could differ from
  } finally {
    await file.close();
  }
}
