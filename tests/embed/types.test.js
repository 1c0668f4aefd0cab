// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Checks that JSX types include the element (React, Preact, Solid, Vue), and that the oldest TypeScript named in the manual reads all
 * declarations. arethetypeswrong and publint must report nothing.
 */

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { before, test } from 'node:test';

import { typeSamples } from '../kinds/types.js';
import { ROOT, TOOLS, compileJsx, pack, project, run } from './project.js';

/** @type {string} */
let tarball;
before(async () => {
  tarball = await pack();
});

const GOOD = '<next-pixel model="digits.gguf" task="generate" samples={3} seed="7" top-p={0.9} autoplay controls';

/** @type {Record<string, { packages: string[], source: string, event: string }>} */
const FRAMEWORKS = {
  react: { packages: ['react', '@types/react', 'csstype'], source: 'react', event: 'onnx-end={(event) => console.log(event.nats.length)}' },
  preact: { packages: ['preact'], source: 'preact', event: 'onnx-end={(event) => console.log(event.nats.length)}' },
  solid: {
    packages: ['solid-js', 'csstype', 'seroval'],
    source: 'solid-js',
    event: 'on:nx-end={(event) => console.log(event.nats.length)}',
  },
  vue: { packages: ['vue', '@vue'], source: 'vue', event: 'onNxEnd={(event) => console.log(event.nats.length)}' },
};

for (const [name, { packages, source, event }] of Object.entries(FRAMEWORKS)) {
  test(name, { timeout: 60000 }, async () => {
    const folder = await project(
      `types-${name}`,
      {
        'app.tsx': `import type {} from 'nextpixel/${name}';
        export const good = () => ${GOOD} ${event} />;
        export const walk = () => <next-pixel task="walk" from={1} to="2" steps={8} />;
        // @ts-expect-error: no such task
        export const bad = () => <next-pixel task="dance" />;\n`,
      },
      { tarball, packages },
    );
    assert.equal(await compileJsx(folder, ['app.tsx'], 'preserve', source), '');
  });
}

test("the manual's JSX samples compile", { timeout: 60000 }, async () => {
  /** @type {Record<string, string>} */
  const files = {};
  for (const name of ['index', 'element', 'bundlers']) {
    const text = await readFile(`${ROOT}web/manual/chapters/${name}.md`, 'utf8');
    [...text.matchAll(/^```tsx\n([^]*?)^```$/gm)].forEach(([, code], i) => {
      files[`${name}${i}.tsx`] = code;
    });
  }
  assert.ok(Object.keys(files).length > 0);
  const folder = await project('types-manual', files, { tarball, packages: FRAMEWORKS.react.packages });
  assert.equal(await compileJsx(folder, Object.keys(files), 'preserve', 'react'), '');
});

test('the oldest supported TypeScript compiles the samples and checks the declarations', { timeout: 120000 }, async () => {
  const files = await typeSamples();
  const compilerOptions = {
    noEmit: true,
    strict: true,
    target: 'es2022',
    lib: ['es2022', 'dom', 'dom.iterable', 'dom.asynciterable'],
    types: [],
    skipLibCheck: false,
  };
  files['tsconfig.json'] = JSON.stringify({ compilerOptions, files: Object.keys(files) });
  const folder = await project('types-oldest', files, { tarball });
  for (const [module, moduleResolution] of [
    ['node16', 'node16'],
    ['esnext', 'bundler'],
  ]) {
    const flags = ['-p', '.', '--module', module, '--moduleResolution', moduleResolution];
    const { stdout } = await run(process.execPath, [`${TOOLS}node_modules/typescript5.4/bin/tsc`, ...flags], { cwd: folder }).catch(
      (error) => ({ stdout: error.stdout || error.stderr }),
    );
    assert.equal(stdout, '', module);
  }
});

/** Exports without types, and the reason for each. arethetypeswrong skips these exports. */
const UNTYPED = {
  './classic.js': 'for <script src>: a script that sets a global, nothing imports it',
  './worker.js': 'an address for new Worker()',
  './nextpixel.wasm': 'an address for fetch()',
  './nextpixel-relaxed.wasm': 'an address for fetch()',
  './nextpixel-pairs.wasm': 'an address for fetch()',
};

test('arethetypeswrong and publint report nothing', { timeout: 120000 }, async () => {
  // The path is resolved at run time, because the tools are installed into build/.
  const tool = async (/** @type {string} */ name) => import(createRequire(TOOLS).resolve(name));
  const { checkPackage, createPackageFromTarballData } = await tool('@arethetypeswrong/core');
  const data = new Uint8Array(await readFile(tarball));
  const { exports } = JSON.parse(await readFile(`${ROOT}package.json`, 'utf8'));
  for (const name of Object.keys(UNTYPED)) assert.ok(exports[name], name);
  const { problems, entrypoints } = await checkPackage(createPackageFromTarballData(data), {
    excludeEntrypoints: Object.keys(UNTYPED),
    includeEntrypoints: ['./words/de', './words/ko'],
  });
  assert.deepEqual(problems, []);
  for (const name of Object.keys(exports).filter((name) => !(name in UNTYPED))) {
    const { resolutions } = entrypoints[name.replace('*', 'ko')];
    for (const [kind, { resolution }] of Object.entries(resolutions)) assert.ok(resolution, `${name} in ${kind}`);
  }
  const { publint } = await tool('publint');
  const { messages } = await publint({ pack: { tarball: data.buffer }, strict: true });
  assert.deepEqual(messages, []);
});
