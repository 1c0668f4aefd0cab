// SPDX-License-Identifier: MIT
// @ts-check

/** Runs each example of web/examples with the packed library. ./build.sh test-embed runs this file. */

import assert from 'node:assert/strict';
import { cp, mkdir, readFile, rm } from 'node:fs/promises';
import { before, test } from 'node:test';
import { inflateSync } from 'node:zlib';

import { OUT, ROOT, TOOLS, compileJsx, launch, pack, project, run, serveFolder } from './project.js';

/** @import { Page } from 'playwright-core' */

/** @type {string} */
let tarball;
before(async () => {
  tarball = await pack();
});

/** @param {string} name */
const tool = async (name) => import(`${TOOLS}node_modules/${name}`);

/**
 * Copies an example, with the library, and with weights in the expected place.
 * @param {string} name
 * @param {string} weights
 * @param {string[]} [packages]
 */
async function example(name, weights, packages = []) {
  const folder = await project(`example-${name}`, {}, { tarball, packages });
  await rm(`${folder}package.json`);
  await cp(`${ROOT}web/examples/${name}`, folder, { recursive: true });
  await mkdir(folder + weights, { recursive: true });
  await cp(`${ROOT}weights/digits.gguf`, `${folder}${weights}digits.gguf`);
  return folder;
}

/** Serves a folder and opens its page. @param {string} folder @param {string} name @param {(page: Page) => Promise<void>} body */
async function opened(folder, name, body) {
  const server = await serveFolder(folder);
  const browser = await launch();
  try {
    const page = await browser.newPage({ viewport: { width: 700, height: 500 } });
    /** @type {string[]} */
    const complaints = [];
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(String(error)));
    await page.goto(server.url);
    await body(page);
    await page.screenshot({ path: `${OUT}example-${name}.png` });
    assert.deepEqual(complaints, []);
  } finally {
    await browser.close();
    await server.close();
  }
}

const says = (/** @type {Page} */ page, /** @type {string | RegExp} */ text) =>
  page.locator('output').getByText(text).waitFor({ timeout: 20000 });

test('plain', { timeout: 60000 }, async () => {
  await opened(await example('plain', ''), 'plain', async (page) => {
    await page.locator('[part=status]').getByText('Drawn:').waitFor();
    await page.waitForFunction(() => document.documentElement.dataset.done === 'script');
  });
});

test('chat', { timeout: 120000 }, async () => {
  const folder = await example('chat', '', ['@mlc-ai/web-xgrammar']);
  await cp(`${ROOT}tests/golden/stories260K.gguf`, `${folder}model.gguf`);
  await opened(folder, 'chat', async (page) => {
    const done = (/** @type {string} */ what) => page.waitForFunction((name) => document.documentElement.dataset.done === name, what);
    await done('loaded');
    await page.getByRole('button', { name: 'Answer', exact: true }).click();
    await done('text');
    await page.getByRole('button', { name: 'Answer as JSON' }).click();
    await done('json');
    const { name, age, kind } = JSON.parse((await page.locator('output').textContent()) ?? '');
    assert.ok(typeof name === 'string' && age >= 0 && age <= 30 && ['cat', 'dog'].includes(kind));
  });
});

test('vite', { timeout: 120000 }, async () => {
  const root = await example('vite', 'public/', ['vite7']);
  await (await tool('vite7/dist/node/index.js')).build({ root, logLevel: 'error' });
  await opened(`${root}dist`, 'vite', (page) => says(page, 'drawn'));
});

test('webpack', { timeout: 120000 }, async () => {
  const root = await example('webpack', 'dist/');
  const { default: webpack } = await tool('webpack/lib/index.js');
  const { default: config } = await import(`${root}webpack.config.js`);
  const stats = await new Promise((resolve, reject) => {
    webpack(config, (/** @type {any} */ error, /** @type {any} */ done) => (error ? reject(error) : resolve(done)));
  });
  assert.equal(stats.toString({ all: false, errors: true, warnings: true }), '');
  await opened(`${root}dist`, 'webpack', (page) => says(page, 'drawn'));
});

for (const [name, packages] of /** @type {[string, string[]][]} */ ([
  ['react', ['react', 'react-dom', 'scheduler', '@types/react', 'csstype', '@vitejs/plugin-react']],
  ['vue', ['vue', '@vue', '@vitejs/plugin-vue']],
  ['svelte', ['svelte', '@sveltejs', 'esm-env', 'clsx']],
])) {
  test(name, { timeout: 120000 }, async () => {
    const root = await example(name, 'public/', packages);
    await (await tool('vite/dist/node/index.js')).build({ root, logLevel: 'error', resolve: { preserveSymlinks: true } });
    await opened(`${root}dist`, name, async (page) => {
      await says(page, /drawn 7: .* nats/);
      await page.getByRole('button', { name: '3' }).click();
      await says(page, /drawn 3: .* nats/);
    });
    if (name !== 'react') return;
    assert.doesNotMatch(await compileJsx(root, ['main.tsx'], 'react-jsx'), /next-pixel|nextpixel/);
  });
}

test('next', { timeout: 240000 }, async () => {
  const root = await example('next', 'public/', ['next', 'react', 'react-dom']);
  const { stdout, stderr } = await run(process.execPath, [`${TOOLS}node_modules/next/dist/bin/next`, 'build'], {
    cwd: root,
    env: { ...process.env, NEXT_TELEMETRY_DISABLED: '1' },
  });
  assert.doesNotMatch(stdout + stderr, /nextpixel.*(warn|error)/i);
  await opened(`${root}out`, 'next', async (page) => {
    await says(page, /drawn 7: .* nats/);
    await page.getByRole('button', { name: '3' }).click();
    await says(page, /drawn 3: .* nats/);
  });
});

test('node', { timeout: 60000 }, async () => {
  const folder = await example('node', '');
  const { stdout } = await run(process.execPath, ['draw.mjs', 'digits.gguf', 'seven.png', '7', '1'], { cwd: folder });
  assert.equal(stdout, 'seven.png: 28 x 28, seed 1\n');
  const png = await readFile(`${folder}seven.png`);
  const browser = await launch();
  try {
    const page = await browser.newPage();
    assert.deepEqual(
      await page.evaluate(
        async (bytes) => {
          const bitmap = await createImageBitmap(new Blob([new Uint8Array(bytes)]));
          return [bitmap.width, bitmap.height];
        },
        [...png],
      ),
      [28, 28],
    );
  } finally {
    await browser.close();
  }
});

/**
 * Returns the pixels of a PNG that draw.mjs has written; unlike the bytes of the file, the pixels do not depend on the compressor.
 * @param {Buffer} png
 */
function pixels(png) {
  for (let at = 8; ; at += 12 + png.readUInt32BE(at)) {
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT') return inflateSync(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  }
}

for (const [name, command] of /** @type {[string, string[]][]} */ ([
  ['bun', ['bun/bin/bun.exe']],
  ['deno', ['.bin/deno', 'run', '--allow-read', '--allow-write', '--allow-net', '--allow-env']],
])) {
  test(`${name} draws what Node draws`, { timeout: 60000 }, async () => {
    const folder = await example('node', '');
    const [program, ...options] = command;
    for (const [file, args] of /** @type {[string, string[]][]} */ ([
      [process.execPath, []],
      [`${TOOLS}node_modules/${program}`, options],
    ])) {
      const out = file === process.execPath ? 'node.png' : 'other.png';
      assert.equal(
        (await run(file, [...args, 'draw.mjs', 'digits.gguf', out, '7', '1'], { cwd: folder, timeout: 30000 })).stdout,
        `${out}: 28 x 28, seed 1\n`,
      );
    }
    assert.ok(pixels(await readFile(`${folder}node.png`)).equals(pixels(await readFile(`${folder}other.png`))));
  });
}
