// SPDX-License-Identifier: MIT
// @ts-check

/** The plan of tests/engines for models of the `head` kind (see tests/kinds/engines.js). This file also runs in pages, without Node. */

/** @import { Plan } from '../engines.js' */

/**
 * Compares only the bytes of the file: parses are compared on their page (tests/engines/pages.js) and, in C, by a hash (tests/c).
 *
 * @type {Plan}
 */
export const plan = () => [];
export const tasks = {};
