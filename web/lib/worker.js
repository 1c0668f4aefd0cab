// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Entry point of the worker, which is a module worker in browsers and a worker thread in Node. The worker holds one model and handles the
 * messages of protocol.js.
 */

import { deferred, listenInWorker } from './base/platform.js';
import { Jobs } from './engine/jobs.js';

const post = listenInWorker((message) => jobs.receive(message));
const jobs = new Jobs(post, deferred);
