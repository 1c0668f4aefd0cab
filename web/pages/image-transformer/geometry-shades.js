// SPDX-License-Identifier: MIT
// How strongly a picture shows the positions that a query sees and those that it does not see. The values are in a separate file, because
// the tests read them without a page.
// @ts-check

/** Strength of the tint of a visible pixel. */
export const TINT = 0.24;
/** Opacity of drawn pixels that the query does not see, and of pixels that are drawn later. */
export const FORGOTTEN = 0.42;
export const LATER = 0.18;
