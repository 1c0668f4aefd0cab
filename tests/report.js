// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Test reporter for `node --test --test-reporter=./tests/report.js`. Prints one line per test file, and reports failed and skipped tests in
 * full. If the environment variable FAILED_FILES is set to a path, the reporter also writes the names of failed test files to this path,
 * one per line. build.sh runs the failed test files again.
 */

import { appendFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { inspect } from 'node:util';

/** The name of the test that the other tests wait for when several files share a process (group.js). */
export const GROUP = 'the files of this group are read';

/** @param {number} ms */
const seconds = (ms) => `${(ms / 1000).toFixed(1)} s`;

/** @param {AsyncIterable<import('node:test/reporters').TestEvent>} events */
export default async function* report(events) {
  let file = '';
  let passed = 0;
  let time = 0;
  const all = { files: 0, passed: 0, failed: 0, skipped: 0 };
  const began = Date.now();
  const line = () => `${basename(file).padEnd(28)} ${String(passed).padStart(4)} passed  ${seconds(time).padStart(8)}\n`;
  for await (const { type, data } of events) {
    if (type === 'test:stderr' || type === 'test:stdout') yield data.message;
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    if (type === 'test:pass' && data.name === GROUP) continue;
    const suite = /** @type {any} */ (data.details).type === 'suite';
    const whole = suite && data.name.endsWith('.test.js') ? data.name : undefined; // a file of a group (held.js)
    const of = /^more \((.+?)\): /.exec(data.name)?.[1] ?? whole ?? data.file ?? data.name; // more.js
    if (basename(of) !== basename(file)) {
      if (file) yield line();
      [file, passed, time] = [of, 0, 0];
      all.files++;
    }
    const { error } = /** @type {{ error?: Error & { cause?: unknown, failureType?: string } }} */ (data.details);
    if (data.nesting === 0) time += data.details.duration_ms;
    if (suite && type === 'test:pass') continue; // its tests have been counted
    const skip = data.skip ?? data.todo;
    if (skip === 'test name does not match pattern') continue; // the caller did not select this test
    if (skip !== undefined && skip !== false) {
      all.skipped++;
      yield `SKIPPED ${basename(of)}: ${data.name}${typeof skip === 'string' ? ` (${skip})` : ''}\n`;
    } else if (type === 'test:pass') {
      passed++;
      all.passed++;
    } else if (error?.failureType !== 'subtestsFailed') {
      // the failed subtests of this test have already been reported
      all.failed++;
      if (process.env.FAILED_FILES) appendFileSync(process.env.FAILED_FILES, `${resolve(of)}\n`);
      yield `FAILED ${basename(of)}:${of === data.file ? data.line : ''} ${data.name}\n${inspect(error?.cause ?? error)}\n`;
    }
  }
  if (file) yield line();
  yield `${all.files} files, ${all.passed} tests passed, ${all.failed} failed, ${all.skipped} skipped, ${seconds(Date.now() - began)}\n`;
}
