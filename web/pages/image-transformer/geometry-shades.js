// SPDX-License-Identifier: MIT
// The strengths at which a picture shows what a query sees and what it does not. A file of its own, for the tests read it without a page.
// @ts-check

/** How strongly a visible pixel is tinted. */
export const TINT = 0.24;
/** How much is left of a pixel that was drawn before the query and is not visible to it; and of one drawn after it. */
export const FORGOTTEN = 0.42;
export const LATER = 0.18;
