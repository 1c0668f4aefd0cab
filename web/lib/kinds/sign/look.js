// SPDX-License-Identifier: MIT
// @ts-check

import { pictureAt } from '../fetched.js';

/** @import { Look } from '../looks.js' */

/** How the element shows classified pictures: see looks.js. @type {Look} */
export const look = {
  noun: 'The classification',
  sheet: true,
  doing: 'Naming',
  done: ({ nats }) => ['Named: {nats} nats', { nats: [nats[0], 1] }],
  what: () => 'A name',
  end: ({ run }) => ({ classification: run }),
  fetch: pictureAt,
};
