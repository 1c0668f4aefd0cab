// SPDX-License-Identifier: MIT
// @ts-check

/** Test cases for the `chat` page, for the tests in tests/browser that cover every page (see tests/pages/browser.js). */

export const ownFile = 'chat.test.js opens files';
