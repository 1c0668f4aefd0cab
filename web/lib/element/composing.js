// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Returns whether a key belongs to the composition of characters by an input method, for example of Korean, Japanese or Chinese characters
 * or of accented letters. Enter then accepts the composed text, and Escape drops it. Safari reports the Enter that ends a composition only
 * after the composition has ended, with isComposing false and keyCode 229.
 *
 * @param {KeyboardEvent} event
 */
export const composing = ({ isComposing, keyCode }) => isComposing || keyCode === 229;
