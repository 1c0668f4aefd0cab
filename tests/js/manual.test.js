// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Checks that the manual matches the sources: keys, messages, attributes, functions, versions, samples and links. ./build.sh check-manual
 * verifies that the manual's pages are built from its chapters.
 */

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';

import { framedPages } from '../../web/tools/frame.js';
import { ATTRIBUTES } from '../../web/lib/element/attributes.js';
import { load } from '../../web/lib/index.js';
import { CODES } from '../../web/lib/engine/protocol.js';
import { singles } from '../../web/tools/single.js';
import { types } from '../../web/manual/make/runs.js';
import { more } from '../more.js';
import { ROOT } from './helpers.js';

const run = promisify(execFile);
const MANUAL = `${ROOT}web/manual/`;
const BUILD = `${ROOT}build/manual-test/`;

/** @param {string} name */
const chapter = (name) => readFile(`${MANUAL}chapters/${name}.md`, 'utf8');

/**
 * Returns the contents of all files of a folder, by path.
 *
 * @param {string} folder
 * @param {string} ending
 * @returns {Promise<Map<string, string>>}
 */
async function textsOf(folder, ending) {
  const names = (await readdir(ROOT + folder, { recursive: true })).filter((name) => name.endsWith(ending));
  return new Map(
    await Promise.all(
      names.map(async (name) => /** @type {[string, string]} */ ([name, await readFile(join(ROOT, folder, name), 'utf8')])),
    ),
  );
}

/** Returns the sections of a chapter, by heading. @param {string} text */
const sectionsOf = (text) =>
  new Map(
    text
      .split(/^## /m)
      .slice(1)
      .map((part) => /** @type {[string, string]} */ ([part.slice(0, part.indexOf('\n')), part])),
  );

/** @param {string} text */
const codeIn = (text) => new Set([...text.matchAll(/`([^`\n]+)`/g)].map(([, code]) => code));

test('every key that the engine or a codec reads is in the chapter on files, in the section of its architecture', async () => {
  const sections = sectionsOf(await chapter('files'));
  /** @param {string} architecture */
  const section = (architecture) => {
    const [, text] = [...sections].find(([heading]) => heading.split(/[^\w-]+/).includes(architecture)) ?? [];
    assert.ok(text, `web/manual/chapters/files.md has no section "## ${architecture}"`);
    return codeIn(text);
  };
  /** @type {Set<string>} */
  const missing = new Set();
  let keys = 0;
  /** @param {Set<string>} known @param {string} key @param {string} where */
  const check = (known, key, where) => {
    keys++;
    if (!known.has(key)) missing.add(`${where} reads ${key}`);
  };
  for (const [file, text] of await textsOf('src', '.c')) {
    const own = /^#define ARCH "([\w-]+)"$/m.exec(text)?.[1];
    const architectures = [...text.matchAll(/\bnx_arch nx_\w+ = \{\.name = (?:ARCH|"([\w-]+)")/g)].map(([, name = own]) => String(name));
    for (const architecture of architectures) {
      const known = section(architecture);
      for (const [, key] of text.matchAll(/\bKEY\("([\w.]+)"\)/g)) {
        assert.equal(own, architecture, file);
        check(known, key, file);
      }
      for (const [, key] of text.matchAll(/\bnx_key\([^,"]+, "([\w.]+)"\)/g)) check(known, key, file);
      // conditional expressions that select a key, such as rope.scaling.factor or rope.scale_linear
      for (const [, key] of text.matchAll(/[?:] "(\w+\.[\w.]+)"/g)) if (!key.endsWith('.weight')) check(known, key, file);
    }
    const everywhere = codeIn([...sections.values()].join(''));
    for (const [, key] of text.matchAll(/"((?:general|tokenizer)\.[\w.]+)"/g)) check(everywhere, key, file);
  }
  const vocabularies = codeIn([...sections.values()].join(''));
  for (const [file, text] of await textsOf('web/lib', '.js')) {
    for (const [, key] of text.matchAll(/'((?:tokenizer|general)\.[\w.]+)'/g)) check(vocabularies, key, file);
    if (!file.endsWith('vocabulary.js')) continue;
    for (const [, key] of text.matchAll(/\b(?:get|id|flag)\('(\w+)'/g)) check(vocabularies, `tokenizer.ggml.${key}`, file);
  }
  assert.ok(keys > 60, `only ${keys} keys found: has the form of the sources changed?`);
  assert.deepEqual([...missing], []);
});

test('the table of tensor types has a complete row for each type', async () => {
  const text = await chapter('files');
  assert.match(text, /^<!-- types -->$/m); // web/manual/make/runs.js generates the rows of this table
  const rows = (await types()).split('\n');
  assert.ok(rows.length >= 30);
  for (const row of rows) assert.match(row, /^\| `\w+` \| \d+ \| \d+ \| \d+ \| [\d.]+ \| (yes|no: .{10,}) \|$/);
  assert.ok(rows.some((row) => row.startsWith('| `Q4_K` | 12 | 256 | 144 | 4.5 | yes |')));
});

test('C, Python and the chapter on files list the same output distributions', async () => {
  const [, names] = /nx_output_names\[NX_OUTPUT_KINDS\] = \{([^}]*)\};/.exec(await readFile(`${ROOT}src/sampling/output.c`, 'utf8')) ?? [];
  const known = [...String(names).matchAll(/"(\w+)"/g)].map(([, name]) => name);
  assert.ok(known.length >= 5);
  const [, widths] =
    /^def width\(c\):\n.*\n    return \{([^}]*)\}/m.exec(await readFile(`${ROOT}weights/train/common/distributions.py`, 'utf8')) ?? [];
  assert.deepEqual([...String(widths).matchAll(/"(\w+)": /g)].map(([, name]) => name).sort(), [...known].sort());
  const [, cell] = /^\| `output\.type` \| (.*?) \|/m.exec(await chapter('files')) ?? [];
  assert.deepEqual([...codeIn(String(cell))], known);
});

test('every error code has a section, and each quoted message exists', async () => {
  const text = await chapter('errors');
  const sections = sectionsOf(text);
  assert.deepEqual([...sections.keys()], [...CODES]);
  // Joins string literals that are continued on the next line.
  const sources = [...(await textsOf('web/lib', '.js')).values(), ...(await textsOf('src', '.c')).values()]
    .join('\n')
    .replace(/['`"]\s*\+\s*['`"]|['`"] \+\n\s*['`"]/g, '')
    .replaceAll("\\'", "'");
  let quoted = 0;
  for (const section of sections.values()) {
    for (const [, cell] of section.matchAll(/^\| (`.*?`) \|/gm)) {
      for (const message of codeIn(cell)) {
        quoted++;
        const pattern = message.replace(/\d{4}/, '1024|2048|${MAX_KEYS}|${MAX_TENSORS}');
        assert.ok(
          pattern.split('|').some((one) => sources.includes(pattern === message ? message : message.replace(/\d{4}/, one))),
          `no message contains "${message}"`,
        );
      }
    }
  }
  assert.ok(quoted > 40);
});

test('the chapter on the element has every attribute, event, part and custom property', async () => {
  const text = await chapter('element');
  const known = codeIn(text);
  const [source, view, talk, ...styles] = await Promise.all(
    ['element/events', 'element/view', 'element/talk', 'element/style', 'element/talk-style', 'sinks/sheet'].map((name) =>
      readFile(`${ROOT}web/lib/${name}.js`, 'utf8'),
    ),
  );
  const attributes = Object.keys(ATTRIBUTES);
  assert.ok(attributes.length > 15);
  const html = await readFile(`${ROOT}web/manual/element.html`, 'utf8');
  for (const name of attributes) assert.ok(html.includes(`<td><code>${name}</code></td>`), `attribute ${name}`);
  for (const [, name] of source.matchAll(/super\('(nx-\w+)'/g)) assert.ok(known.has(name), `event ${name}`);
  for (const [, names] of (view + talk).matchAll(/part: '([\w -]+)'/g))
    for (const name of names.split(' ')) assert.ok(known.has(`::part(${name})`), `part ${name}`);
  const style = styles.join('');
  const inner = new Set([...style.matchAll(/(--nx-\w+):/g)].map(([, name]) => name)); // custom properties that the element sets itself
  for (const [name] of style.matchAll(/--nx-[\w-]+/g)) assert.ok(known.has(name) || inner.has(name), `custom property ${name}`);
  // Checks that no element in a sample has an unknown attribute.
  const usual = ['class', 'onnx-end', 'onnx-error', 'aria-label'];
  for (const [name, page] of await textsOf('web/manual/chapters', '.md')) {
    for (const [, tag] of page.matchAll(/<next-pixel\s([^`]*?)\/?>/g)) {
      const names = tag.replace(/=("[^"]*"|\{[^]*?\}(?=\s|$)|\{[^}]*\})/g, ' ').match(/[\w-]+/g) ?? [];
      for (const attribute of names) assert.ok([...attributes, ...usual].includes(attribute), `${name}: ${attribute}`);
    }
  }
});

test('the chapter on C has every function and status of the header', async () => {
  const known = codeIn(await chapter('c'));
  const header = await readFile(`${ROOT}include/nextpixel.h`, 'utf8');
  const functions = [...header.matchAll(/^NX_API(?:_\w+)? [\w *]+?\b(nx_\w+)\(/gm)].map(([, name]) => name);
  assert.ok(functions.length >= 30);
  for (const name of functions) assert.ok(known.has(name), name);
  const text = await chapter('c');
  for (const [, name, number] of header.matchAll(/^ {4}(NX_E_\w+) = (-\d+)/gm)) {
    assert.ok(text.includes(`\`${name}\` ${number} | [${CODES[-1 - Number(number)]}]`), name);
  }
});

test('the manual lists the versions in tests/embed as tested', async () => {
  const text = await chapter('bundlers');
  const { dependencies } = JSON.parse(await readFile(`${ROOT}tests/embed/package.json`, 'utf8'));
  /** @param {string} name */
  const version = (name) => dependencies[name].replace(/^npm:.*@/, '');
  for (const name of [
    'vite',
    'vite6',
    'vite7',
    'webpack',
    'rollup',
    'esbuild',
    'parcel',
    'react',
    'vue',
    'svelte',
    'next',
    'bun',
    'deno',
    'vitest',
    'jest',
    'jsdom',
    'happy-dom',
    '@rollup/plugin-node-resolve',
  ]) {
    assert.ok(text.includes(version(name)), `tests/embed uses ${name} ${version(name)}; the chapter on bundlers does not`);
  }
});

test('the chapter on hosting has every published file, and the size of the single file', async () => {
  const html = await readFile(`${MANUAL}hosting.html`, 'utf8');
  for (const name of await readdir(`${ROOT}web/dist`))
    if (!name.startsWith('page-')) assert.ok(html.includes(`<code>${name}</code>`), name);
  const [, said] = /which contains both \((\d+) KB gzip\)/.exec(await chapter('bundlers')) ?? [];
  const bytes = gzipSync((await singles()).get('inline.js') ?? '', { level: 9 }).length;
  assert.ok(Math.abs(bytes / 1024 / Number(said) - 1) < 0.03, `${(bytes / 1024).toFixed(1)} KB, not ${said}`);
});

test('the JavaScript samples compile against the types of the package', async () => {
  await rm(`${BUILD}js`, { recursive: true, force: true });
  await mkdir(`${BUILD}js`, { recursive: true });
  let count = 0;
  for (const [name, text] of await textsOf('web/manual/chapters', '.md')) {
    for (const [, info, code] of text.matchAll(/^```js((?: .*)?)\n([^]*?)^```$/gm)) {
      if (info.includes('file=')) continue; // tests/embed runs these blocks
      await writeFile(`${BUILD}js/${name.replace('.md', '')}-${++count}.js`, `${code}\nexport {};\n`);
    }
  }
  assert.ok(count >= 10);
  await writeFile(
    `${BUILD}js/given.d.ts`,
    `
    declare const load: typeof import('nextpixel').load;
    interface Navigator { readonly deviceMemory?: number } // of Chromium
    declare const image: ImageData;
    declare const canvas: HTMLCanvasElement;
    interface Policy { createScriptURL(url: string): { toString(): string } }
    declare const trustedTypes: { createPolicy(name: string, rules: { createScriptURL: (url: string) => string }): Policy };\n`,
  );
  await writeFile(
    `${BUILD}js/tsconfig.json`,
    JSON.stringify({
      compilerOptions: {
        noEmit: true,
        strict: true,
        noImplicitAny: false,
        allowJs: true,
        checkJs: true,
        target: 'es2022',
        module: 'esnext',
        moduleResolution: 'bundler',
        types: [],
        skipLibCheck: true,
        lib: ['es2022', 'dom', 'dom.iterable', 'dom.asynciterable'],
        paths: { nextpixel: ['../../../web/types/index.d.ts'], 'nextpixel/*': ['../../../web/types/*.d.ts'] },
      },
      include: ['*.js', '*.d.ts'],
    }),
  );
  assert.ok(existsSync(`${ROOT}web/types/index.d.ts`), 'npm run types comes first');
  const { stdout } = await run(process.execPath, [`${ROOT}node_modules/typescript/bin/tsc`, '-p', `${BUILD}js/tsconfig.json`]).catch(
    (error) => error,
  );
  assert.equal(stdout, '');
});

// npm test leaves this out: there, c-library.test.js links the program with the installed library.
more('the C program compiles as the manual says, and draws the same picture as the WebAssembly build', { timeout: 120000 }, async () => {
  await mkdir(BUILD, { recursive: true });
  const sources = [...(await textsOf('src', '.c')).keys()].map((name) => `src/${name}`);
  const [, flags] =
    /^cc (.*) -O3 (-ffp-contract=off .*) \$\(find src -name '\*\.c'\) web\/examples\/c\/draw\.c -o draw$/m
      .exec(await chapter('c'))
      ?.slice(1) ?? [];
  assert.ok(flags, 'the chapter on C gives the command that compiles it');
  await run(
    process.env.CC ?? 'gcc',
    ['-std=c11', '-Wall', '-Wextra', '-Werror', '-O1', ...flags.split(' '), ...sources, 'web/examples/c/draw.c', '-o', `${BUILD}draw`],
    { cwd: ROOT },
  );
  // Checks that the manual lists exactly the functions of the C standard library that a program needs. The program's own functions do not
  // count.
  const needs = async (/** @type {string} */ file) =>
    [...(await run('nm', ['-u', file])).stdout.matchAll(/ U ([a-z]\w*)/g)].map(([, name]) => name);
  await run(process.env.CC ?? 'gcc', ['-O1', '-Iinclude', '-c', 'web/examples/c/draw.c', '-o', `${BUILD}draw.o`], { cwd: ROOT });
  const said = codeIn(/^.*From the C standard library, it uses only .*$/m.exec(await chapter('c'))?.[0] ?? '');
  assert.ok(said.size > 0, 'the chapter on C lists these functions');
  const known = new Set([...said, ...(await needs(`${BUILD}draw.o`))]);
  assert.deepEqual(
    (await needs(`${BUILD}draw`)).filter((name) => !known.has(name)),
    [],
  );
  for (const [weights, seed, label] of /** @type {[string, number, number?][]} */ ([
    ['digits', 1, 7],
    ['emoji', 2],
    ['fvsbn', 3],
  ])) {
    const args = [`weights/${weights}.gguf`, `${BUILD}out.ppm`, String(seed), ...(label === undefined ? [] : [String(label)])];
    const { stdout } = await run(`${BUILD}draw`, args, { cwd: ROOT });
    assert.match(stdout, /out\.ppm: \d+ x \d+, [\d.]+ nats\n$/);
    const model = await load(`${ROOT}weights/${weights}.gguf`);
    const [{ data, width, height }] = await model.generate({ seed, label }).pictures();
    model.close();
    const ppm = await readFile(`${BUILD}out.ppm`);
    assert.equal(ppm.toString('latin1', 0, ppm.length - 3 * width * height), `P6\n${width} ${height}\n255\n`);
    assert.deepEqual(
      [...ppm.subarray(-3 * width * height)],
      [...data].filter((_, i) => i % 4 < 3),
      weights,
    );
  }
  const failed = await run(`${BUILD}draw`, ['README.md', `${BUILD}out.ppm`], { cwd: ROOT }).catch((error) => error);
  assert.deepEqual([failed.code, failed.stderr], [1, 'draw: cannot open the weights (not a GGUF file)\n']);
});

/** Returns the pages that visitors see: the front page, the pages about models and the manual. */
async function everyPage() {
  const manual = (await readdir(MANUAL)).filter((name) => name.endsWith('.html')).map((name) => `web/manual/${name}`);
  return new Map([
    ...[...(await framedPages(`${ROOT}web`))].map(([page, html]) => /** @type {[string, string]} */ ([`web/${page}`, html])),
    ...(await Promise.all(manual.map(async (page) => /** @type {[string, string]} */ ([page, await readFile(ROOT + page, 'utf8')])))),
  ]);
}

test('every link of the manual has a target, and every page links to the manual', async () => {
  const pages = await everyPage();
  /** @param {string} page */
  const idsOf = async (page) =>
    new Set([...(pages.get(page) ?? (await readFile(ROOT + page, 'utf8'))).matchAll(/\bid="([^"]+)"/g)].map(([, id]) => id));
  for (const [page, text] of pages) {
    const links = [...text.matchAll(/\b(?:href|src)="([^"]+)"/g)].map(([, link]) => link);
    const depth = page.split('/').length - 2;
    if (!page.startsWith('web/manual/')) {
      assert.ok(links.includes(`${'../'.repeat(depth)}manual/`), `${page} does not link to the manual`);
      continue;
    }
    for (const link of links) {
      if (/^[a-z]+:/.test(link)) continue;
      const [address, anchor] = link.split('#');
      let target = address === '' ? page : join(dirname(page), address);
      if (target.endsWith('/')) target += 'index.html';
      assert.ok(pages.has(target) || existsSync(ROOT + target), `${page}: ${link}`);
      if (anchor) assert.ok((await idsOf(target)).has(anchor), `${page}: ${link}`);
    }
    assert.equal((await idsOf(page)).size, [...text.matchAll(/\bid="/g)].length, `${page} uses an id twice`);
  }
});
