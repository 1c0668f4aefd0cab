// SPDX-License-Identifier: MIT
// @ts-check

/** Contains the code that recovers from failed downloads and workers. load() fetches this file before anything can fail. */

export { refetch } from './load/refetch.js';
export { resume } from './load/resume-download.js';
export { restore } from './model/restore.js';
export { startFallback } from './workers/worker-fallback.js';
