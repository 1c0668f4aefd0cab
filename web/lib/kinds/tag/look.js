// SPDX-License-Identifier: MIT
// @ts-check

/** @import { Look } from '../looks.js' */

/** Describes how the <next-pixel> element shows tagged words. @type {Look} */
export const look = {
  noun: 'The tagging',
  sheet: true,
  doing: 'Tagging',
  done: ({ nats }) => ['Tagged: {nats} nats', { nats: [nats[0], 1] }],
  what: () => 'Tags of words',
  end: ({ run, step = run }) => ({ tagging: step }),
};
