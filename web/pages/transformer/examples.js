// SPDX-License-Identifier: MIT
// Example sentences, each with the shipped model's translation for each number of beams. A test checks the translations. In each sentence,
// a verb or its complement moves to another position when the sentence is translated.
// @ts-check

/** @type {Record<string, string>} */
export const EXAMPLES = {
  'Ein kleines Mädchen, das ein rosa Kleid trägt, spielt im Sand.': 'A little girl wearing a pink dress is playing in the sand.',
  'Meine Mutter hat das Brot gebacken.': 'My mother baked the bread.',
  'Warum hast du mich nicht angerufen?': "Why didn't you call me?",
  'Eine Frau versucht, ihren Hund zu fangen.': 'A woman tries to catch her dog.',
};
