// SPDX-License-Identifier: MIT
// @ts-check

/** Makes errors from the statuses of the C library. The page itself uses this module only to reject a file (sniff.js). */

import { NextPixelError } from '../base/error.js';
import { CODES } from './protocol.js';

/** @import { ErrorCode } from './protocol.js' */

/**
 * Returns the error code that belongs to a negative nx_status.
 *
 * @param {number} status
 * @returns {ErrorCode}
 */
export function codeOfStatus(status) {
  return CODES[-1 - status] ?? 'trap';
}

/** Advice for each status of the C library. @type {Partial<Record<ErrorCode, string>>} */
const ADVICE = {
  argument: 'Check the values given',
  format: 'The file is damaged, incomplete or of another kind: download it again or check its address',
  unsupported: 'Use a newer nextpixel, or export the model in a form that this version runs',
  limit: 'This is beyond a limit of nextpixel',
  memory: 'Use fewer samples or a smaller model, or close other models',
  numeric: 'The weights are damaged, or training diverged',
  state: 'Start the run again',
};

/**
 * Returns the error for a negative status of the C library.
 *
 * @param {number} status
 * @param {string} what  the failed action, such as 'Opening the model'
 * @param {{ name?: string, reason?: string }} [problem]  the contents of nx_problem
 */
export function statusError(status, what, { name = '', reason = '' } = {}) {
  const code = codeOfStatus(status);
  const detail = [name, reason].filter(Boolean).join(': ');
  const advice = ADVICE[code] ?? 'Load the model again';
  return new NextPixelError(code, `${what} failed (${detail || code}). ${advice}.`, { status });
}

/** Throws if a status is an error. @param {number} status  @param {string} what  as for statusError() */
export function checkStatus(status, what) {
  if (status < 0) throw statusError(status, what);
}
