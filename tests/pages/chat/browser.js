// SPDX-License-Identifier: MIT
// @ts-check

/** Test cases for the `chat` page. Tests in tests/browser that cover every page run these cases (see tests/pages/browser.js). */

export const ownFile = 'chat.test.js opens files';
