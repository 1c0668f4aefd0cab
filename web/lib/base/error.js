// SPDX-License-Identifier: MIT
// @ts-check

/** @import { ErrorCode, PlainError } from '../engine/protocol.js' */

/** The one error class of this library. Its `code` is stable; its message states the remedy. */
export class NextPixelError extends Error {
  /**
   * @param {ErrorCode} code  one of the closed list in protocol.js
   * @param {string} message
   * @param {{ status?: number, cause?: unknown }} [details]
   */
  constructor(code, message, { status = 0, cause } = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'NextPixelError';
    /** Why it failed: one of a closed list. @type {ErrorCode} */
    this.code = code;
    /** The status that the C library returned; 0 if the error arose elsewhere. */
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
 * Reads an argument of the caller. Objects behind a proxy, as frameworks make them, may throw at the first access.
 *
 * @template T
 * @param {string} name  of the argument
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
 * Any error in the form that crosses the worker's boundary. An error that is not ours is a defect of the engine: `trap`.
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
