// SPDX-License-Identifier: MIT
// @ts-check

import { TEXT } from '../ends.js';
import { reads } from '../ports.js';

/** @import { Fitting, Kind } from '../index.js' */

/**
 * The names of the types that belong to this kind: the model class (`model`), the type of a model's `info` (`info`), the types of steps and
 * results (`steps`), and all others (`others`). The manual's reference shows these types under `heading`. `ends` lists the properties of
 * the nx-end event for runs of this kind.
 */
export const TYPES = {
  heading: 'Texts',
  model: 'TextModel',
  info: 'TextInfo',
  steps: ['TextStep', 'TranslationStep'],
  others: [
    'TextRun',
    'Alternative',
    'SavedText',
    'TextScore',
    'TranslationRun',
    'SavedTranslation',
    'SearchStep',
    'Hypothesis',
    'Message',
    'ChatOptions',
    'Constraint',
  ],
  ends: TEXT,
};

/**
 * The demo pages for models of this kind. Each key is the name of the kind, or the name of a method that the model must have, such as
 * "translate". The first key that fits the opened model is used. Each value has two strings: a sentence about the page, in which {} is
 * replaced by the file's name, and a suggestion of what to try.
 */
export const PAGES = {
  translate: [
    '{} translates: the page on the Transformer has models of this kind.',
    'Try: translate a sentence like those that it was trained on.',
  ],
  text: [
    '{} writes text: the page on tokens has models of this kind.',
    'Try: begin a text like the training texts, and lower the temperature.',
  ],
};

export const OPTIONS = {
  text: [
    'TextOptions',
    'The options of texts. They apply in this order: biases and penalties change the probabilities; top-k, typical, top-p and min-p each ' +
      'drop some tokens; the temperature sharpens or flattens the remaining distribution; one token is drawn.',
  ],
  translation: ['TranslationOptions', 'The options of translations. By default, each step takes the most probable token.'],
};

/** Number of bytes at the beginning of a file in which to look for the first key of the vocabulary. */
const HINT_BYTES = 4096;

/** @param {Fitting} model */
const writes = ({ part }) => !reads(part);

/** Models that write a text token by token: stories, answers, translations. @type {Kind} */
export const kind = {
  name: 'text',
  last: true,
  says: ({ tokenizerEntries }, number) => tokenizerEntries.length > 0 || Number(number('context_length')) > 0,
  verbs: {
    attention: { names: ['source', 'signal'] },
    chat: { later: true, when: writes, settings: 'text', names: ['template', 'tools', 'variables', 'render'] },
    generate: { before: 1, when: writes, settings: 'text' },
    score: { names: ['source', 'hiddenStates', 'signal'] },
    translate: { when: (model) => !writes(model), settings: 'translation' },
  },
  // Makes the tokenizer if `head`, the beginning of the file, contains the whole vocabulary. For any other file, the tokenizer is made from
  // the metadata that the engine returns, and errors are reported then.
  early: async (head, signal) =>
    new TextDecoder('latin1').decode(head.subarray(0, HINT_BYTES)).includes('tokenizer.')
      ? (await import('./texts.js')).tokenizerOf(head, signal).catch(() => undefined)
      : undefined,
  open: async (engine, facts, tokenizer, signal) => (await import('./texts.js')).TextModel.of(engine, facts, tokenizer, signal),
};
