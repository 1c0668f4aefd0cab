// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Runs the steps of `npm test`, which are tasks of build.sh. At least two steps run at a time, because most of them use only one core.
 *
 * With --all, every page, file and recipe is tested. Without --all, if several pages, files or recipes are similar, only some of them are
 * tested (tests/more.js, and the tasks of WHOLE).
 *
 * The output of a task is printed in one piece when the task ends. The last lines list the time of each task, the failures, the totals,
 * and the tests that were not run, with the reason and the way to run each of them.
 *
 *     node tests/steps.js build/test [--all]     --all: what a release runs
 */

import { spawn } from 'node:child_process';
import { createWriteStream, mkdirSync, readFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

/**
 * @typedef {object} Step
 * @property {string} name     name of the step and of its log
 * @property {string} [task]   arguments of build.sh; by default the name
 * @property {string[]} [after]  steps whose files this step needs
 */

/** The steps in the order in which they start, the longest first. @type {Step[]} */
const STEPS = [
  { name: 'check-format' },
  { name: 'test-browser' },
  { name: 'check-wasm' },
  { name: 'test-c', after: ['check-wasm'] },
  { name: 'test-train' }, // this step uses a single process, so it would leave a core idle at the end
  { name: 'test-js' },
  { name: 'test-engines', task: 'test-engines --short chromium node', after: ['test-c'] },
  { name: 'size', task: 'size --only nextpixel-relaxed' }, // the largest of the small builds
  { name: 'check-manual' },
];
/** Tasks that test more with --all. */
const WHOLE = {
  'check-wasm': 'check-wasm all',
  'test-c': 'test-c all',
  'test-train': 'test-train all',
  'test-engines': 'test-engines',
  size: 'size',
};
/** @type {Step[]} */
const ALL = [
  ...STEPS.map((step) => ({ ...step, task: /** @type {Record<string, string>} */ (WHOLE)[step.name] ?? step.task })),
  { name: 'test-sweep', after: ['test-browser'] },
  { name: 'test-embed', after: ['test-js'] },
];

const {
  values: { all },
  positionals: [out = 'build/test'],
} = parseArgs({ allowPositionals: true, options: { all: { type: 'boolean' } } });
const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Number of concurrent steps. On two cores, three steps at a time are no faster, because they evict each other's cache lines. */
const AT_ONCE = Math.max(2, Math.floor(availableParallelism() / 2));

/**
 * Patterns that find the totals in the output of each kind of test.
 * @type {[RegExp, (numbers: number[]) => { passed?: number, failed?: number, skipped?: number }][]}
 */
const SUMS = [
  [/^\d+ files, (\d+) tests passed, (\d+) failed, (\d+) skipped, /, ([passed, failed, skipped]) => ({ passed, failed, skipped })], // report.js
  [/^(\d+) passed, (\d+) failed$/, ([passed, failed]) => ({ passed, failed })], // tests/c
  [/^Ran (\d+) tests? in /, ([passed]) => ({ passed })], // unittest; the next lines subtract the skipped and failed tests
  [/^(?:OK|FAILED) \(.*?skipped=(\d+)/, ([skipped]) => ({ passed: -skipped, skipped })],
  [/^FAILED \(failures=(\d+)/, ([failed]) => ({ passed: -failed, failed })],
  [/^FAILED \(.*?errors=(\d+)/, ([failed]) => ({ passed: -failed, failed })],
];

/** Returns the processor time since the machine started, in seconds: the total (`all`) and the busy part (`busy`). */
function processors() {
  const times = cpus().map(({ times }) => times);
  const all = times.flatMap((one) => Object.values(one)).reduce((sum, ms) => sum + ms, 0) / 1000;
  return { all, busy: all - times.reduce((sum, { idle }) => sum + idle, 0) / 1000 };
}

/** @param {number} ms */
const time = (ms) => `${Math.floor(ms / 60000)}:${String(Math.floor(ms / 1000) % 60).padStart(2, '0')}`;

/** @type {Set<import('node:child_process').ChildProcess>} */
const running = new Set();
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM'])) {
  process.on(signal, () => {
    for (const { pid } of running) {
      try {
        if (pid) process.kill(-pid, signal);
      } catch {
        /* the process has just ended */
      }
    }
    process.exit(1);
  });
}

/** Runs a step; its output goes to a log. @param {Step} step @returns {Promise<{ step: Step, ok: boolean, ms: number, log: string }>} */
function run(step) {
  const began = Date.now();
  const log = `${out}/${step.name}.log`;
  return new Promise((done) => {
    const file = createWriteStream(log);
    // A separate process group, so that all processes of the step can be ended together.
    const child = spawn('sh', ['build.sh', ...(step.task ?? step.name).split(' ')], {
      cwd: ROOT,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    running.add(child);
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => file.write(bytes));
    child.on('close', (code) => {
      running.delete(child);
      file.end(() => done({ step, ok: code === 0, ms: Date.now() - began, log: readFileSync(log, 'utf8') }));
    });
  });
}

mkdirSync(out, { recursive: true });
const began = Date.now();
const before = processors();
const waiting = [...(all ? ALL : STEPS)];
/** @type {Awaited<ReturnType<typeof run>>[]} */
const finished = [];
/** @type {Map<string, ReturnType<typeof run>>} */
const begun = new Map();
while (waiting.length > 0 || begun.size > 0) {
  while (begun.size < AT_ONCE) {
    const next = waiting.findIndex(({ after = [] }) => after.every((name) => finished.some(({ step }) => step.name === name)));
    if (next < 0) break;
    const [step] = waiting.splice(next, 1);
    begun.set(step.name, run(step));
    console.log(`-- ${step.name} begins`);
  }
  const done = await Promise.race(begun.values());
  begun.delete(done.step.name);
  finished.push(done);
  console.log(`\n== ${done.step.name}: ${done.ok ? 'passed' : 'FAILED'}, ${time(done.ms)}\n${done.log.trimEnd()}`);
}

const sum = { passed: 0, failed: 0, skipped: 0 };
const lines = finished.flatMap(({ log }) => log.split('\n'));
for (const line of lines) {
  for (const [pattern, numbersOf] of SUMS) {
    const match = pattern.exec(line);
    for (const [name, n] of match ? Object.entries(numbersOf(match.slice(1).map(Number))) : [])
      sum[/** @type {keyof typeof sum} */ (name)] += n;
  }
}
const failed = finished.filter(({ ok }) => !ok).map(({ step }) => step.name);
const times = (all ? ALL : STEPS).map(({ name }) => `${name} ${time(finished.find(({ step }) => step.name === name)?.ms ?? 0)}`);
console.log(`\n${'='.repeat(40)}`);
for (const line of new Set(lines.filter((text) => /^(FAILED|SKIPPED|AGAIN,) /.test(text)))) console.log(line);
for (const name of failed) console.log(`FAILED: ./build.sh ${(all ? ALL : STEPS).find((step) => step.name === name)?.task ?? name}`);
for (const line of new Set(lines.filter((text) => /^NOT (RUN|MEASURED)/.test(text)))) console.log(line);
const after = processors();
const busy = after.busy - before.busy;
console.log(
  `${sum.passed} passed, ${sum.failed} failed, ${sum.skipped} skipped in ${time(Date.now() - began)}, ${AT_ONCE} steps at once, ` +
    `${busy.toFixed(0)} processor seconds (${((100 * busy) / (after.all - before.all)).toFixed(0)} % busy), load ${loadavg()[0].toFixed(1)}: ${times.join(', ')}`,
);
process.exitCode = failed.length > 0 ? 1 : 0;
