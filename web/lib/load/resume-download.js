// SPDX-License-Identifier: MIT
// @ts-check

/** Resumes an interrupted download where it stopped, if the file on the server is still the same. */

import { abortable } from '../base/abort.js';
import { again } from '../base/part.js';
import { within } from './patience.js';

/** @import { Reader } from './patience.js' */

/**
 * Returns the header that identifies the version of a file, or undefined if its download cannot be resumed. A compressed response cannot be
 * resumed, because ranges count compressed bytes. Without a header that identifies the version, the halves of two different files might be
 * joined.
 *
 * @param {Response} response
 */
export function versionOf({ headers, status, url }) {
  const known = ['etag', 'last-modified'].find((name) => headers.has(name) && !headers.get(name)?.startsWith('W/'));
  return status === 200 && !headers.has('content-encoding') && /^https?:/.test(url) ? known : undefined;
}

/**
 * @param {Response} first   the interrupted response
 * @param {string} url
 * @param {number} loaded    number of bytes received
 * @param {unknown} cause    the error that interrupted the download
 * @param {AbortSignal | undefined} signal
 * @param {number} ms        the longest time without data, in milliseconds
 * @returns {Promise<Reader>} a reader of the remaining chunks; rejects with the cause if the download cannot be resumed
 */
export async function resume(first, url, loaded, cause, signal, ms) {
  const { headers } = first;
  const mark = versionOf(first);
  if (loaded === 0 || mark === undefined) throw cause;
  /** @type {Reader | undefined} */
  let rest;
  const ask = async () => {
    signal?.throwIfAborted();
    const stopper = new AbortController();
    const stop = () => stopper.abort(signal?.reason);
    signal?.addEventListener('abort', stop);
    try {
      const answer = await within(fetch(url, { headers: { Range: `bytes=${loaded}-` }, signal: stopper.signal, cache: 'no-store' }), ms);
      // browsers hide this header if the server has another origin
      const start = /^bytes (\d+)-/.exec(answer.headers.get('content-range') ?? '')?.[1] ?? String(loaded);
      if (answer.status >= 500) throw answer.status;
      if (
        answer.status === 206 &&
        !answer.headers.has('content-encoding') &&
        answer.headers.get(mark) === headers.get(mark) &&
        Number(start) === loaded
      )
        rest = answer.body?.getReader();
      if (!rest) stop(); // the server has another file, or does not support ranges
    } catch (error) {
      stop();
      throw error;
    }
  };
  await abortable(
    again(ask, () => !signal?.aborted).catch(() => {}),
    signal,
  );
  if (!rest) throw cause;
  return rest;
}
