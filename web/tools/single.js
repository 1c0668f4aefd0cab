// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Builds web/single for the package. This folder contains the library as one file, in several formats. npm pack runs this script. The
 * folder is not committed, because half of it is a copy of the wasm.
 *
 *     node web/tools/single.js
 *
 *     inline.js       an ES module with load(), the element, the worker and both wasm files; for bundlers that do not copy wasm files
 *     classic.js      the same code for a <script src> that is not a module; registers <next-pixel> and defines the global `nextpixel`
 *     nextpixel.cjs   for require() in Jest and in versions of Node that cannot require an ES module; uses the files of web/dist
 *     define.cjs, chat-models.cjs, words-*.cjs   likewise for require() of nextpixel/define, nextpixel/chat-models and nextpixel/words/*
 */

import { readFile, readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

import { build } from 'esbuild';

import { PARTS_OF_PACKAGES } from './fresh.js';
import { legalComments } from './notices.js';
import { put } from './put.js';

const WEB = fileURLToPath(new URL('..', import.meta.url));
const LICENCE = '// SPDX-License-Identifier: MIT';

/** @param {string} name */
const packed = async (name) => JSON.stringify(gzipSync(await readFile(`${WEB}dist/${name}`), { level: 9 }).toString('base64'));

/** Returns the source code of a module that replaces lib/files.js and contains the worker and the wasm files. */
export async function filesInside() {
  return `
    const WORKER = ${JSON.stringify(await readFile(`${WEB}dist/worker.js`, 'utf8'))};
    const unpacked = async (text) => {
      const packed = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
      return new Uint8Array(await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'))).arrayBuffer());
    };
    let address, usual, fast;
    export const workerText = WORKER;
    export const workerAddress = () => new URL('data:text/javascript,' + encodeURIComponent(WORKER));
    export const startOwn = () => new Worker(address ??= URL.createObjectURL(new Blob([WORKER], { type: 'text/javascript' })));
    export const playerAddress = () => new URL('data:text/javascript,' + encodeURIComponent(${JSON.stringify(await readFile(`${WEB}dist/player.js`, 'utf8'))}));
    const BUILDS = {
      baseline: () => usual ??= unpacked(${await packed('nextpixel.wasm')}),
      relaxed: () => fast ??= unpacked(${await packed('nextpixel-relaxed.wasm')}),
    };
    export const build = (name) => (BUILDS[name] ?? BUILDS.relaxed)(); // \`pairs\` would make the file a quarter larger
    export const hint = () => '';`;
}

/**
 * Changes the script so that it finds the wasm and the worker in web/dist, which is next to the script's own folder.
 * @type {import('esbuild').Plugin}
 */
const beside = {
  name: 'beside',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]lib[\\/]files\.js$/ }, async ({ path }) => ({
      contents: (await readFile(path, 'utf8')).replaceAll("'./worker.js'", "'../dist/worker.js'"),
    }));
  },
};

/** @param {import('esbuild').BuildOptions} options */
async function single(options) {
  const { outputFiles = [] } = await build({
    absWorkingDir: WEB,
    write: false,
    bundle: true,
    target: 'es2022',
    minify: true,
    charset: 'utf8',
    legalComments: 'none',
    banner: { js: LICENCE },
    alias: PARTS_OF_PACKAGES,
    ignoreAnnotations: true,
    logLevel: 'warning',
    footer: { js: await legalComments() },
    ...options,
  });
  return outputFiles[0].text;
}

/** Converts modules that only export data, and import nothing, so that require() can load them. */
async function dataForRequire() {
  const words = (await readdir(`${WEB}lib/element/words`)).map((name) => [`words-${name}`, `element/words/${name}`]);
  return Promise.all(
    [['chat-models.js', 'chat-models.js'], ...words].map(
      async ([name, path]) =>
        /** @type {[string, string]} */ ([
          name.replace(/js$/, 'cjs'),
          await single({ entryPoints: [`${WEB}lib/${path}`], format: 'cjs', footer: {} }),
        ]),
    ),
  );
}

/** The contents of all files, by name. @type {Promise<Map<string, string>> | undefined} */
let made;

/** Returns the contents of all files, by name. The files are created only once. */
export const singles = () => (made ??= makeSingles());

async function makeSingles() {
  const contents = await filesInside();
  /** @type {import('esbuild').Plugin} */
  const inside = {
    name: 'inside',
    setup({ onLoad }) {
      onLoad({ filter: /[\\/]lib[\\/]files\.js$/ }, () => ({ contents }));
      onLoad({ filter: /[\\/]lib[\\/]threads-files\.js$/ }, () => ({ contents: 'export const threaded = () => undefined;' }));
    },
  };
  const all = "export * from './lib/index.js'; export { NextPixelElement } from './lib/element.js';";
  return new Map([
    ['inline.js', await single({ stdin: { contents: all, resolveDir: WEB }, format: 'esm', plugins: [inside] })],
    [
      'classic.js',
      await single({
        stdin: { contents: `${all} import './lib/define.js';`, resolveDir: WEB },
        format: 'iife',
        globalName: 'nextpixel',
        plugins: [inside],
      }),
    ],
    [
      'nextpixel.cjs',
      await single({
        stdin: { contents: all, resolveDir: WEB },
        format: 'cjs',
        platform: 'node',
        plugins: [beside],
        define: { 'import.meta.url': 'fileAddress' },
        // The window of Jest's jsdom environment has no TextDecoder.
        banner: {
          js: `${LICENCE}\nconst fileAddress=require('node:url').pathToFileURL(__filename).href,{TextDecoder,TextEncoder}=globalThis.TextDecoder?globalThis:require('node:util');`,
        },
      }),
    ],
    [
      'define.cjs',
      `${LICENCE}
const { NextPixelElement } = require('./nextpixel.cjs');
if (globalThis.customElements && !customElements.get('next-pixel')) NextPixelElement.define();
exports.NextPixelElement = NextPixelElement;
`,
    ],
    ...(await dataForRequire()),
  ]);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [name, text] of await singles()) await put(`${WEB}single/${name}`, text);
}
