// SPDX-License-Identifier: MIT
// @ts-check

/** @import { Look } from '../looks.js' */

/** Describes how the <next-pixel> element shows texts. @type {Look} */
export const look = {
  room: (number) => (!number('image.width') && number('context_length') ? { width: 0, height: 0 } : undefined),
  noun: 'The text',
  sheet: true,
  doing: 'Writing',
  done: ({ nats, steps }) => ['Written: {count} tokens, {nats} nats', { count: [steps, 0], nats: [nats[0], 1] }],
  what: () => 'A text',
  end: ({ text }) => ({ text }),
  made: { generate: 'A text written' },
};
