// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Defines runs of models of the kind head; tests/engines checks that their results are the same in every engine and build (see
 * tests/kinds/engines.js). This file also runs in pages, without Node.
 */

/** @import { Plan } from '../engines.js' */

/**
 * Compares only the bytes of the file: parses are compared on their page (tests/engines/pages.js) and, in C, by a hash (tests/c).
 *
 * @type {Plan}
 */
export const plan = () => [];
export const tasks = {};
