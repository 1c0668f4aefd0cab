// SPDX-License-Identifier: MIT
// @ts-check

/** @import { Look } from '../looks.js' */

/** The element's look for heads of words. @type {Look} */
export const look = {
  noun: 'The parse',
  sheet: true,
  doing: 'Parsing',
  done: ({ nats }) => ['Parsed: {nats} nats', { nats: [nats[0], 1] }],
  what: () => 'Words and their heads',
  end: ({ run, step = run }) => ({ parse: step }),
};
