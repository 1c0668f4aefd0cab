// SPDX-License-Identifier: MIT
// Sentences to begin with, in each of which a verb or what belongs to it moves, and what the shipped model makes of them with any number of beams: a
// test holds it to that.
// @ts-check

/** @type {Record<string, string>} */
export const EXAMPLES = {
  'Viele Menschen sehen zu, wie ein Mann auf der Straße Gitarre spielt.': 'Many people watch as a man plays guitar on the street.',
  'Ein Mann, der einen roten Hut trägt, spielt auf der Straße Gitarre.': 'A man wearing a red hat is playing a guitar on the street.',
  'Ein kleines Mädchen, das ein rosa Kleid trägt, spielt im Sand.': 'A little girl wearing a pink dress is playing in the sand.',
  'Eine Frau versucht, ihren Hund zu fangen.': 'A woman tries to catch her dog.',
};
