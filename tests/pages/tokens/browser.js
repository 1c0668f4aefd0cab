// SPDX-License-Identifier: MIT
// @ts-check

/** Rows of the page tokens for the sweeps in tests/browser (tests/pages/browser.js documents them). */

export const ownFile = 'tokens.test.js opens files';
