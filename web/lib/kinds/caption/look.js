// SPDX-License-Identifier: MIT
// @ts-check

import { pictureAt } from '../fetched.js';

/** @import { Look } from '../looks.js' */

/** How the element shows captions: see looks.js. @type {Look} */
export const look = {
  noun: 'The caption',
  sheet: true,
  doing: 'Looking',
  done: ({ nats, steps }) => ['Said: {count} words, {nats} nats', { count: [steps, 0], nats: [nats[0], 1] }],
  what: () => 'A caption',
  end: ({ text }) => ({ text }),
  fetch: pictureAt,
};
