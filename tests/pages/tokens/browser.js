// SPDX-License-Identifier: MIT
// @ts-check

/** Test cases for the `tokens` page. Tests in tests/browser that cover every page run these cases (see tests/pages/browser.js). */

export const ownFile = 'tokens.test.js opens files';
