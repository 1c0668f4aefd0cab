// SPDX-License-Identifier: MIT
// @ts-check

/** @import { ErrorCode, PlainError } from '../engine/protocol.js' */

/** The only error class of this library. The `code` of an error stays the same in later versions; the message states the remedy. */
export class NextPixelError extends Error {
  /**
   * @param {ErrorCode} code  one of the codes in protocol.js
   * @param {string} message
   * @param {{ status?: number, cause?: unknown }} [details]
   */
  constructor(code, message, { status = 0, cause } = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'NextPixelError';
    /** The reason for the failure: one of the codes in protocol.js. @type {ErrorCode} */
    this.code = code;
    /** The status that the C library returned; 0 if the error came from elsewhere. */
    this.status = status;
  }
}

/**
 * @param {string} message
 */
export function argumentError(message) {
  return new NextPixelError('argument', message);
}

/**
 * Calls `read`, which reads an argument. If `read` fails, the error becomes a NextPixelError. Some frameworks wrap objects in proxies that
 * throw on the first access.
 *
 * @template T
 * @param {string} name  name of the argument
 * @param {() => T} read
 * @returns {T}
 */
export function reading(name, read) {
  try {
    return read();
  } catch (cause) {
    if (cause instanceof NextPixelError) throw cause;
    throw new NextPixelError('argument', `${name} cannot be read (${cause}). Pass the object, not a proxy of it`, { cause });
  }
}

/**
 * Converts any error to a plain object that a worker can send to the page. An error that is not a NextPixelError indicates a defect in the
 * engine, and gets the code `trap`.
 *
 * @param {unknown} error
 * @returns {PlainError}
 */
export function toPlain(error) {
  if (error instanceof NextPixelError) {
    return { code: error.code, status: error.status, message: error.message };
  }
  return { code: 'trap', status: 0, message: `The engine stopped unexpectedly (${error}).` };
}

/**
 * @param {PlainError} plain
 */
export function fromPlain({ code, status, message }) {
  return new NextPixelError(code, message, { status });
}
