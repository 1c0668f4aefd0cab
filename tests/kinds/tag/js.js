// SPDX-License-Identifier: MIT
// @ts-check

/** Rows of the kind tag for the sweeps in tests/js (tests/kinds/js.js documents them). */

export const verbs = 'its verb draws nothing';
export const lists = 'its verb draws nothing';
