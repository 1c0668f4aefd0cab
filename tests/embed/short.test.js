// SPDX-License-Identifier: MIT
// @ts-check

/** Tests the packed library in a page, without a network: a short form of npm run test:embed with the locally installed bundler. */

import assert from 'node:assert/strict';
import { before, test } from 'node:test';

import { build } from 'esbuild';

import { PAGE, draws, pack, project, script, serveFolder, toy, visit } from './project.js';

/** @type {string} */
let tarball;
before(async () => {
  tarball = await pack();
});

/** @param {string} name @param {Record<string, string>} files @param {(url: string, folder: string) => Promise<void>} body @param {string} [policy] */
async function served(name, files, body, policy) {
  const folder = await project(name, { ...files, 'toy.gguf': toy }, { tarball });
  const { url, close } = await serveFolder(folder, policy);
  try {
    await body(url, folder);
  } finally {
    await close();
  }
}

test('a plain page loads the modules of the package', () =>
  served(
    'short-plain',
    {
      'index.html': PAGE(`<script type="module">${script('./node_modules/nextpixel/web/dist/nextpixel.js')}</script>`),
    },
    async (url) => void (await draws(url)),
  ));

test('esbuild bundles nextpixel/inline into one file, which fetches nothing else', () =>
  served(
    'short-inline',
    {
      'index.html': PAGE('<script type="module" src="out.js"></script>'),
      'main.js': script('nextpixel/inline'),
    },
    async (url, folder) => {
      const { warnings } = await build({
        absWorkingDir: folder,
        entryPoints: ['main.js'],
        outfile: 'out.js',
        bundle: true,
        format: 'esm',
        logLevel: 'silent',
      });
      assert.deepEqual(warnings, []);
      const { requests } = await draws(url);
      assert.deepEqual(
        requests.filter((address) => address.startsWith('http')).map((address) => address.slice(url.length)),
        ['', 'out.js', 'toy.gguf'],
      );
    },
    "default-src 'none'; img-src data:; script-src 'self' 'wasm-unsafe-eval'; worker-src blob:; connect-src 'self'",
  ));

test('a classic script from another origin defines the element and a global', async () => {
  const folder = await project('short-classic-cdn', {}, { tarball });
  const cdn = await serveFolder(`${folder}node_modules/nextpixel/`);
  try {
    await served(
      'short-classic',
      {
        'index.html': `<!doctype html><html lang="en"><meta charset="utf-8"><link rel="icon" href="data:,"><title>app</title>
        <script src="${cdn.url}web/single/classic.js"></script><body>
        <next-pixel model="toy.gguf" task="generate" seed="1" autoplay></next-pixel>
        <script>addEventListener('nx-end', () => { document.title = 'drawn ' + typeof nextpixel.load + ' ' + Object.keys(nextpixel).sort(); });</script></body></html>`,
      },
      async (url) => {
        const { title, complaints } = await visit(url);
        assert.deepEqual([title.slice(0, 15), complaints], ['drawn function ', []]);
      },
    );
  } finally {
    await cdn.close();
  }
});
