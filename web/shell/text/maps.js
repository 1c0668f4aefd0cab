// SPDX-License-Identifier: MIT
// Means of maps of attention. No page here.
// @ts-check
/** @import { TranslationStep } from '../index.js' */

/** A layer and a head, -1: the mean of all. @typedef {{ layer: number, head: number }} Choice */

/**
 * The mean of the rows of the heads that are chosen.
 * @param {Float32Array[]} rows layer * heads + head
 * @param {number} heads
 * @param {Choice} choice
 */
export function meanOf(rows, heads, { layer, head }) {
  const some = rows.filter((_, i) => (layer < 0 || Math.floor(i / heads) === layer) && (head < 0 || i % heads === head));
  return Float32Array.from(some[0] ?? [], (_, i) => some.reduce((sum, row) => sum + row[i], 0) / some.length);
}

/** The maps of a step by their name, a row for every head. @param {TranslationStep} step @param {'source' | 'attention'} name */
export const rowsOf = (step, name) => (step.maps ?? []).filter((map) => map.name === name).map(({ weights }) => weights);
