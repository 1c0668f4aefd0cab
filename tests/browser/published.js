// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Builds the demo as `./build.sh site` publishes it, so that the tests open the same pages as visitors. The folder also contains files that
 * only tests need: the library's sources, its bundle, and the weights under their names without hashes.
 */

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { cp, link, mkdir, readFile, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { isMade } from '../../web/tools/fresh.js';
import { filesOf, writeSite } from '../../web/tools/site.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const SITES = `${ROOT}build/test-site/`;
/** Folders from which the site is built. */
const MADE_OF = ['web', 'weights'];
/** Folders from which tests import modules. */
const SOURCES = ['web/lib', 'web/dist', 'web/pages', 'web/shell'];
const AN_HOUR = 3600000;

/** Returns a hash that changes whenever the sources change. */
async function digest() {
  const hash = createHash('sha256');
  for (const folder of MADE_OF) {
    for (const name of await filesOf(ROOT + folder)) {
      if (/^(types|single|examples|train)\//.test(name)) continue;
      const { size, mtimeMs } = await stat(join(ROOT, folder, name));
      hash.update(`${folder}/${name} ${size} ${mtimeMs}\n`);
    }
  }
  return hash.digest('hex').slice(0, 12);
}

/** @param {string} target */
async function make(target) {
  await writeSite(target, { effort: 0 });
  const files = await filesOf(target);
  for (const folder of SOURCES) {
    // page.html is left out; otherwise the server would rebuild the page from it.
    for (const name of await filesOf(ROOT + folder))
      if (/\.(js|wasm)$/.test(name) && !files.includes(`${folder}/${name}`)) await cp(join(ROOT, folder, name), join(target, folder, name));
  }
  await mkdir(join(target, 'weights'));
  for (const name of await readdir(join(ROOT, 'weights')))
    if (name.endsWith('.gguf')) await link(join(ROOT, 'weights', name), join(target, 'weights', name));
  await writeFile(join(target, 'files.json'), JSON.stringify(files));
}

/** Whether web/dist is up to date. */
export const isBuilt = () => isMade(`${ROOT}web/dist/page-shell.js`);

/** @returns {Promise<{ root: string, files: Set<string> }>} the folder to serve, and the files in it that belong to the site */
export async function published() {
  assert.ok(await isBuilt(), 'the pages are not built: run ./build.sh js');
  const root = SITES + (await digest());
  if (!(await stat(root).catch(() => undefined))) {
    await mkdir(SITES, { recursive: true });
    for (const name of await readdir(SITES))
      if (Date.now() - (await stat(SITES + name)).mtimeMs > AN_HOUR) await rm(SITES + name, { recursive: true, force: true });
    const made = `${root}-${process.pid}`;
    await make(made);
    await rename(made, root).catch(() => rm(made, { recursive: true })); // fails if another test file has built the folder meanwhile
  }
  return { root, files: new Set(JSON.parse(await readFile(join(root, 'files.json'), 'utf8'))) };
}
