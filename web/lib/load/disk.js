// SPDX-License-Identifier: MIT
// @ts-check

/** Reads files from disk in Node. This module is loaded only in Node. */

import { NextPixelError } from '../base/error.js';
import { nodeModule } from '../base/platform.js';
import { messageOf } from './source.js';

/**
 * Returns the path that a string or URL names in Node, or undefined if the file must be fetched.
 *
 * @param {string | URL} source
 * @returns {Promise<string | undefined>}
 */
export async function filePath(source) {
  const text = inPage(String(source));
  if (/^(https?|data|blob):/i.test(text)) return undefined;
  if (!/^file:/i.test(text)) return text;
  try {
    return (await ownModule('node:url')).fileURLToPath(text);
  } catch (cause) {
    throw new NextPixelError('argument', `Not the address of a file: ${text}`, { cause });
  }
}

/**
 * Imports one of Node's modules; windows of old versions of Electron provide them only through require().
 * @param {Parameters<typeof nodeModule>[0]} name
 */
async function ownModule(name) {
  return /** @type {any} */ (globalThis).require?.(name) ?? nodeModule(name);
}

/**
 * In an Electron window that has Node's modules, resolves a relative address against the page, because an address in a page is never a
 * file path. (A window of a test runner is treated like Node, where an address may be a path.)
 *
 * @param {string} address
 */
function inPage(address) {
  if (!globalThis.process.versions.electron || !globalThis.document) return address;
  try {
    return new URL(address, document.baseURI).href;
  } catch (cause) {
    throw new NextPixelError(
      'argument',
      `The address ${address} is relative, but this page has no address to resolve it against (${document.baseURI}): pass a complete address`,
      { cause },
    );
  }
}

/** @param {string} path */
export async function sizeOfFile(path) {
  const { stat } = await ownModule('node:fs/promises');
  const found = await stat(path).catch(() => undefined); // a missing file is reported when it is read
  if (found && !found.isFile())
    throw new NextPixelError(
      'network',
      `Cannot read the file ${path} (it is ${found.isDirectory() ? 'a folder' : 'a device or a pipe'}): name a weight file`,
    );
  return found?.size ?? 0;
}

/**
 * @param {string} path
 * @param {AbortSignal} [signal]
 * @returns {Promise<Uint8Array<ArrayBuffer>>}
 */
export async function readFile(path, signal) {
  try {
    const { readFile: read } = await ownModule('node:fs/promises');
    const buffer = await read(path, { signal });
    // The bytes of a small file may be part of a larger buffer that Node uses for other data too; such a buffer cannot be transferred.
    const whole = buffer.byteLength === buffer.buffer.byteLength;
    return whole ? new Uint8Array(buffer.buffer) : new Uint8Array(buffer);
  } catch (cause) {
    signal?.throwIfAborted();
    throw new NextPixelError('network', `Cannot read the file ${path.slice(0, 300)} (${messageOf(cause).slice(0, 300)})`, { cause });
  }
}
