// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Defines runs of models of the kind caption; tests/engines checks that their results are the same in every engine and build (see
 * tests/kinds/engines.js). This file also runs in pages, without Node.
 */

/** No runs: captions are compared on their page (tests/engines/pages.js) and, in C, by a hash (tests/c). */
export const plan = () => undefined;
export const tasks = {};
