// SPDX-License-Identifier: MIT
// @ts-check

/** The plan of tests/engines for models of the `caption` kind (see tests/kinds/engines.js). This file also runs in pages, without Node. */

/** No runs: captions are compared on their page (tests/engines/pages.js) and, in C, by a hash (tests/c). */
export const plan = () => undefined;
export const tasks = {};
