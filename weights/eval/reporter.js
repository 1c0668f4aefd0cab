// SPDX-License-Identifier: MIT
// Prints the progress and the result of an evaluation.
// @ts-check
import path from 'node:path';

/**
 * @param {string} file  the measured file
 * @param {{ json: boolean, show?: boolean }} options  the command-line options; without --json and --show, the progress is shown in a
 *   terminal
 */
export function reporter(file, { json, show = false }) {
  const name = path.basename(file);
  const live = !json && !show && process.stderr.isTTY;
  const write = (/** @type {string} */ text) => {
    if (live) process.stderr.write(`\r${text}`);
  };
  return {
    /** Shows the progress. */
    say: write,
    /** Prints a result: as JSON with --json, otherwise the file's name and `text`. @param {object} result @param {string} text */
    print(result, text) {
      write('');
      console.log(json ? JSON.stringify({ file: name, ...result }) : `${name}${text}`);
    },
  };
}
