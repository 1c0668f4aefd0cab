// SPDX-License-Identifier: MIT
// @ts-check

import { sizeInfo } from '../../media/codec.js';
import { TEXT } from '../ends.js';
import { takes } from '../ports.js';

/** @import { Kind } from '../index.js' */

/**
 * The names of the types that belong to this kind: the model class (`model`), the type of a model's `info` (`info`), the types of steps and
 * results (`steps`), and all others (`others`). The manual's reference shows these types under `heading`. `ends` lists the properties of
 * the nx-end event for runs of this kind.
 */
export const TYPES = {
  heading: 'Captions',
  model: 'CaptionModel',
  info: 'CaptionInfo',
  steps: ['CaptionStep'],
  others: ['CaptionRun', 'SavedCaption', 'CaptionSheetOptions', 'CaptionScore'],
  ends: TEXT,
};

/**
 * The demo pages for models of this kind. Each key is the name of the kind, or the name of a method that the model must have, such as
 * "translate". The first key that fits the opened model is used. Each value has two strings: a sentence about the page, in which {} is
 * replaced by the file's name, and a suggestion of what to try.
 */
export const PAGES = {
  caption: [
    '{} captions pictures: the page “Show, attend, tell” has models of this kind.',
    'Try: choose a picture that it was not trained on.',
  ],
};

export const OPTIONS = {
  caption: [
    'CaptionOptions',
    'The options for drawing captions. By default, each step takes the most probable word and attends to the most probable location.',
  ],
};

/** Models that describe a picture with words from the file's list. @type {Kind} */
export const kind = {
  name: 'caption',
  over: ['picture'],
  says: ({ parts, metadata }) =>
    parts.some((part) => takes(part, 'image')) && Array.isArray(metadata.get(`${metadata.get('general.architecture')}.words`)),
  info: sizeInfo,
  verbs: { caption: { settings: 'caption' }, score: { names: ['text', 'signal'] } },
  open: async (engine, facts) => new (await import('./captions.js')).CaptionModel(engine, facts),
};
