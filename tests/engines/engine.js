// SPDX-License-Identifier: MIT
// @ts-check

/** Common code of the browser drivers. */

import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** @import { ChildProcess } from 'node:child_process' */
/** @import { Result } from './runs.js' */

/**
 * The report that page.html shows. `valid: false` means that the engine does not support the build.
 *
 * @typedef {{ results?: Result[], valid?: false, error?: string, agent?: string }} Report
 */

/**
 * A browser that can run without a screen.
 *
 * @typedef {object} Engine
 * @property {string} name
 * @property {() => string | undefined} missing  returns the name of the software to install, if the browser cannot run here
 * @property {(url: string) => Promise<Session>} open  starts the browser with a page
 */

/**
 * @typedef {object} Session
 * @property {(expression: string) => Promise<unknown>} evaluate  returns the value of an expression in the page, as plain data
 * @property {(expression: string) => Promise<unknown>} [evaluateInFrame] like `evaluate`, but in the page's first frame, which may have any
 * origin
 * @property {() => Promise<Buffer>} screenshot  PNG
 * @property {() => Promise<void>} close
 */

/** The time limit of every operation, in milliseconds, for a machine with all cores busy. */
const PATIENCE_MS = 600_000;

/**
 * The interval between two polls of a page, in milliseconds. A page reports its results after seconds or minutes. Each poll is a message,
 * and firefox.js limits the number of messages.
 */
export const LOOK_MS = 1000;

/**
 * Opens a page and reads its report.
 *
 * @param {Engine} engine
 * @param {string} url
 * @returns {Promise<Report>}
 */
export async function reportOf(engine, url) {
  const session = await engine.open(url);
  try {
    const end = Date.now() + PATIENCE_MS;
    while (Date.now() < end) {
      const text = await session.evaluate("document.getElementById('report')?.textContent ?? ''");
      if (text) return JSON.parse(String(text));
      await sleep(LOOK_MS);
    }
    throw new Error(`no result after ${PATIENCE_MS / 1000} seconds`);
  } finally {
    await session.close();
  }
}

/**
 * Returns the first of these commands that is in PATH.
 *
 * @param {string[]} names
 */
export function command(...names) {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) => existsSync(path));
}

/**
 * Ends a process, and waits until it has ended.
 *
 * @param {ChildProcess} child
 */
export async function end(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill();
  const kill = setTimeout(() => child.kill('SIGKILL'), 5000);
  await gone;
  clearTimeout(kill);
}

/**
 * @template T
 * @param {Promise<T>} promise
 * @param {number} ms
 * @param {string} what  description of the operation, for the error message
 * @returns {Promise<T>}
 */
export function within(promise, ms, what) {
  /** @type {ReturnType<typeof setTimeout>} */
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what}: no answer after ${ms / 1000} seconds`)), ms);
  });
  return /** @type {Promise<T>} */ (Promise.race([promise, late])).finally(() => clearTimeout(timer));
}

/** @param {number} ms */
export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
