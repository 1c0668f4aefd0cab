// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Stores the received parts of large files whose download was stopped. Each part stays in the cache under the address of its file, and a
 * note in a second cache records the size of the part. The next load() reads this part from the cache, and requests only the rest from the
 * server. As in cache.js, no function of this module throws an error.
 */

import { CACHE_NAME } from './cache-name.js';
import { versionOf } from './resume-download.js';

/** @import { Large } from './source.js' */

/** Name of the cache that has a note about each stored part. */
export const UNFINISHED = 'nextpixel-unfinished';

/** The addresses whose stored part has been read to its end. @type {Set<string>} */
const ended = new Set();

/** A promise that is pending while copies are being written. */
let pending = Promise.resolve();

/** Resolves when the parts of stopped downloads are in the cache. */
export const settled = () => pending;

const notes = () => caches.open(UNFINISHED);

/** Returns the number of stored bytes of a stopped download; 0 if no bytes are stored. @param {string} url */
export async function bytesOfUnfinished(url) {
  try {
    return Number(await (await (await notes()).match(url))?.text()) || 0;
  } catch {
    return 0;
  }
}

/** Deletes the note about a part, because the file at this address is complete or deleted. @param {string} url */
export async function forget(url) {
  ended.delete(url);
  await notes()
    .then((cache) => cache.delete(url))
    .catch(() => {});
}

/** Deletes the notes about parts that are no longer stored, because code that deletes a copy does not delete its note. */
async function forgetLost() {
  for (const { url } of await (await notes()).keys()) if (!(await caches.match(url, { cacheName: CACHE_NAME }))) await forget(url);
}

/**
 * Stores the received part of a file, if it is longer than the part that is already stored and the server can send the rest.
 *
 * @param {string} url
 * @param {Response} response  the response whose headers describe the file
 * @param {number} bytes
 * @param {{ close: () => Promise<boolean>, abort: () => void, drop: () => Promise<void> }} copy  writes the file to the cache: see
 *   copying() in large.js
 * @param {boolean} stopped  whether the caller stopped the download; otherwise the connection was interrupted
 */
export function keepPart(url, response, bytes, copy, stopped) {
  pending = pending.then(async () => {
    try {
      const before = await bytesOfUnfinished(url);
      if (!versionOf(response) || bytes <= before) {
        copy.abort();
        // The server ignored the range and sent the whole file, so its downloads cannot be resumed. The next one starts anew.
        if (before && !stopped && ended.has(url)) await Promise.all([forget(url), copy.drop()]);
        return;
      }
      await (await notes()).put(url, new Response(String(bytes)));
      if (!(await copy.close())) await forget(url);
      await forgetLost();
    } catch {
      copy.abort();
      await forget(url);
    }
  });
}

/**
 * Makes a cached copy readable even if it is only the received part of a stopped download. Reading an incomplete copy fails at its end. The
 * rest of the file is then requested, as after any other interruption.
 *
 * @param {Large} copy
 * @param {Large} server
 * @returns {Promise<Large>}
 */
export async function continued(copy, server) {
  const address = String(server.url);
  ended.delete(address);
  if (!(await bytesOfUnfinished(address))) return copy;
  const reader = /** @type {ReadableStream<Uint8Array>} */ (copy.response?.body).getReader();
  const part = new ReadableStream(
    {
      async pull(controller) {
        const { value } = await reader.read();
        if (value) controller.enqueue(value);
        else {
          ended.add(address);
          controller.error(new Error('the rest of a stopped download did not arrive'));
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
  const { headers, url } = /** @type {Response} */ (server.response);
  const response = new Response(part, { headers });
  Object.defineProperty(response, 'url', { value: url });
  return { ...server, response };
}
