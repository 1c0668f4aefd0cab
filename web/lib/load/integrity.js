// SPDX-License-Identifier: MIT
// @ts-check

/** Checks the digest of a weight file. This code is loaded only if a digest is given. */

import { NextPixelError, argumentError } from '../base/error.js';

/**
 * @param {string} integrity  the option `integrity` of load()
 * @returns {(bytes: Uint8Array<ArrayBuffer>) => Promise<void>} rejects if the bytes have another digest
 */
export function checkOf(integrity) {
  const match = typeof integrity === 'string' && /^sha256-([A-Za-z0-9+/]{43}=)$/.exec(integrity);
  if (!match) throw argumentError('integrity must be "sha256-" and the base64 of a SHA-256 digest (44 characters)');
  return (bytes) => checkIntegrity(bytes, match[1]);
}

/**
 * @param {Uint8Array<ArrayBuffer>} bytes
 * @param {string} expected
 */
async function checkIntegrity(bytes, expected) {
  if (!globalThis.crypto?.subtle) {
    throw new NextPixelError(
      'integrity',
      'integrity cannot be checked here: browsers offer the digest to pages from ' + 'https: or localhost only',
    );
  }
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  const actual = btoa(String.fromCharCode(...digest));
  if (actual !== expected) {
    throw new NextPixelError(
      'integrity',
      `The weight file is not the expected one: its digest is sha256-${actual}, ` + `expected was sha256-${expected}`,
    );
  }
}
