// SPDX-License-Identifier: MIT
// @ts-check

/** Test cases for the `chat` page, used by the tests in tests/browser that cover all pages (see tests/pages/browser.js). */

export const ownFile = 'chat.test.js opens files';
