// SPDX-License-Identifier: MIT
// @ts-check

/** The runs of the kind caption for tests/engines (tests/kinds/engines.js documents them). This file also runs in pages, without Node. */

/** Captions are compared on their page (tests/engines/pages.js) and, in C, by a hash (tests/c). */
export const plan = () => undefined;
export const tasks = {};
