// SPDX-License-Identifier: MIT
// @ts-check

import { soundOf } from '../common-looks.js';
import { fileAt } from '../fetched.js';

/** @import { Look } from '../looks.js' */

/** How the element shows music: see looks.js. @type {Look} */
export const look = {
  room: (number) => (number('notes.ticks') ? { width: 0, height: 0 } : undefined),
  noun: 'The music',
  sheet: true,
  doing: 'Drawing',
  done: ({ nats }) => ['Drawn: {nats} nats', { nats: [nats, 1] }],
  what: () => 'Music',
  end: async (ended) => ({ ...(await soundOf(ended)), notes: await ended.run.notes() }),
  fetch: (src, signal, element) => fileAt('music', src, signal, element),
};
