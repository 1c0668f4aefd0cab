// SPDX-License-Identifier: MIT
// Example sentences, from short to long. In each sentence, the verb is not at the position where English would have it.
// @ts-check

export const EXAMPLES = [
  'Ein Mann, der einen roten Hut trägt, spielt auf der Straße Gitarre.',
  'Ein Hund läuft durch den Schnee.',
  'Zwei Kinder spielen am Strand mit einem Ball.',
  'Viele Menschen sehen zu, wie ein Mann auf der Straße Gitarre spielt.',
  'Eine Frau in einem blauen Kleid und ein Mann mit einem weißen Hemd gehen mit ihrem kleinen Hund in einem Park spazieren.',
];
