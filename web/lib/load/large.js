// SPDX-License-Identifier: MIT
// @ts-check

/**
 * A large weight file goes to the engine while it arrives: it never stands in memory beside its model. Loaded only for one.
 */

import { NextPixelError } from '../base/error.js';
import { nodeModule } from '../base/platform.js';
import { keeper } from './cache.js';
import { chunksOf, joined } from './source.js';

/** @import { Job } from '../workers/job.js' */
/** @import { FedMessage, OpenedMessage } from '../engine/protocol.js' */
/** @import { Count, Large } from './source.js' */

/** Bytes that go on their way together. */
const PIECE_BYTES = 1 << 20;

/**
 * Has every worker read a file of which the size is known.
 *
 * @param {Job[]} jobs  one of each worker
 * @param {WebAssembly.Module} module
 * @param {Large} file
 * @param {{ signal?: AbortSignal, onProgress?: (progress: Count) => void, patience?: number }} how
 * @returns {Promise<OpenedMessage[]>}
 */
export async function openLarge(jobs, module, file, how) {
  const { name, size } = file;
  const response = file.response ?? await responseOf(String(file.path));
  const copy = file.keep ? copying(String(file.url), response, size) : undefined;
  const chunks = chunksOf({ ...file, response }, how);

  /** The next bytes of the file: at least so many, or all that are left. @param {number} least */
  const take = async (least) => {
    const taken = [];
    for (let bytes = 0; bytes < least;) {
      const { value } = await chunks.next();
      if (!value) break;
      taken.push(value);
      bytes += value.length;
    }
    const piece = joined(taken);
    await copy?.write(piece.slice()); // the piece itself is going to be transferred
    return piece;
  };
  /** @param {Parameters<Job['ask']>[0]} message  @param {Transferable[]} [transfer] @returns {Promise<any[]>} */
  const ask = (message, transfer) => Promise.all(jobs.map((job, i) => job.ask(message, i === jobs.length - 1 ? transfer : undefined)));

  try {
    let head = await take(PIECE_BYTES);
    /** @type {(FedMessage & { lacks?: string })[]} */
    let answers = await ask({ type: 'begin', module, head, size });
    while (answers[0].lacks) {
      const rest = await take(answers[0].lacks === 'whole' ? Infinity : head.length);
      if (rest.length === 0 && answers[0].lacks === 'more') throw brokeOff(name);
      head = joined([head, rest]);
      answers = answers[0].lacks === 'whole' ? await ask({ type: 'open', module, bytes: head }, [head.buffer]) :
        await ask({ type: 'begin', module, head, size });
    }
    // A piece arrives while the engine has the one before.
    let at = head.length;
    let pending = Promise.resolve(/** @type {(FedMessage | OpenedMessage)[]} */ (answers));
    for (let piece = await take(PIECE_BYTES); piece.length > 0; piece = await take(PIECE_BYTES)) {
      const [answer] = await pending;
      if (answer.type === 'fed') {
        const skipped = Math.max(0, answer.at - at);
        at += piece.length;
        pending = ask({ type: 'feed', bytes: piece.subarray(skipped) }, [piece.buffer]);
        pending.catch(() => {}); // heard when it is awaited
      }
    }
    const opened = await pending;
    if (opened[0].type !== 'opened') throw brokeOff(name);
    if (copy && !(await copy.close())) {
      file.warning = `The browser did not keep this file of ${Math.round(size / 1e6)} MB: it has no room, or this is a private window. The next visit downloads it again`;
    }
    return /** @type {OpenedMessage[]} */ (opened);
  } catch (error) {
    copy?.abort();
    throw error;
  } finally {
    void chunks.return();
  }
}

/** @param {string} name */
function brokeOff(name) {
  return new NextPixelError('network', `${name} ended before its last byte: try again`);
}

/** @param {string} path */
async function responseOf(path) {
  const { createReadStream } = await nodeModule('node:fs');
  const { Readable } = await nodeModule('node:stream');
  return new Response(Readable.toWeb(createReadStream(path, { highWaterMark: PIECE_BYTES })));
}

/**
 * Puts a file into the cache while it arrives; there only when it has arrived. Nothing here can fail, as in cache.js.
 *
 * @param {string} url
 * @param {Response} response
 * @param {number} size
 */
function copying(url, response, size) {
  const { readable, writable } = new TransformStream();
  const put = keeper(url, response, readable, size)?.();
  if (!put) return undefined;
  const writer = writable.getWriter();
  const over = put.then(async (kept) => {
    await readable.cancel().catch(() => {}); // where it was given up, nobody reads any more
    return kept;
  });
  const either = (/** @type {Promise<unknown>} */ done) => Promise.race([done.catch(() => {}), over]);
  return {
    write: (/** @type {Uint8Array} */ piece) => either(writer.write(piece)),
    close: async () => {
      await either(writer.close());
      return over;
    },
    abort: () => void writer.abort().catch(() => {}),
  };
}
