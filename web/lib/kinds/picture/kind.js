// SPDX-License-Identifier: MIT
// @ts-check

import { pictureAt } from '../fetched.js';
import { takes } from '../ports.js';
import { Pictures } from './pictures.js';

/** @import { Fitting, Kind } from '../index.js' */

export const OPTIONS = { pictures: ['DrawOptions', 'The options with which pictures are drawn.'] };

/** NX_MAX_SIDE of src/models/image.h. */
const MAX_SIDE = 256;

/** From nothing, or after rows that are known: not from a smaller picture. @param {Fitting} model */
const plain = ({ part }) => !takes(part, 'image');

/** Pictures, element by element. @type {Kind} */
export const kind = {
  name: 'picture',
  says: ({ tokenizerEntries }, number) => tokenizerEntries.length === 0 && Number(number('image.width')) > 0,
  verbs: {
    attention: { when: ({ part }) => part.maps.some(({ name }) => name === 'attention') },
    complete: { when: plain, settings: 'pictures' },
    generate: { when: plain, settings: 'pictures' },
    score: {},
    superResolve: { when: (model) => !plain(model), settings: 'pictures' },
  },
  open: (engine) => new Pictures(engine),
  room: (number) => {
    const [width = 0, height = 0] = [number('image.width'), number('image.height')];
    return width && height && Math.max(width, height) <= MAX_SIDE ? { width, height } : undefined;
  },
  sheet: false,
  doing: 'Drawing',
  done: ({ nats }) => (nats.some(Boolean) ? ['Drawn: {nats} nats', { nats: [nats, 1] }] : 'Drawn'), // pictures at once have no probability
  what: (samples) => (samples === 1 ? 'A picture' : ['{count} pictures', { count: [samples, 0] }]),
  fetch: pictureAt,
};
