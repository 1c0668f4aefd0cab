// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Sentences from the validation part of the treebank. In each sentence, if the word at index `word` is pinned to the tag `tag`, all three
 * models change the tag of another word. `node weights/eval/kinds/tag/pins.js validation.tsv` lists the sentences, words and tags for which
 * this happens.
 *
 * @type {{ text: string, word: number, tag: string }[]}
 */
export const EXAMPLES = [
  { text: 'Beautiful work, fast shipping and great communication.', word: 4, tag: 'VERB' },
  { text: 'My old bed got tossed in a dumpster.', word: 4, tag: 'ADJ' },
  { text: 'Pleasure to work with.', word: 1, tag: 'ADP' },
  { text: 'Lied right to my face then denied it.', word: 0, tag: 'ADJ' },
  { text: 'No meat on Burger and too much pepper.', word: 7, tag: 'ADJ' },
];
