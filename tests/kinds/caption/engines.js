// SPDX-License-Identifier: MIT
// @ts-check

/** The plan of tests/engines for models of the `caption` kind (see tests/kinds/engines.js). This file also runs in pages, without Node. */

/** Plans no runs. tests/engines/pages.js compares captions on the pages, and tests/c compares a hash of captions. */
export const plan = () => undefined;
export const tasks = {};
