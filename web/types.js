// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Finishes what tsc has written to web/types: what no public declaration leads to is deleted, the element becomes known to the page's own
 * types, and there is a copy for require(). `npm run types` is both.
 */

import { appendFile, cp, mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

const TYPES = fileURLToPath(new URL('types/', import.meta.url));

/** Declarations that the package exports. */
const PUBLIC = ['index.d.ts', 'element.d.ts', 'define.d.ts'];

/** @param {string[]} names  of files @returns {Promise<string[]>} with all that they lead to */
async function reachable(names) {
  const found = new Set(names);
  for (const name of found) {
    const text = withoutComments(await readFile(TYPES + name, 'utf8'));
    for (const [, from] of text.matchAll(/(?:from |import\()['"](\.[^'"]+)\.js['"]/g)) found.add(normalize(join(dirname(name), `${from}.d.ts`)));
  }
  return [...found];
}

/** @param {string} text */
function withoutComments(text) {
  return text.replace(/\/\*[^]*?\*\//g, '');
}

// What was internal is gone, but not the imports that it needed.
for (const name of (await readdir(TYPES, { recursive: true })).filter((file) => file.endsWith('.d.ts'))) {
  const text = await readFile(TYPES + name, 'utf8');
  const code = withoutComments(text);
  const used = (/** @type {string} */ type) => [...code.matchAll(new RegExp(`\\b${type}\\b`, 'g'))].length > 1;
  await writeFile(TYPES + name, text.replace(/^import (?:type )?\{ ([^}]*) \} from .*;\n/gm, (line, names) => (names.split(', ').some(used) ? line : '')));
}
const wanted = await reachable(PUBLIC);
for (const name of await readdir(TYPES, { recursive: true })) {
  if (name.endsWith('.d.ts') && !wanted.includes(name)) await rm(TYPES + name);
}
await appendFile(`${TYPES}element.d.ts`, `
declare global {
    interface HTMLElementTagNameMap {
        'next-pixel': NextPixelElement;
    }
    interface HTMLElementEventMap {
        'nx-ready': NextPixelReadyEvent;
        'nx-step': NextPixelStepEvent;
        'nx-end': NextPixelEndEvent;
        'nx-error': NextPixelErrorEvent;
    }
}
`);
await writeFile(`${TYPES}inline.d.ts`, "export * from './index.js';\nexport { NextPixelElement } from './element.js';\n");
await rm(`${TYPES}cjs`, { recursive: true, force: true });
for (const name of await reachable(['index.d.ts'])) {
  await mkdir(dirname(`${TYPES}cjs/${name}`), { recursive: true });
  await cp(TYPES + name, `${TYPES}cjs/${name}`);
}
await writeFile(`${TYPES}cjs/package.json`, '{ "type": "commonjs" }\n');
