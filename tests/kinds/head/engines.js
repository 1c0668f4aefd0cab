// SPDX-License-Identifier: MIT
// @ts-check

/** The plan of tests/engines for models of the `head` kind (see tests/kinds/engines.js). This file also runs in pages, without Node. */

/** @import { Plan } from '../engines.js' */

/**
 * Compares only the bytes of the file. tests/engines/pages.js compares the parses on the page "structure".
 *
 * @type {Plan}
 */
export const plan = () => [];
export const tasks = {};
