// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Shares models among all code of a page. Callers that request the same address share one model. The model is closed after the last caller
 * has released it. An element that is moved releases its model and requests the model again within GRACE_MS, so no file is downloaded
 * twice. The first call of acquire() loads this module.
 */

import { abortable } from '../base/abort.js';
import { checkOptions, flag, show } from '../base/checks.js';
import { argumentError } from '../base/error.js';
import { heardBy } from '../base/heard-by.js';
import { load } from '../index.js';
import { isAddress } from './source.js';

/** @import { Model } from '../model/model.js' */
/** @import { Progress } from './source.js' */

/** A model without holders stays loaded for `GRACE_MS` milliseconds. A download without holders continues for `GRACE_LOADING_MS`
 * milliseconds. */
const GRACE_MS = 3000;
const GRACE_LOADING_MS = 100;
/** If no data has arrived for this number of milliseconds, a new caller starts another download instead of joining the current one. */
const SILENT_MS = 10000;

/**
 * @typedef {object} Entry
 * @property {Promise<Model>} model
 * @property {boolean} loaded
 * @property {number} heard  time at which data last arrived
 * @property {number} holders
 * @property {Set<(progress: Progress) => void>} listeners
 * @property {AbortController} stopper  aborts the loading
 * @property {ReturnType<typeof setTimeout>} [timer]
 */

/**
 * @typedef {object} Hold
 * @property {Model} model
 * @property {() => void} release  releases the model; a second call does nothing
 * @property {() => void} discard  drops a model that can no longer be used, so that the next caller gets a new one
 */

/** Maps an address with its loading options to an entry. @type {Map<string, Entry>} */
const entries = new Map();

/**
 * Implements acquire() of index.js.
 *
 * @param {string | URL} url
 * @param {import('../index.js').AcquireOptions} options
 * @returns {Promise<Hold>}
 * @internal
 */
export async function acquire(url, options) {
  checkOptions(options, 'acquire()', ['onProgress', 'signal', 'workers', 'threads', 'cache', 'integrity', 'worker']);
  const { onProgress, signal, workers, threads, cache = true, integrity, worker } = options;
  signal?.throwIfAborted();
  flag('cache', cache);
  if (!isAddress(url)) throw argumentError(`acquire() takes the address of a weight file, not ${show(url)}`);
  const address = resolved(url);
  const key = JSON.stringify([address, cache, integrity]);
  let entry = entries.get(key);
  if (!entry || (!entry.loaded && Date.now() - entry.heard > SILENT_MS))
    entry = begin(key, address, { workers, threads, cache, integrity, worker });
  else worker?.terminate();
  const held = entry;
  /** Rejects the call whose listener has thrown an error. @type {(reason: unknown) => void} */
  let fail = () => {};
  const failed = new Promise((_, reject) => {
    fail = reject;
  });
  failed.catch(() => {});
  const drop = (/** @type {unknown} */ reason) => {
    held.listeners.delete(listener);
    fail(reason);
  };
  const heard = heardBy(onProgress, drop);
  const listener = (/** @type {Progress} */ progress) => {
    try {
      heard(progress);
    } catch (reason) {
      drop(reason);
    }
  };
  clearTimeout(held.timer);
  held.holders++;
  if (onProgress) held.listeners.add(listener);
  let holding = true;
  const release = () => {
    if (!holding) return;
    holding = false;
    held.listeners.delete(listener);
    if (--held.holders > 0) return;
    held.timer = setTimeout(() => end(key, held), held.loaded ? GRACE_MS : GRACE_LOADING_MS);
  };
  const discard = () => {
    if (entries.get(key) === held) entries.delete(key);
    release();
  };
  try {
    const model = await abortable(Promise.race([held.model, failed]), signal);
    await Promise.race([heard.turn(), failed]);
    return { model, release, discard, ...(Symbol.dispose && { [Symbol.dispose]: release }) };
  } catch (error) {
    release();
    throw error;
  }
}

/** @param {string} key @param {string} url @param {import('../index.js').LoadOptions} options */
function begin(key, url, options) {
  const stopper = new AbortController();
  /** @type {Omit<Entry, 'model'>} */
  const begun = { loaded: false, heard: Date.now(), holders: 0, listeners: new Set(), stopper };
  const model = load(url, {
    ...options,
    signal: stopper.signal,
    onProgress: (progress) => {
      begun.heard = Date.now();
      for (const listener of [...begun.listeners]) listener(progress);
    },
  });
  /** @type {Entry} */
  const entry = Object.assign(begun, { model });
  entries.set(key, entry);
  // A failure is not cached, so the next caller tries again.
  model.then(
    () => {
      entry.loaded = true;
    },
    () => {
      if (entries.get(key) === entry) entries.delete(key);
    },
  );
  return entry;
}

/**
 * @param {string} key
 * @param {Entry} entry
 */
function end(key, entry) {
  if (entries.get(key) === entry) entries.delete(key);
  entry.stopper.abort();
  entry.model.then(
    (model) => model.close(),
    () => {},
  );
}

/** Resolves an address against the page. An invalid address is returned unchanged, and load() reports it. @param {string | URL} url */
function resolved(url) {
  try {
    return new URL(url, globalThis.document?.baseURI).href;
  } catch {
    return String(url);
  }
}
