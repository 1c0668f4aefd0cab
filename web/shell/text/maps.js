// SPDX-License-Identifier: MIT
// Means of attention maps. Independent of the page.
// @ts-check
/** @import { AttentionMap, TranslationStep } from '../index.js' */

/** A layer and a head, -1: the mean of all. @typedef {{ layer: number, head: number }} Choice */

/** Tells whether a map is of the chosen head and layer. @param {Choice} choice @returns {(map: AttentionMap) => boolean} */
const chosen = (choice) => (map) => (choice.layer < 0 || map.layer === choice.layer) && (choice.head < 0 || map.head === choice.head);

/**
 * The mean of the weights of the selected heads.
 * @param {AttentionMap[]} maps with the same queries and keys
 * @param {Choice} [choice] default: all
 */
export function meanOf(maps, choice = { layer: -1, head: -1 }) {
  const some = maps.filter(chosen(choice));
  return Float32Array.from(some[0]?.weights ?? [], (_, i) => some.reduce((sum, { weights }) => sum + weights[i], 0) / some.length);
}

/** Returns the maps of a step by their name, one for every head. @param {TranslationStep} step @param {'source' | 'attention'} name */
export const mapsOf = (step, name) => (step.maps ?? []).filter((map) => map.name === name);
