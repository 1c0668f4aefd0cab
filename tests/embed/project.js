// SPDX-License-Identifier: MIT
// @ts-check

/** Creates test projects with the packed library in node_modules, and opens a project's page in a browser. */

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { toyModel } from '../js/toy.js';
import { launch } from '../browser/browser.js';

export { launch };

export const run = promisify(execFile);
export const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** The folder of all test projects, which Git ignores. */
export const OUT = `${ROOT}build/embed/`;
/** The folder into which ./build.sh test-embed installs the tools with npm. */
export const TOOLS = `${OUT}tools/`;

export const toy = toyModel({ classes: ['cat', 'dog'] });

/** Packs the library as it would be published. @returns {Promise<string>} path of the file */
export async function pack() {
  await mkdir(OUT, { recursive: true });
  const folder = await mkdtemp(`${OUT}pack-`);
  const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', folder], {
    cwd: ROOT,
    env: { ...process.env, npm_config_loglevel: 'error', npm_config_update_notifier: 'false' },
  });
  const file = join(folder, stdout.trim().split('\n').at(-1) ?? '');
  await copyFile(file, `${OUT}nextpixel.tgz`);
  await rm(folder, { recursive: true });
  return `${OUT}nextpixel.tgz`;
}

/**
 * Makes a folder with files, the library, and links to other packages.
 *
 * @param {string} name
 * @param {Record<string, string | Uint8Array>} files  contents, by path
 * @param {{ tarball: string, packages?: string[] }} options  packages: of TOOLS
 * @returns {Promise<string>} path of the folder, ending in /
 */
export async function project(name, files, { tarball, packages = [] }) {
  const folder = `${OUT}${name}/`;
  await rm(folder, { recursive: true, force: true });
  await mkdir(`${folder}node_modules/nextpixel`, { recursive: true });
  await run('tar', ['xzf', tarball, '-C', `${folder}node_modules/nextpixel`, '--strip-components=1']);
  for (const what of packages) {
    await mkdir(dirname(`${folder}node_modules/${what}`), { recursive: true });
    await symlink(`${TOOLS}node_modules/${what}`, `${folder}node_modules/${what}`);
  }
  for (const [path, content] of Object.entries({ 'package.json': '{ "name": "app", "private": true, "type": "module" }', ...files })) {
    await mkdir(dirname(folder + path), { recursive: true });
    await writeFile(folder + path, content);
  }
  return folder;
}

/** @type {Record<string, string>} */
const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.css': 'text/css',
  '.wasm': 'application/wasm',
  '.png': 'image/png',
  '.gguf': 'application/octet-stream',
  '.svg': 'image/svg+xml',
};

/**
 * Serves a folder over HTTP, only to this machine.
 *
 * @param {string} folder
 * @param {string} [policy]  Content-Security-Policy of its pages
 * @returns {Promise<{ url: string, close: () => Promise<void> }>}
 */
export async function serveFolder(folder, policy = '') {
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://here');
    const path = pathname.endsWith('/') ? `${pathname}index.html` : pathname;
    try {
      const body = await readFile(join(folder, path));
      response.setHeader('Content-Type', TYPES[extname(path)] ?? 'application/octet-stream');
      response.setHeader('Access-Control-Allow-Origin', '*');
      if (policy && path.endsWith('.html')) response.setHeader('Content-Security-Policy', policy);
      response.end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(undefined));
  });
  return {
    url: `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}/`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/**
 * Opens a page, and waits until the title of the page contains the result.
 *
 * @param {string} url
 * @param {{ screenshot?: string, done?: (title: string) => boolean }} [options]
 * @returns {Promise<{ title: string, requests: string[], complaints: string[] }>}
 */
export async function visit(url, { screenshot, done = (title) => /^(drawn|failed)/.test(title) } = {}) {
  const browser = await launch();
  try {
    const page = await browser.newPage({ viewport: { width: 900, height: 600 } });
    /** @type {string[]} */
    const requests = [];
    /** @type {string[]} */
    const complaints = [];
    page.on('request', (request) => requests.push(request.url()));
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type()) && !/favicon/.test(message.location().url)) complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(String(error)));
    await page.goto(url);
    for (let i = 0; i < 300 && !done(await page.title()); i++)
      await new Promise((resolve) => {
        setTimeout(resolve, 100);
      });
    if (screenshot) await page.screenshot({ path: `${OUT}${screenshot}.png` });
    return { title: await page.title(), requests, complaints };
  } finally {
    await browser.close();
  }
}

/**
 * Returns a script that draws with a model and reports the result in the page's title.
 * @param {string} [from]
 * @param {string} [options] options of load()
 * @param {string} [imports]
 */
export const script = (from = 'nextpixel', options = '{}', imports = '') => `
  import { load } from '${from}';
  ${imports}
  try {
    const model = await load(new URL('toy.gguf', document.baseURI).href, ${options});
    let count = 0;
    for await (const { values } of model.generate({ seed: 1 })) count += values.length;
    model.close();
    document.title = 'drawn ' + count;
  } catch (error) {
    document.title = 'failed ' + error.code + ' ' + error.message;
  }`;

export const PAGE = (/** @type {string} */ head) =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><link rel="icon" href="data:,"><title>app</title>${head}<body></body></html>`;

/** @param {string} url @param {Parameters<typeof visit>[1]} [options] */
export async function draws(url, options) {
  const seen = await visit(url, options);
  assert.deepEqual([seen.title, seen.complaints], ['drawn 64', []]);
  return seen;
}

/**
 * Type-checks JSX files. The compiler resolves imports in the way a bundler does.
 *
 * @param {string} folder
 * @param {string[]} files
 * @param {string} jsx  value of the compiler's option jsx
 * @param {string} [source]  the package that provides the JSX types
 * @returns {Promise<string>} the errors of the compiler, '' if there are none
 */
export async function compileJsx(folder, files, jsx, source) {
  const words = '--noEmit --strict --target es2022 --lib es2022,dom,dom.iterable,dom.asynciterable --skipLibCheck --ignoreConfig';
  const flags = [...words.split(' '), '--types', '', '--module', 'esnext', '--moduleResolution', 'bundler', '--jsx', jsx];
  if (source) flags.push('--jsxImportSource', source);
  const compiler = `${ROOT}node_modules/typescript/bin/tsc`;
  const { stdout, stderr } = await run(process.execPath, [compiler, ...flags, ...files], { cwd: folder }).catch((error) => error);
  return stdout || stderr;
}
