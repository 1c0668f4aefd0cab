// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Entry of the worker, a module worker in browsers and a worker thread in Node: one model, the messages of protocol.js.
 */

import { deferred, listenInWorker } from './base/platform.js';
import { Tasks } from './engine/tasks.js';

const post = listenInWorker((message) => tasks.receive(message));
const tasks = new Tasks(post, deferred);
