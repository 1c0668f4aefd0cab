// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Models shared by everything on a page: who asks for the same address gets the same model, which is closed when its last holder
 * has let go. A node that is moved lets go and asks again within the grace time, so nothing is downloaded twice.
 */

import { abortable } from './abort.js';
import { load } from './index.js';

/** @import { Model } from './model.js' */
/** @import { Progress } from './source.js' */

/** How long a model without holders is kept, and how long a download goes on. */
const GRACE_MS = 3000;
const GRACE_LOADING_MS = 100;

/**
 * @typedef {object} Entry
 * @property {Promise<Model>} model
 * @property {boolean} loaded
 * @property {number} holders
 * @property {Set<(progress: Progress) => void>} listeners
 * @property {AbortController} stopper  gives up loading
 * @property {ReturnType<typeof setTimeout>} [timer]
 */

/**
 * @typedef {object} Hold
 * @property {Model} model
 * @property {() => void} release  lets go; a second call does nothing
 * @property {() => void} discard  lets go of a model that is of no use any more: the next one to ask gets a new one
 */

/** @type {Map<string, Entry>} */
const entries = new Map();

/**
 * Loads a model, or joins those who hold it already.
 *
 * @param {string} url  absolute
 * @param {{ onProgress?: (progress: Progress) => void, signal?: AbortSignal, workers?: number | 'auto' }} [options]  workers: as in
 *   load(), for the first one who asks
 * @returns {Promise<Hold>}
 */
export async function acquire(url, { onProgress, signal, workers } = {}) {
  signal?.throwIfAborted();
  const entry = entries.get(url) ?? begin(url, workers);
  clearTimeout(entry.timer);
  entry.holders++;
  if (onProgress) entry.listeners.add(onProgress);
  let holding = true;
  const release = () => {
    if (!holding) return;
    holding = false;
    if (onProgress) entry.listeners.delete(onProgress);
    if (--entry.holders > 0) return;
    entry.timer = setTimeout(() => end(url, entry), entry.loaded ? GRACE_MS : GRACE_LOADING_MS);
  };
  const discard = () => {
    if (entries.get(url) === entry) entries.delete(url);
    release();
  };
  try {
    return { model: await abortable(entry.model, signal), release, discard };
  } catch (error) {
    release();
    throw error;
  }
}

/** @param {string} url @param {number | 'auto'} [workers] */
function begin(url, workers) {
  const stopper = new AbortController();
  /** @type {Entry['listeners']} */
  const listeners = new Set();
  const model = load(url, {
    signal: stopper.signal,
    workers,
    onProgress: (progress) => {
      for (const listener of listeners) listener(progress);
    },
  });
  /** @type {Entry} */
  const entry = { model, loaded: false, holders: 0, listeners, stopper };
  entries.set(url, entry);
  // A failure is not kept: the next one to ask tries again.
  model.then(() => {
    entry.loaded = true;
  }, () => {
    if (entries.get(url) === entry) entries.delete(url);
  });
  return entry;
}

/**
 * @param {string} url
 * @param {Entry} entry
 */
function end(url, entry) {
  if (entries.get(url) === entry) entries.delete(url);
  entry.stopper.abort();
  entry.model.then((model) => model.close(), () => {});
}
