// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Defines what tests/engines compares between engines and builds for models of the `caption` kind (see tests/kinds/engines.js). This file
 * also runs in pages, without Node.
 */

/** No runs: captions are compared on their page (tests/engines/pages.js) and, in C, by a hash (tests/c). */
export const plan = () => undefined;
export const tasks = {};
