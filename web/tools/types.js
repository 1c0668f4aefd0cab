// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Builds web/types: npm run types
 *
 * Checks the library with tsc, which also writes declarations. Then the script removes the declarations that no public declaration needs,
 * adds the element to the DOM's types, and makes a copy for require().
 */

import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

import { put } from './put.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const TYPES = `${ROOT}web/types/`;

/** The declarations that the package exports. */
const PUBLIC = [
  'index.d.ts',
  'element.d.ts',
  'define.d.ts',
  'chat-models.d.ts',
  ...(await readdir(`${ROOT}web/lib/element/words`)).map((name) => `element/words/${name.replace('.js', '.d.ts')}`),
];

/** @param {string} text */
function withoutComments(text) {
  return text.replace(/\/\*[^]*?\*\//g, '');
}

/**
 * Rewrites generic typed arrays, such as Uint8Array<ArrayBuffer>, because typed arrays are not generic in TypeScript before 5.7. The
 * replacement is the return type of Uint8Array.of(). This type is Uint8Array<ArrayBuffer> in TypeScript 5.7 and later, and Uint8Array in
 * older versions.
 *
 * @param {string} text  text of a declaration
 */
function forOlder(text) {
  return text
    .replace(/\b((?:Int|Uint|Float)\d+(?:Clamped)?Array)<ArrayBufferLike>/g, '$1')
    .replace(/\b((?:Int|Uint|Float)\d+(?:Clamped)?Array)<ArrayBuffer>/g, 'ReturnType<$1Constructor["of"]>');
}

/** Removes imports that were used only by internal declarations that have been removed. @param {string} text  text of a declaration */
function withoutUnused(text) {
  const code = withoutComments(text);
  const used = (/** @type {string} */ type) => [...code.matchAll(new RegExp(`\\b${type}\\b`, 'g'))].length > 1;
  return text.replace(/^import (?:type )?\{ ([^}]*) \} from .*;\n/gm, (line, names) => (names.split(', ').some(used) ? line : ''));
}

/**
 * @param {Map<string, string>} all  declarations by name
 * @param {string[]} names
 * @returns {string[]} the names of these declarations and of all declarations that they need
 */
function reachable(all, names) {
  const found = new Set(names);
  for (const name of found) {
    const text = withoutComments(all.get(name) ?? '');
    for (const [, from] of text.matchAll(/(?:from |import\()['"](\.[^'"]+)\.js['"]/g))
      found.add(normalize(join(dirname(name), `${from}.d.ts`)));
  }
  return [...found];
}

/**
 * @returns {Promise<Map<string, string>>} the declarations that tsc writes, by name. If tsc finds errors, they are printed and the result
 *   is empty
 */
async function declared() {
  const folder = await mkdtemp(join(tmpdir(), 'nextpixel-types-'));
  try {
    const { status } = spawnSync(
      process.execPath,
      [`${ROOT}node_modules/typescript/bin/tsc`, '-p', `${ROOT}tsconfig.json`, '--outDir', folder],
      { stdio: 'inherit' },
    );
    if (status !== 0) return new Map();
    const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.d.ts'));
    return new Map(
      await Promise.all(
        names.map(
          async (name) => /** @type {[string, string]} */ ([name, forOlder(withoutUnused(await readFile(join(folder, name), 'utf8')))]),
        ),
      ),
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const made = await declared();
if (made.size === 0) process.exit(1);
/** @type {Map<string, string>} */
const files = new Map(reachable(made, PUBLIC).map((name) => [name, made.get(name) ?? '']));
files.set(
  'element.d.ts',
  `${files.get('element.d.ts')}
declare global {
    interface HTMLElementTagNameMap {
        'next-pixel': NextPixelElement;
    }
    interface HTMLElementEventMap {
        'nx-ready': NextPixelReadyEvent;
        'nx-progress': NextPixelProgressEvent;
        'nx-step': NextPixelStepEvent;
        'nx-end': NextPixelEndEvent;
        'nx-error': NextPixelErrorEvent;
    }
}
`,
);
files.set('inline.d.ts', "export * from './index.js';\nexport { NextPixelElement } from './element.js';\n");
for (const [name, text] of [...files]) files.set(`cjs/${name}`, text);
for (const name of await readdir(`${ROOT}web/jsx`))
  files.set(`cjs/jsx/${name}`, (await readFile(`${ROOT}web/jsx/${name}`, 'utf8')).replaceAll("'../types/", "'../"));
files.set('cjs/package.json', '{ "type": "commonjs" }\n');

for (const [name, text] of files) await put(TYPES + name, text);
for (const name of await readdir(TYPES, { recursive: true })) {
  if (/\.(d\.ts|json)$/.test(name) && !files.has(name)) await rm(TYPES + name);
}
