// SPDX-License-Identifier: MIT
// @ts-check

import { CACHE_NAME } from './cache-name.js';

/** Deletes the cached copy of a file. @param {string} url */
export async function dropCopy(url) {
  await (await caches.open(CACHE_NAME)).delete(url);
}
