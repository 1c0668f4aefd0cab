// SPDX-License-Identifier: MIT
// @ts-check

import { takes } from '../ports.js';
import { Pictures } from './pictures.js';

/** @import { Fitting, Kind } from '../index.js' */

export const OPTIONS = { picture: ['PictureOptions', 'The options with which pictures are drawn.'] };

/** From nothing, or after rows that are known: not from a smaller picture. @param {Fitting} model */
const plain = ({ part }) => !takes(part, 'image');

/** Pictures, element by element. @type {Kind} */
export const kind = {
  name: 'picture',
  says: ({ tokenizerEntries }, number) => tokenizerEntries.length === 0 && Number(number('image.width')) > 0,
  verbs: {
    attention: { when: ({ part }) => part.maps.some(({ name }) => name === 'attention') },
    complete: { when: plain, settings: 'picture' },
    generate: { when: plain, settings: 'picture' },
    score: {},
    superResolve: { when: (model) => !plain(model), settings: 'picture' },
  },
  open: (engine) => new Pictures(engine),
};
