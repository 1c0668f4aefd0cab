// SPDX-License-Identifier: MIT
// @ts-check

import { sizeInfo } from '../../media/codec.js';
import { TEXT } from '../ends.js';
import { takes } from '../ports.js';

/** @import { Kind } from '../index.js' */

/**
 * The names of this kind's types: the class of its models, its `info`, its steps or results, and other types; also the properties of the
 * nx-end event that this kind defines.
 */
export const TYPES = {
  model: 'CaptionModel',
  info: 'CaptionInfo',
  steps: ['CaptionStep'],
  others: ['CaptionRun', 'SavedCaption', 'CaptionSheetOptions', 'CaptionScore'],
  ends: TEXT,
};

/**
 * The demo pages that show models of this kind. A key is a verb that the model must have, such as "translate", or the name of the kind;
 * the first key that fits the opened model is used. A value is a pair: a sentence about the page, in which {} stands for the file's name,
 * and a suggestion of what to try.
 */
export const PAGES = {
  caption: ['{} captions pictures: the page Show, attend, tell shows such models.', 'Try: choose a picture that it was not trained on.'],
};

export const OPTIONS = {
  caption: [
    'CaptionOptions',
    'The options of captions. By default, each step takes the most probable word and attends to the most probable location.',
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
