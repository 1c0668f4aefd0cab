// SPDX-License-Identifier: MIT
// Computes means of attention maps. This file does not use the DOM.
// @ts-check
/** @import { AttentionMap, TranslationStep } from '../index.js' */

/** A layer and a head; -1 means the mean over all layers or all heads. @typedef {{ layer: number, head: number }} Choice */

/**
 * Returns a function that tests whether a map belongs to the selected head and layer.
 *
 * @param {Choice} choice
 * @returns {(map: AttentionMap) => boolean}
 */
const chosen = (choice) => (map) => (choice.layer < 0 || map.layer === choice.layer) && (choice.head < 0 || map.head === choice.head);

/**
 * Returns the mean attention weights of the selected heads.
 * @param {AttentionMap[]} maps maps with the same queries and keys
 * @param {Choice} [choice] default: all
 */
export function meanOf(maps, choice = { layer: -1, head: -1 }) {
  const some = maps.filter(chosen(choice));
  return Float32Array.from(some[0]?.weights ?? [], (_, i) => some.reduce((sum, { weights }) => sum + weights[i], 0) / some.length);
}

/**
 * Selects the attention maps of a step by name.
 * @param {TranslationStep} step
 * @param {'source' | 'attention'} name
 */
export const mapsOf = (step, name) => (step.maps ?? []).filter((map) => map.name === name);
