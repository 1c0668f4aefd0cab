// SPDX-License-Identifier: MIT
// Defines how strongly a picture shows the positions that a query sees and the positions that it does not see. The values are in a separate
// file, so that the tests can read them without a page.
// @ts-check

/** Strength of the tint of a visible pixel. */
export const TINT = 0.24;
/** FORGOTTEN: opacity of drawn pixels that the query does not see. LATER: opacity of pixels that are drawn after the pixel of the query. */
export const FORGOTTEN = 0.42;
export const LATER = 0.18;
