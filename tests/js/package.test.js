// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Tests the package as it is published: packs it, installs it in an empty folder, imports it, and compiles its types.
 */

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';

import { build } from 'esbuild';
import { minify } from 'terser';

import { bundles } from '../../web/tools/bundle.js';
import { noticeFile } from '../../web/tools/notices.js';
import { unready } from '../../web/tools/release.js';
import { singles } from '../../web/tools/single.js';
import { EVERY, longer } from '../more.js';
import { typeSamples } from '../kinds/types.js';
import { ROOT } from './helpers.js';
import { toyModel } from './toy.js';

const run = promisify(execFile);
const manifest = JSON.parse(await readFile(`${ROOT}package.json`, 'utf8'));
const tsc = `${ROOT}node_modules/typescript/bin/tsc`;

/** The maximum compressed size of the library together with the wasm build that has every model. ./build.sh size also prints the size of
 * the build that has only picture models. */
const MAX_GZIP_BYTES = 128 * 1024;

const DIST = `${ROOT}web/dist/`;
/** Files that are generated from the sources, by name. */
const MADE = await bundles();
/** The languages into which the element's texts are translated. */
const WORDS = (await readdir(`${ROOT}web/lib/element/words`)).map((name) => name.replace('.js', ''));
const PUBLISHED = ['nextpixel.js', 'shared.js', 'worker.js', 'element.js', 'define.js', ...WORDS.map((lang) => `words-${lang}.js`)];
/** Files that a page loads only when it needs them. */
const LATER = [...MADE.keys()].filter((name) => name.endsWith('.js') && !name.startsWith('page-') && !PUBLISHED.includes(name));

/** @type {string} */
let folder;
/** @type {string[]} */
let packed;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nextpixel-'));
  const options = {
    cwd: ROOT,
    env: { ...process.env, npm_config_loglevel: 'error', npm_config_update_notifier: 'false' },
  };
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], options);
  // Output of the prepack script may precede the list.
  const [{ filename, files }] = JSON.parse(stdout.slice(stdout.search(/^\[\s*\{/m)));
  packed = files.map((/** @type {{ path: string }} */ file) => file.path);
  await writeFile(join(folder, 'package.json'), '{ "name": "consumer", "private": true, "type": "module" }');
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', join(folder, filename)], {
    ...options,
    cwd: folder,
  });
});

after(() => rm(folder, { recursive: true, force: true }));

longer(
  'code of other packages keeps its licence, in NOTICE and, as comments that bundlers keep, in every file that contains it',
  async () => {
    const marks = { 'midi-file': /Carter Thaxton/, '@huggingface/jinja': /Hugging Face/ };
    const notice = await readFile(`${ROOT}NOTICE`, 'utf8');
    assert.equal(notice, await noticeFile());
    assert.ok(packed.includes('NOTICE'));
    for (const [name, mark] of Object.entries(marks)) {
      assert.match(notice, new RegExp(`${name} [\\d.]+\n`));
      assert.match(notice, mark);
    }
    const files = [
      ...[...MADE].filter(([path]) => /^(midi|template)\.js$/.test(path)),
      // npm test tests only inline.js; npm run test:all tests all three files
      ...[...(await singles())].filter(([path]) => !/^(define|chat-models|words-)/.test(path)).filter((_, i) => i === 0 || EVERY),
    ];
    assert.equal(files.length, EVERY ? 5 : 3);
    for (const [path, text] of files) {
      // Minifies the files as bundlers do. Terser takes five seconds for a single-file build, so only test:all minifies these builds with
      // Terser.
      const minified =
        EVERY || text.length < 100_000 ? [(await minify(text, { module: true, format: { comments: 'some' } })).code ?? ''] : [];
      const {
        outputFiles: [{ text: bundled }],
      } = await build({
        stdin: { contents: text, resolveDir: DIST },
        bundle: true,
        write: false,
        format: 'esm',
        external: ['*'],
        minify: true,
        legalComments: 'eof',
      });
      for (const [name, mark] of Object.entries(marks)) {
        if (path.length < 12 && path.endsWith('.js') && !text.includes(name)) continue; // skips files without code of this other package
        for (const made of [text, ...minified, bundled]) assert.match(made, mark, `${name} in ${path}`);
      }
    }
  },
);

test('the package contains all that a page needs and nothing else', () => {
  for (const name of [
    'package.json',
    'web/dist/nextpixel.js',
    'web/dist/shared.js',
    'web/dist/worker.js',
    'web/dist/element.js',
    'web/dist/define.js',
    ...LATER.map((name) => `web/dist/${name}`),
    'web/dist/nextpixel.wasm',
    'web/dist/nextpixel-relaxed.wasm',
    'web/dist/nextpixel-pairs.wasm',
    'web/types/index.d.ts',
    'web/types/cjs/index.d.ts',
    'web/single/inline.js',
    'web/single/classic.js',
    'web/single/nextpixel.cjs',
    'web/single/define.cjs',
    'web/single/chat-models.cjs',
    ...WORDS.map((lang) => `web/single/words-${lang}.cjs`),
    'web/jsx/react.d.ts',
    'include/nextpixel.h',
    'web/cli/nextpixel.js',
  ]) {
    assert.ok(packed.includes(name), name);
  }
  const known = [
    // Npm always packs every README.*, regardless of "files".
    /^(package\.json|README(\.\w+)?\.md|LICENSE|NOTICE|CHANGELOG\.md|include\/nextpixel\.h)$/,
    new RegExp(`^web/dist/(${[...PUBLISHED, ...LATER].join('|').replaceAll('.js', '')})\\.js$`),
    /^web\/dist\/[\w-]+\.wasm$/,
    /^web\/single\/(inline\.js|classic\.js|(nextpixel|define|chat-models|words-\w+)\.cjs)$/,
    /^web\/jsx\/\w+\.d\.ts$/,
    /^web\/types\/(cjs\/)?([\w-]+\/)*[\w-]+\.d\.ts$/,
    /^web\/types\/cjs\/package\.json$/,
    /^web\/cli\/nextpixel\.js$/,
  ];
  const strays = packed.filter((name) => !known.some((form) => form.test(name)));
  assert.deepEqual(strays, []);
  assert.equal(manifest.dependencies, undefined);
});

longer('each export can be imported in Node without output on stderr', async () => {
  // worker.js runs only in a worker, and an export that consists only of types cannot be imported.
  const names = Object.entries(manifest.exports)
    .filter(([name, to]) => !/\.(json|wasm)$|worker\.js$/.test(name) && (typeof to === 'string' || to.default))
    .flatMap(([name]) => (name.includes('*') ? WORDS.map((lang) => name.replace('*', lang)) : [name]));
  assert.ok(names.length >= 5);
  // In npm run test:all, each export is imported in its own process.
  for (const some of EVERY ? names.map((name) => [name]) : [names]) {
    const specifiers = some.map((name) => `nextpixel${name.slice(1)}`);
    const script = `for (const name of ${JSON.stringify(specifiers)}) console.log(name, Object.keys(await import(name)).sort().join());`;
    const { stdout, stderr } = await run(process.execPath, ['--input-type=module', '-e', script], { cwd: folder });
    assert.equal(stderr, '', specifiers.join());
    assert.equal(stdout.split('\n').length, some.length + 1);
    if (some.includes('.')) assert.match(stdout, /^nextpixel NextPixelError,acquire,cache,load,supported,tokenizer$/m);
  }
});

test('the installed package draws a picture', async () => {
  await writeFile(join(folder, 'toy.gguf'), toyModel());
  await writeFile(
    join(folder, 'draw.mjs'),
    `
    import { load } from 'nextpixel';
    import { createRequire } from 'node:module';
    const wasmUrl = createRequire(import.meta.url).resolve('nextpixel/nextpixel.wasm');
    for (const options of [{}, { wasmUrl }]) {
      const model = await load('toy.gguf', options);
      let count = 0;
      for await (const { values } of model.generate({ seed: 1 })) count += values.length;
      console.log(count);
    }`,
  );
  const { stdout, stderr } = await run(process.execPath, ['draw.mjs'], { cwd: folder, timeout: 20000 });
  assert.deepEqual({ stdout, stderr }, { stdout: '64\n64\n', stderr: '' });
});

test('the installed package has a command-line program', async () => {
  await writeFile(join(folder, 'toy.gguf'), toyModel());
  const npx = (/** @type {string[]} */ ...args) => run('npx', ['--no-install', 'nextpixel', ...args], { cwd: folder, timeout: 30000 });
  assert.equal(JSON.parse((await npx('info', 'toy.gguf')).stdout).kind, 'picture');
  await npx('generate', 'toy.gguf', '--seed', '1', '--out', 'toy.ppm');
  const { stdout } = await npx('score', 'toy.gguf', 'toy.ppm', '--csv');
  assert.match(stdout, /^input,nats,elements,natsPerElement\ntoy\.ppm,[\d.]+,64,[\d.]+\n$/);
});

test('require() returns the same as import, with and without the features of newer versions of Node', async () => {
  await writeFile(join(folder, 'toy.gguf'), toyModel());
  await writeFile(
    join(folder, 'draw.cjs'),
    `
    const { load, NextPixelError, supported } = require('nextpixel');
    if (require('nextpixel/define').NextPixelElement !== require('nextpixel/element').NextPixelElement) throw new Error('two elements');
    if (typeof require('nextpixel/inline').load !== 'function') throw new Error('no load in inline');
    if (require('nextpixel/chat-models').chatModels.length === 0) throw new Error('no chat models');
    if (require('nextpixel/words/ko').default.lang !== 'ko') throw new Error('no Korean');
    (async () => {
      const model = await load('toy.gguf');
      let count = 0;
      for await (const { values } of model.generate({ seed: 1 })) count += values.length;
      model.close();
      console.log(count, supported, await load('none.gguf').catch((error) => error instanceof NextPixelError && error.code));
    })();`,
  );
  const old = ['--no-experimental-require-module'].filter((flag) => process.allowedNodeEnvironmentFlags.has(flag));
  for (const flags of [[], old]) {
    const { stdout, stderr } = await run(process.execPath, [...flags, 'draw.cjs'], { cwd: folder, timeout: 20000 });
    assert.deepEqual(
      { stdout, stderr: stderr.replace(/^.*ExperimentalWarning.*\n.*\n/m, '') },
      { stdout: '64 true network\n', stderr: '' },
    );
  }
});

test('the package contains exactly the public declarations, and none of them is marked internal', async () => {
  const types = packed.filter((name) => /^web\/types\/(?!cjs)[\w/-]+\.d\.ts$/.test(name));
  for (const name of ['engine/core', 'workers/link', 'workers/job', 'engine/jobs', 'engine/heap', 'workers/start'])
    assert.ok(!types.includes(`web/types/${name}.d.ts`), name);
  // Before TypeScript 5.7, typed arrays are not generic.
  for (const name of types)
    assert.doesNotMatch(await readFile(join(folder, 'node_modules/nextpixel', name), 'utf8'), /@internal|: Link\b|Array<ArrayBuffer/, name);
});

/**
 * Compiles these files as one program. Returns the compiler's errors, or '' if the files compile. @param {string[]} files @param {string[]}
 * flags
 */
async function compile(files, flags) {
  const args = [tsc, '--noEmit', '--strict', '--target', 'es2022', '--skipLibCheck', 'false', '--ignoreConfig', ...flags, ...files];
  const { code = 0, stdout, stderr } = await run(process.execPath, args, { cwd: folder }).catch((error) => error);
  return code === 0 ? stdout : `exit code ${code}: ${stdout}${stderr}`;
}

longer('types compile in Node without DOM types, with import and require', async () => {
  const node = ['--lib', 'es2022', '--types', 'node', '--typeRoots', `${ROOT}node_modules/@types`];
  const files = ['node.mts', 'node.cts'];
  for (const file of files) {
    await writeFile(
      join(folder, file),
      `
      import { load, type Progress, type Source } from 'nextpixel';
      export async function use(source: Source): Promise<number> {
        const model = await load(source, { onProgress: (progress: Progress) => console.log(progress.loaded) });
        model.complete({ data: new Uint8Array(64), width: 8, height: 8 });
        // @ts-expect-error: no image
        model.complete(5);
        return model.info.kind === 'picture' ? model.info.width : 0;
      }`,
    );
  }
  for (const module of EVERY ? ['node16', 'nodenext'] : ['nodenext'])
    assert.equal(await compile(files, [...node, '--module', module]), '', module);
});

test('types: a page can use the element, strict programs compile, and programs with mistakes do not', async () => {
  await writeFile(
    join(folder, 'element.ts'),
    `
    import 'nextpixel/define';
    const element = document.createElement('next-pixel');
    element.samples = 3;
    element.addEventListener('nx-end', (event) => event.nats.map((cost: number) => cost.toFixed()));
    document.querySelector('next-pixel')?.play();
    // @ts-expect-error: no such method
    element.dance();`,
  );
  const samples = await typeSamples();
  for (const [name, text] of Object.entries(samples)) await writeFile(join(folder, name), text);
  // A program for pages is compiled without Node's types.
  const page = ['--lib', 'es2022,dom,dom.iterable,dom.asynciterable', '--types', ''];
  for (const [module, moduleResolution] of [
    ['nodenext', 'nodenext'],
    ['esnext', 'bundler'],
  ])
    assert.equal(
      await compile(['element.ts', ...Object.keys(samples)], [...page, '--module', module, '--moduleResolution', moduleResolution]),
      '',
      module,
    );
});

test('the type samples import every type of every kind and call each verb', async () => {
  const types = await readFile(`${ROOT}web/lib/kinds/types.js`, 'utf8');
  const samples = await typeSamples();
  const imported = Object.values(samples).flatMap((text) =>
    [...text.matchAll(/^import type \{([^}]*)\} from 'nextpixel'/gm)].flatMap(([, names]) => names.split(/[\s,]+/)),
  );
  const declared = [...types.matchAll(/^\/\*\* @typedef \{import\([^)]*\)\.(\w+)\}/gm)].map(([, name]) => name);
  assert.deepEqual(
    declared.filter((name) => !imported.includes(name)),
    [],
  );
  const [, rows] = /@typedef \{object\} VerbsOfKinds\n([^/]*)\*\//.exec(types) ?? [];
  const kinds = [...(rows ?? '').matchAll(/@property \{([^}]*)\} (\w+)/g)];
  assert.equal(kinds.length, new Set(declared.filter((name) => name.endsWith('Model'))).size);
  for (const [, verbs, kind] of kinds) {
    const consumer = samples[`${kind}.ts`];
    const [, model] = new RegExp(`const (\\w+) = await load<'${kind}'>`).exec(consumer) ?? [];
    for (const [, verb] of verbs.matchAll(/'(\w+)'/g)) assert.match(consumer, new RegExp(`\\b${model}\\.${verb}\\b`), `${kind}: ${verb}`);
  }
});

/**
 * The files of web/lib that import another package, each with the name of the imported package. The build bundles these packages into
 * web/dist.
 */
const BUNDLED = new Map([
  [join('kinds', 'note', 'midi.js'), 'midi-file'],
  [join('kinds', 'text', 'template.js'), '@huggingface/jinja'],
]);

// The address of the SVG namespace is only a name; nothing is downloaded from it.
test('the sources import only files of the library, and no Node module that a bundler would follow', async () => {
  const lib = `${ROOT}web/lib/`;
  const names = (await readdir(lib, { recursive: true })).filter((name) => name.endsWith('.js'));
  assert.ok(names.length > 25 && names.includes(join('kinds', 'picture', 'picture-run.js')));
  for (const name of names) {
    const source = await readFile(lib + name, 'utf8');
    for (const [, from] of source.matchAll(/^(?:import|export) (?:.*? from )?'([^']+)';$/gms)) {
      if (BUNDLED.get(name) === from) continue;
      assert.match(from, /^(\.\/|(\.\.\/)+)([\w-]+\/)*[\w-]+\.js$/, `${name} imports ${from}`);
      assert.ok(names.includes(join(dirname(name), from)), `${name} imports ${from}`);
    }
    if (name === 'chat-models.js') continue; // the addresses in this file are data, from which pages download
    assert.doesNotMatch(source, /https?:\/\/(?!git-lfs|huggingface\.co'|www\.w3\.org\/2000\/svg')|eval\(|new Function/, name);
  }
  const lock = await readFile(`${ROOT}package-lock.json`, 'utf8');
  assert.doesNotMatch(lock, /"resolved"/);
});

test('every file of web/dist except the wasm equals, byte for byte, the output of the build', async () => {
  for (const [name, text] of MADE) {
    assert.ok(
      (await readFile(`${DIST}${name}`, 'utf8')) === text,
      `web/dist/${name} is out of date: run ./build.sh js and commit the result`,
    );
  }
  const there = (await readdir(DIST)).filter((name) => /\.(js|css)$/.test(name));
  assert.deepEqual(there.sort(), [...MADE.keys()].sort());
});

test('published files have the forms that bundlers recognise, and import only published files', async () => {
  const read = (/** @type {string} */ name) => readFile(`${DIST}${name}`, 'utf8');
  const shared = await read('shared.js');
  for (const wasm of ['nextpixel', 'nextpixel-relaxed', 'nextpixel-pairs'])
    assert.ok(shared.includes(`new URL("./${wasm}.wasm",import.meta.url)`), wasm);
  assert.ok(shared.includes('new Worker(new URL("./worker.js",import.meta.url),{type:"module"})'));
  for (const name of [...PUBLISHED, ...LATER]) {
    const text = await read(name);
    assert.ok(text.startsWith('// SPDX-License-Identifier: MIT\n'), name);
    for (const [, from] of text.matchAll(/(?<!")\b(?:from|import)\s*"([^"]+)"/g)) assert.match(from, /^\.\/(shared|element)\.js$/, name);
    // Node's modules are imported only in a form that no bundler for browsers follows.
    for (const [, what] of text.matchAll(/\bimport\(([^)]*)\)/g)) {
      if (LATER.includes(what.slice(3, -1))) continue;
      assert.match(what, /^\/\* webpackIgnore: true \*\/ \/\* @vite-ignore \*\/ \w+$/, name);
    }
  }
});

test('the library and the wasm stay below the maximum size', async (context) => {
  /** Returns the total size of files that are compressed one by one, as a static server sends them. @param {string[]} names */
  const sum = async (...names) => {
    let total = 0;
    for (const name of names) total += gzipSync(await readFile(DIST + name), { level: 9 }).length;
    return total;
  };
  const library = await sum('nextpixel.js', 'shared.js', 'worker.js');
  // A page fetches only one of the builds.
  const wasm = Math.max(await sum('nextpixel.wasm'), await sum('nextpixel-relaxed.wasm'), await sum('nextpixel-pairs.wasm'));
  context.diagnostic(
    `gzip: library ${library} bytes + wasm ${wasm} = ${library + wasm} of ${MAX_GZIP_BYTES}; the element adds ` +
      `${await sum('element.js', 'define.js')}`,
  );
  assert.ok(library + wasm < MAX_GZIP_BYTES);
});

test('the release script lists everything that is not ready', () => {
  const ready = {
    changes: '# Changes\n\n## 1.2.0, 2027-01-02\n\n## 1.1.0\n',
    manifest: { version: '1.2.0', repository: { url: 'x' } },
    uncommitted: '',
    tags: 'v1.1.0\n',
  };
  assert.deepEqual(unready(ready), []);
  for (const [change, said] of /** @type {[object, RegExp][]} */ ([
    [{ changes: '# Changes\n\n## Not yet released\n' }, /^CHANGELOG\.md begins with "Not yet released": name it "1\.2\.0, /],
    [{ uncommitted: ' M README.md' }, /not committed:\n M README/],
    [{ tags: 'v1.2.0\n' }, /tagged already/],
    [{ manifest: { version: '1.2.0' } }, /no "repository"/],
  ])) {
    const [text, ...more] = unready({ ...ready, ...change });
    assert.match(text, said);
    assert.deepEqual(more, []);
  }
});
