// SPDX-License-Identifier: MIT
// @ts-check

/** @import { Look } from '../looks.js' */

/** How the element shows heads of words: see looks.js. @type {Look} */
export const look = {
  noun: 'The parse',
  sheet: true,
  doing: 'Parsing',
  done: ({ nats }) => ['Parsed: {nats} nats', { nats: [nats[0], 1] }],
  what: () => 'Words and their heads',
  end: ({ run, step = run }) => ({ parse: step }),
};
