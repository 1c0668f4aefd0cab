// SPDX-License-Identifier: MIT
// The strengths at which a picture shows the positions that a query sees and those that the query does not see. They are in a separate
// file, because the tests read it without a page.
// @ts-check

/** How strongly a visible pixel is tinted. */
export const TINT = 0.24;
/** Opacity of a drawn pixel that is not visible to the query, and of a pixel drawn later. */
export const FORGOTTEN = 0.42;
export const LATER = 0.18;
