// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Runs several test files one by one in one process, so that modules are loaded and compiled only once and the files share one browser
 * (browser/browser.js). Each file is a separate suite (held.js), so its hooks apply only to its tests.
 *
 *     node tests/group.js FOLDER SIZE FILE...   writes FOLDER/*.test.js, each importing at most SIZE of these files, and prints their names
 *
 * The first test waits until all files of the group are loaded, because Node ends a test process as soon as no test is pending. The files
 * are imported one after the other. The reason is that several files import modules that wait for other modules (`await import()`), and
 * Node 20 never finishes loading some sets of such files if they are imported together.
 */

import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * Files that each run in a separate process, either because they take a long time or because they measure the memory of their process
 * (js/tokens.test.js). These files start first.
 */
const ALONE = ['pages.test.js', 'element.test.js', 'element-life.test.js', 'js/tokens.test.js'];

const [folder, size, ...files] = process.argv.slice(2);
const alone = ALONE.flatMap((name) => files.filter((file) => file.endsWith(`/${name}`)));
const others = files.filter((file) => !alone.includes(file));
const count = Math.ceil(others.length / Number(size));
const groups = [...alone.map((file) => [file]), ...Array.from({ length: count }, (_, i) => others.filter((_, k) => k % count === i))];

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const addressOf = (/** @type {string} */ file) => JSON.stringify(pathToFileURL(resolve(file)).href);
for (const [i, group] of groups.entries()) {
  const name = `${folder}/${String(i).padStart(2, '0')}.test.js`;
  const lines = [
    ...group.map((file) => `// ${file}`), // if the process ends early, build.sh runs these files one by one
    `import { begin, read } from ${addressOf('tests/held.js')};`,
    ...group.map((file) => `await read(${JSON.stringify(file)}, () => import(${addressOf(file)}));`),
    'begin();',
    '',
  ];
  writeFileSync(name, lines.join('\n'));
  console.log(name);
}
