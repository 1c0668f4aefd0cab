// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Checks that one seed gives the same results everywhere. Every model runs the tasks of works.json in every engine and with every build;
 * the hashes of the results must be equal and are printed as a table.
 *
 *     ./build.sh test-engines [chromium] [firefox] [webkit] [node] [native]     default: all
 *
 * plan.js makes the list of runs. runs.js executes this list through the JavaScript library, and native.c executes it through the C header.
 * The code for each kind of model is in tests/kinds/NAME/engines.js, and compare.js compares the results. OUT/report.json contains
 * everything that is printed.
 *
 * With two or more browsers, the program also opens every page in each browser (pages.js); OUT/pages/ has the screenshots.
 *
 *     ./build.sh test-engines --pages [engine ...]     only the pages
 *     ./build.sh test-engines --short [engine ...]     one build per engine, one shipped file of each kind, and no pages
 *     node tests/engines/main.js --model digits [--native=gcc=build/engines/gcc] [engine ...]     only models whose names start with "digits"
 */

import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { serve } from '../../web/tools/serve.js';
import { ALL } from '../kinds/engines.js';
import { chromium } from './chromium.js';
import { faults, table } from './compare.js';
import { reportOf } from './engine.js';
import { firefox } from './firefox.js';
import { nameOf, pageFaults, pageTable, see, stagePages } from './pages.js';
import { lines, makePlan } from './plan.js';
import { runPlan } from './runs.js';
import { webkit } from './webkit.js';

/** @import { Column } from './compare.js' */
/** @import { Report } from './engine.js' */
/** @import { Sight } from './pages.js' */
/** @import { PlannedRun } from './plan.js' */

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const BROWSERS = [chromium, firefox, webkit];
const NAMES = ['chromium', 'firefox', 'webkit', 'node', 'native'];

/**
 * The existing builds of the library. The library itself chooses the last build of this list, `pairs`, if this build exists.
 */
const BUILDS = [
  { name: 'baseline', file: 'nextpixel.wasm' },
  { name: 'relaxed', file: 'nextpixel-relaxed.wasm' },
  { name: 'pairs', file: 'nextpixel-pairs.wasm' },
].filter(({ file }) => existsSync(`${ROOT}web/dist/${file}`));
/** @typedef {{ name: string, file?: string, workers?: number }} Build  `workers`: number of workers that share the samples of a run */
/** Number of concurrent jobs. Each browser keeps one core busy. */
const AT_ONCE = 2;

const {
  values: { out, native: programs, pages: pagesOnly, short, model: named },
  positionals,
} = parseArgs({
  allowPositionals: true,
  options: {
    out: { type: 'string', default: 'build/engines' },
    native: { type: 'string', multiple: true, default: [] },
    pages: { type: 'boolean' },
    short: { type: 'boolean' },
    model: { type: 'string', default: '' },
  },
});
/** With --short, only the build that a visitor gets. @type {Build[]} */
const builds = short
  ? [{ name: 'chosen' }]
  : [...(BUILDS.length > 1 ? [...BUILDS, { name: 'chosen' }] : BUILDS), { name: 'in 2 workers', workers: 2 }];
const unknown = positionals.find((name) => !NAMES.includes(name));
if (unknown !== undefined) {
  console.error(`no engine '${unknown}'; there are: ${NAMES.join(', ')}`);
  process.exit(2);
}
/** @param {string} name */
const wanted = (name) => positionals.length === 0 || positionals.includes(name.toLowerCase());

/** The folder with copies of everything that is tested, so that changes to the sources do not affect running tests. */
const site = resolve(out, 'site');

/**
 * Copies the library, the page of this test and every model into `site`, in the folders web/ and weights/ that the server expects.
 *
 * @param {PlannedRun[]} plan
 */
function stage(plan) {
  rmSync(site, { recursive: true, force: true });
  mkdirSync(`${site}/web/engines`, { recursive: true });
  mkdirSync(`${site}/weights`);
  cpSync(`${ROOT}package.json`, `${site}/package.json`); // package.json declares that the scripts are modules
  for (const folder of ['lib', 'dist']) cpSync(`${ROOT}web/${folder}`, `${site}/web/${folder}`, { recursive: true });
  for (const file of ['page.html', 'page.js', 'runs.js', 'inputs.js'])
    cpSync(new URL(file, import.meta.url), `${site}/web/engines/${file}`);
  for (const file of ['engines.js', 'rows.js', ...Object.keys(ALL).map((name) => `${name}/engines.js`)])
    cpSync(`${ROOT}tests/kinds/${file}`, `${site}/web/kinds/${file}`);
  for (const path of new Set(plan.map((run) => run.path))) {
    const to = `${site}/weights/${basename(path)}`;
    if (existsSync(to)) throw new Error(`two models are called ${basename(path)}`);
    cpSync(ROOT + path, to);
  }
  const staged = plan.map((run) => ({ ...run, path: `weights/${basename(run.path)}` }));
  writeFileSync(`${site}/web/engines/plan.json`, JSON.stringify(staged));
  return staged;
}

/**
 * Runs the tasks in Node itself.
 *
 * @param {PlannedRun[]} plan
 * @param {Build} build
 * @returns {Promise<Report>}
 */
async function inNode(plan, { file, workers }) {
  const { load } = await import(`${site}/web/lib/index.js`);
  const wasmUrl = file && `${site}/web/dist/${file}`;
  if (wasmUrl && !WebAssembly.validate(await readFile(wasmUrl))) return { valid: false };
  const read = async (/** @type {string} */ path) => new Uint8Array(await readFile(`${site}/${path}`));
  return { results: await runPlan(load, plan, read, { wasmUrl, workers }), agent: `Node.js ${process.version}` };
}

/**
 * Runs the tasks with a program compiled from native.c.
 *
 * @param {PlannedRun[]} plan
 * @param {string} program
 * @returns {Promise<Report>}
 */
function inProgram(plan, program) {
  return new Promise((done, reject) => {
    const child = execFile(resolve(program), { cwd: site, maxBuffer: 1 << 26 }, (error, stdout, stderr) => {
      if (error) reject(new Error(stderr || String(error)));
      const results = stdout
        .split('\n')
        .filter(Boolean)
        .map((line) => {
          const [model, work, item, way, hash] = line.split('\t');
          return { model, work, item, way, hash };
        });
      done({ results });
    });
    child.stdin?.end(lines(plan));
  });
}

const started = Date.now();
/** The columns that the table lacks: those of engines that are not installed, and those of builds that an engine does not support. */
const notRun = /** @type {string[]} */ ([]);
const notTaken = /** @type {string[]} */ ([]);
const browsers = BROWSERS.filter(({ name }) => wanted(name)).filter(({ name, missing }) => {
  const what = missing();
  if (what) notRun.push(`${name}: install ${what}`);
  return !what;
});
/** @type {string[]} */
const failed = [];

/**
 * @template T
 * @param {{ name: string, run: () => Promise<T>, say: (done: T, seconds: string) => string }[]} jobs
 */
async function doAll(jobs) {
  const queue = [...jobs];
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let job = queue.shift(); job; job = queue.shift()) {
        const from = Date.now();
        try {
          const done = await job.run();
          console.log(`${job.name}: ${job.say(done, ((Date.now() - from) / 1000).toFixed(1))}`);
        } catch (error) {
          failed.push(`${job.name}: ${error instanceof Error ? error.stack : error}`);
          console.log(`${job.name}: FAILED`);
        }
      }
    }),
  );
}

/** Returns the hashes of all tasks. @returns {Promise<{ plan: PlannedRun[], columns: Column[] }>} */
async function hashes() {
  const plan = stage((await makePlan(ROOT, short)).filter(({ model }) => model.startsWith(named)));
  const server = await serve({ port: 0, root: site });
  /** @type {{ name: string, run: () => Promise<Report> }[]} */
  const jobs = browsers.flatMap((engine) =>
    builds.map(({ name, file, workers = 1 }) => {
      const url = `${server.url}web/engines/page.html?workers=${workers}${file ? `&wasm=${file}` : ''}`;
      return { name: `${engine.name} ${name}`, run: () => reportOf(engine, url) };
    }),
  );
  if (wanted('node')) for (const build of builds) jobs.push({ name: `Node ${build.name}`, run: () => inNode(plan, build) });
  if (wanted('native')) {
    if (programs.length === 0) notRun.push('native: give --native=NAME=PROGRAM, or start ./build.sh test-engines');
    for (const text of programs) {
      const [name, program] = text.split('=');
      jobs.push({ name: `native ${name}`, run: () => inProgram(plan, program) });
    }
  }
  /** @type {Map<string, Column>} */
  const columns = new Map();
  await doAll(
    jobs.map(({ name, run }) => ({
      name,
      run,
      say: (/** @type {Report} */ { results, valid, error, agent }, /** @type {string} */ seconds) => {
        if (results) columns.set(name, { name, results });
        else if (valid === false) notTaken.push(name);
        else failed.push(`${name}: ${error}`);
        return `${results?.length ?? 'no'} hashes, ${seconds} s${agent ? `, ${agent}` : ''}`;
      },
    })),
  );
  await server.close();
  // The columns have the order of the jobs, not the order in which jobs finish.
  return { plan, columns: jobs.flatMap(({ name }) => columns.get(name) ?? []) };
}

/** Opens every page in every browser. @returns {Promise<{ pages: string[], sights: Sight[] }>} */
async function looks() {
  const base = resolve(out, 'site-pages');
  const pictures = resolve(out, 'pages');
  const pages = await stagePages(base);
  mkdirSync(pictures, { recursive: true });
  const server = await serve({ port: 0, root: base });
  const jobs = pages.flatMap((page) =>
    browsers.map((engine) => ({
      name: `${nameOf(page)} in ${engine.name}`,
      run: () =>
        see(engine, server.url, page, (png) => writeFileSync(`${pictures}/${page || 'front'}-${engine.name.toLowerCase()}.png`, png)),
      say: (/** @type {Sight} */ sight, /** @type {string} */ seconds) => {
        seen.push(sight);
        return `${sight.pictures.length} pictures, ${seconds} s`;
      },
    })),
  );
  /** @type {Sight[]} */
  const seen = [];
  await doAll(jobs);
  await server.close();
  return { pages, sights: browsers.flatMap(({ name }) => seen.filter(({ engine }) => engine === name)) };
}

const { plan, columns } = pagesOnly ? { plan: [], columns: [] } : await hashes();
const both = browsers.length > 1 && !short;
const { pages, sights } = both ? await looks() : { pages: [], sights: [] };
const names = browsers.map(({ name }) => name);
writeFileSync(resolve(out, 'report.json'), JSON.stringify({ columns, sights, notRun, notTaken, failed }, null, 1));
const wrong = [...failed, ...faults(plan, columns), ...pageFaults(pages, names, sights)];
if (!pagesOnly) console.log(`\n${table(plan, columns)}`);
if (both) console.log(`\nThe first figure of each page:\n${pageTable(pages, names, sights)}`);
if (notTaken.length > 0) console.log(`These engines do not support a build, which is allowed: ${notTaken.join(', ')}`);
for (const text of notRun) console.log(`NOT RUN: ${text}`);
if (!both && !short && browsers.length > 0) console.log('NOT RUN: pages in several browsers, because there is only one');
if (!pagesOnly && columns.length < 2 && wrong.length === 0) wrong.push(`nothing to compare: ${columns.length} engine`);
if (pagesOnly && !both) wrong.push('nothing to compare: pages need two browsers');
for (const text of wrong.slice(0, 40)) console.log(`FAILED: ${text}`);
if (wrong.length > 40) console.log(`and ${wrong.length - 40} more`);
const count = columns.reduce((sum, { results }) => sum + results.length, 0);
const seconds = ((Date.now() - started) / 1000).toFixed(0);
const same = [
  ...(pagesOnly ? [] : [`the same bits in ${columns.length} engines and builds: ${count} hashes`]),
  ...(both ? [`the same pictures on ${pages.length} pages in ${names.join(', ')}`] : []),
];
if (wrong.length === 0) console.log(`${same.join('; ')}; ${seconds} s`);
else process.exitCode = 1;
