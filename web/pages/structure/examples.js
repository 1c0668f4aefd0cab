// SPDX-License-Identifier: MIT
// @ts-check

/**
 * An ambiguous sentence that many textbooks use, followed by sentences from the validation part of the treebank. In each sentence, if the
 * head of word `child` is pinned to word `head`, the heads of other words change. To find more such pins, run
 * `node weights/eval/kinds/head/head-pins.js validation.tsv`. Words are numbered from 1; 0 is the root.
 *
 * @type {{ text: string, child: number, head: number }[]}
 */
export const EXAMPLES = [
  { text: 'I saw the man with the telescope', child: 5, head: 2 },
  { text: 'I go Disco dancing and Cheerleading.', child: 4, head: 3 },
  { text: 'Phil if you could please make copies and distribute ASAP.', child: 4, head: 6 },
  { text: 'Was the iPhone the first Smart Phone?', child: 3, head: 0 },
  { text: 'Clean & tidy with good atmosphere & pleasant staff.', child: 4, head: 9 },
  { text: 'And what is their big / main meal of the day.', child: 8, head: 0 },
];

/** German sentences for the three networks that read characters. */
export const GERMAN = [
  'Ein Hund läuft durch den Schnee.',
  'Zwei Kinder spielen am Strand.',
  'Ein Mann spielt auf der Straße Gitarre.',
  'Ein kleines Mädchen in einem roten Kleid spielt mit einem Ball im Garten.',
];
