// SPDX-License-Identifier: MIT
// Puts the words of a sentence in another order. This file does not use the DOM.
// @ts-check

/**
 * Returns the tokens of the sentence with its words shuffled. The new order differs from the original if the sentence has at least two
 * different words. The end token stays last.
 * @param {Uint32Array} tokens tokens of the sentence, including the end token
 * @param {string[]} words text of each token
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
    order = groups
      .map((group) => ({ group, at: random() }))
      .sort((a, b) => a.at - b.at)
      .map(({ group }) => group);
  }
  return {
    tokens: [...order.flatMap((group) => group.tokens), tokens[tokens.length - 1]],
    text: order.map(({ text }) => text.trim()).join(' '),
  };
}
