// SPDX-License-Identifier: MIT
// @ts-check

import { pictureAt } from '../fetched.js';

/** @import { Look } from '../looks.js' */

/** NX_MAX_SIDE of src/layers/pictures.h: a test compares. */
export const MAX_SIDE = 256;

/** Pictures, as the element shows them. @type {Look} */
export const look = {
  room: (number) => {
    const [width = 0, height = 0] = [number('image.width'), number('image.height')];
    return width && height && Math.max(width, height) <= MAX_SIDE ? { width, height } : undefined;
  },
  noun: 'The picture',
  sheet: false,
  doing: 'Drawing',
  done: ({ nats }) => ['Drawn: {nats} nats', { nats: [nats, 1] }],
  what: (samples) => (samples === 1 ? 'A picture' : ['{count} pictures', { count: [samples, 0] }]),
  fetch: pictureAt,
};
