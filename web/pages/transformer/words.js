// SPDX-License-Identifier: MIT
// Words of sentences, and means of maps.
// @ts-check
/** @import { SourceLook, TranslateStep } from '../../shell/index.js' */

/** A token by itself, for people: its end has a sign. @param {string} text */
export const visible = (text) => (text === '' ? '⏎' : text.replaceAll(' ', '␣'));

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

/** What a step looked at. @param {TranslateStep} step @param {'source' | 'attention'} name */
export const rowsOf = (step, name) => (step.maps ?? []).filter((look) => look.name === name).map(({ weights }) => weights);

/**
 * The tokens of a sentence with its words in another order: never the same, where there are two that differ. Its end stays at the end.
 * @param {Uint32Array} tokens with their end
 * @param {string[]} words texts of the tokens
 * @param {() => number} [random]
 * @returns {{ tokens: number[], text: string }}
 */
export function shuffled(tokens, words, random = Math.random) {
  /** @type {{ tokens: number[], text: string }[]} */
  const groups = [];
  words.slice(0, -1).forEach((text, i) => {
    const last = groups[groups.length - 1];
    if (last && !/^\s/.test(text)) {
      last.tokens.push(tokens[i]);
      last.text += text;
    } else {
      groups.push({ tokens: [tokens[i]], text });
    }
  });
  let order = groups;
  for (let tries = 0; tries < 20 && order.every(({ text }, i) => text === groups[i].text); tries++) {
    order = groups.map((group) => ({ group, at: random() })).sort((a, b) => a.at - b.at).map(({ group }) => group);
  }
  return { tokens: [...order.flatMap((group) => group.tokens), tokens[tokens.length - 1]], text: order.map(({ text }) => text.trim()).join(' ') };
}
