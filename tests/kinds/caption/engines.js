// SPDX-License-Identifier: MIT
// @ts-check

/** The plan of tests/engines for models of the `caption` kind (see tests/kinds/engines.js). This file also runs in pages, without Node. */

/** Plans no runs. tests/engines/pages.js compares the captions on the page "captions". */
export const plan = () => undefined;
export const tasks = {};
