// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Returns whether a key belongs to a composition, as for Korean, Japanese, Chinese or an accent. Enter then accepts the composed text, and
 * Escape drops it. Safari reports the Enter that ends a composition only afterwards, with isComposing false and keyCode 229.
 *
 * @param {KeyboardEvent} event
 */
export const composing = ({ isComposing, keyCode }) => isComposing || keyCode === 229;
