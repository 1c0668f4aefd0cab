// SPDX-License-Identifier: MIT
// @ts-check

/** The runs of the kind head for tests/engines (tests/kinds/engines.js documents them). This file also runs in pages, without Node. */

/** @import { Plan } from '../engines.js' */

/** Only the bytes of the file: parses are compared on their page (tests/engines/pages.js) and, in C, by a hash (tests/c). @type {Plan} */
export const plan = () => [];
export const tasks = {};
