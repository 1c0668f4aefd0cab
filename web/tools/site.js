// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Writes the demo as a folder for any static host, at any path: ./build.sh site
 *
 *     node web/tools/site.js [folder, default build/site] [--address https://host/path/]
 *     node web/tools/site.js [folder, default build/single] --single PAGE ...    writes pages as one file each (single-page.js)
 *
 *     index.html           redirects to web/
 *     web/                 pages, their styles and pictures; the host should send them with `Cache-Control: no-cache`
 *     web/dist-HASH/       scripts and wasm
 *     weights-HASH/        models
 *     web/courses.json     lists of the files of each course, for visitors who keep a course on their device (course-files.js)
 *     *.gz, *.br           compressed copies, for hosts that can send them
 *
 * The folders with a HASH are named after their contents, so a host may send `Cache-Control: max-age=31536000, immutable` for them.
 *
 * All addresses are relative. If --address gives the address at which the site will be published, the pages also get tags for previews of
 * shared links (sharing.js).
 */

import { createHash } from 'node:crypto';
import { cp, mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

import { courseFiles, factsOf } from './course-files.js';
import { framedPages } from './frame.js';
import { shared } from './sharing.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Matches files of web/ that are only sources and not part of the site. All other files of web/ are copied to the site: pages and their
 * styles, pictures and data.
 */
const SOURCES =
  /^(dist|lib|jsx|types|single|examples|manual\/(chapters|make))\/|\.(js|py)$|(^|\/)page(\.\w+)?\.html$|^pages\/terms\.md$|^shell\/.*\.html$/;
/** Matches the scripts that are copied unchanged. */
const SCRIPTS = /^(sw\.js|shell\/page\/(before|copy|offline|phrase)\.js|manual\/[\w-]+\.js)$/;
/** Matches the files to compress. */
const COMPRESSIBLE = /\.(html|css|js|json|md|wasm|svg|bin|gguf)$/;

/** Lists the files in a folder and its subfolders. @param {string} folder @returns {Promise<string[]>} relative paths, sorted */
export async function filesOf(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name).slice(folder.length + 1))
    .sort();
}

/** @param {Map<string, Buffer>} files */
function hashOf(files) {
  const hash = createHash('sha256');
  for (const [name, bytes] of files) hash.update(`${name} ${bytes.length}\n`).update(bytes);
  return hash.digest('hex').slice(0, 12);
}

/**
 * @param {string} target
 * @param {{ effort?: number, address?: string }} [options]  effort: compression effort, 1 to 11; 0 writes no compressed copies
 */
export async function writeSite(target, { effort = 11, address } = {}) {
  /** @param {string} folder @param {(name: string) => boolean} wanted @returns {Promise<Map<string, Buffer>>} */
  const read = async (folder, wanted) =>
    new Map(
      await Promise.all(
        (await filesOf(`${ROOT}${folder}`))
          .filter(wanted)
          .map(async (name) => /** @type {[string, Buffer]} */ ([name, await readFile(join(ROOT, folder, name))])),
      ),
    );

  const weights = await read('weights', (name) => /^[\w-]+\.gguf$/.test(name));
  const models = `weights-${hashOf(weights)}`;
  /** @param {Buffer} bytes @param {[string | RegExp, string][]} changes */
  const changed = (bytes, changes) => Buffer.from(changes.reduce((text, [from, to]) => text.replaceAll(from, to), bytes.toString('utf8')));
  const dist = await read('web/dist', (name) => /\.(js|css|wasm)$/.test(name));
  for (const [name, bytes] of dist)
    if (name.endsWith('.js')) dist.set(name, changed(bytes, [[/`((?:\.\.\/)+)weights\/\$\{/g, `\`$1${models}/\${`]]));
  const scripts = `dist-${hashOf(dist)}`;

  await rm(target, { recursive: true, force: true });
  /** @param {string} path @param {Buffer | string} bytes */
  const write = async (path, bytes) => {
    await mkdir(dirname(join(target, path)), { recursive: true });
    await writeFile(join(target, path), bytes);
  };
  for (const [name, bytes] of weights) await write(`${models}/${name}`, bytes);
  for (const [name, bytes] of dist) await write(`web/${scripts}/${name}`, bytes);
  const files = await read('web', (file) => SCRIPTS.test(file) || !SOURCES.test(file));
  const framed = await framedPages(`${ROOT}web`);
  for (const [path, html] of framed) files.set(path, Buffer.from(html));
  /** HTML of the demo's pages, by path. @type {Map<string, string>} */
  const pages = new Map();
  for (const [name, bytes] of files) {
    if (!/\.html$/.test(name)) {
      await write(`web/${name}`, bytes);
      continue;
    }
    const page = changed(address ? Buffer.from(shared(bytes.toString('utf8'), `web/${name}`, address)) : bytes, [
      [/(href|src)="([./]*)dist\//g, `$1="$2${scripts}/`],
      [/(href|src|model)="([./]*)weights\/(?=[\w-]+\.(gguf|md))/g, `$1="$2${models}/`],
    ]);
    await write(`web/${name}`, page);
    if (framed.has(name)) pages.set(name, page.toString('utf8'));
  }
  const facts = (/** @type {Map<string, Buffer>} */ all, start = '') =>
    [...all].map(([name, bytes]) => /** @type {const} */ ([start + name, factsOf(bytes)]));
  const courses = courseFiles({
    pages,
    files: new Map([...facts(files).filter(([name]) => !name.endsWith('.html')), ...facts(dist, 'dist/')]),
    weights: new Map(facts(weights)),
    script: (name) => String(dist.get(`page-${name}.js`)),
    dist: scripts,
    models,
  });
  await write('web/courses.json', JSON.stringify(courses));
  await write(
    'index.html',
    `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<noscript><meta http-equiv="refresh" content="0; url=web/"></noscript>
<title>nextpixel</title>
<link rel="icon" href="web/shell/icon.svg" type="image/svg+xml">
<script>location.replace(location.protocol === 'file:' ? 'web/index.html' : 'web/')</script>
<body><a href="web/">nextpixel</a></body>
</html>
`,
  );
  for (const name of ['LICENSE', 'weights/README.md'])
    await cp(`${ROOT}${name}`, join(target, name === 'LICENSE' ? name : `${models}/README.md`));

  const names = effort > 0 ? (await filesOf(target)).filter((name) => COMPRESSIBLE.test(name)) : [];
  for (const name of names) {
    const bytes = await readFile(join(target, name));
    const quality = Math.min(effort, bytes.length > 2 ** 18 ? 5 : 11); // large files are mostly weights, which hardly shrink at any effort
    const smaller = {
      gz: await promisify(gzip)(bytes, { level: Math.min(effort, 9) }),
      br: await promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } }),
    };
    for (const [extension, packed] of Object.entries(smaller))
      if (packed.length < 0.95 * bytes.length) await write(`${name}.${extension}`, packed);
  }
  return { files: (await filesOf(target)).length, scripts, models };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const {
    values: { address, single },
    positionals: [folder],
  } = parseArgs({ options: { address: { type: 'string' }, single: { type: 'string', multiple: true } }, allowPositionals: true });
  if (address && !(URL.canParse(address) && address.endsWith('/')))
    throw new Error(`--address takes the whole address of the site with / at its end, not ${address}`);
  if (single) {
    if (address) throw new Error('--single writes files that need no address: remove --address');
    const { writeSingle } = await import('./single-page.js');
    for (const { file, bytes } of await writeSingle(resolve(folder ?? `${ROOT}build/single`), single))
      console.log(`${file}: ${(bytes / 1e6).toFixed(1)} MB, opens without a server`);
  } else {
    const target = resolve(folder ?? `${ROOT}build/site`);
    const { files } = await writeSite(target, { address });
    console.log(`${target}: ${files} files. Any static host serves them as they are.`);
  }
}
