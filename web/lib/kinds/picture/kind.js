// SPDX-License-Identifier: MIT
// @ts-check

import { pictureInfo } from '../../media/codec.js';
import { hasPictures, takes } from '../ports.js';
import { PictureModel } from './pictures.js';

/** @import { Fitting, Kind } from '../index.js' */

/**
 * The names of the types that belong to this kind: the model class (`model`), the type of a model's `info` (`info`), the types of steps and
 * results (`steps`), and all others (`others`). The manual's reference shows these types under `heading`.
 */
export const TYPES = {
  heading: 'Pictures',
  model: 'PictureModel',
  info: 'PictureInfo',
  steps: ['PictureStep'],
  others: ['PictureRun', 'SavedPicture', 'PictureScore', 'ImageSource'],
};

/**
 * The demo pages for models of this kind. Each key is the name of the kind, or the name of a method that the model must have, such as
 * "translate". The first key that fits the opened model is used. Each value has two strings: a sentence about the page, in which {} is
 * replaced by the file's name, and a suggestion of what to try.
 */
export const PAGES = {
  superResolve: [
    '{} enlarges pictures: the page on colour pictures has models of this kind.',
    'Try: choose a picture that it was not trained on, and see it enlarged.',
  ],
  complete: [
    '{} draws pictures: the pages on pictures have models of this kind.',
    'Try: let it complete a picture that it was not trained on, then draw some from nothing.',
  ],
};

export const OPTIONS = { picture: ['PictureOptions', 'The options for drawing pictures.'] };

/**
 * Returns whether the model can draw a picture without any input, or the rest of a picture whose first rows are known. Other models enlarge
 * a smaller picture.
 * @param {Fitting} model
 */
const plain = ({ part }) => !takes(part, 'image');

/** Models that draw a picture element by element. @type {Kind} */
export const kind = {
  name: 'picture',
  says: hasPictures,
  info: pictureInfo,
  verbs: {
    attention: {
      names: ['row', 'column', 'channel', 'label', 'input', 'signal'],
      when: ({ part }) => part.maps.some(({ name }) => name === 'attention'),
    },
    complete: { when: plain, settings: 'picture', names: ['rows'] },
    generate: { when: plain, settings: 'picture' },
    score: { names: ['label', 'input', 'hiddenStates', 'signal'] },
    superResolve: { when: (model) => !plain(model), settings: 'picture' },
  },
  open: (engine) => new PictureModel(engine),
};
