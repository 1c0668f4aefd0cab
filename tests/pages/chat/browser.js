// SPDX-License-Identifier: MIT
// @ts-check

/** Rows of the page chat for the sweeps in tests/browser (tests/pages/browser.js documents them). */

export const ownFile = 'chat.test.js opens files';
