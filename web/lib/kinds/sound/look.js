// SPDX-License-Identifier: MIT
// @ts-check

import { fileAt } from '../fetched.js';

/** @import { Look } from '../looks.js' */

/** Sounds, as the element shows them. @type {Look} */
export const look = {
  room: (number) => (!number('image.width') && number('sound.rate') ? { width: 0, height: 0 } : undefined),
  noun: 'The sound',
  sheet: true,
  doing: 'Drawing',
  done: ({ nats, to, sampleRate }) => ['Drawn: {seconds} s, {bits} bits a sample', { seconds: [to / sampleRate, 2], bits: [nats[0] / Math.max(to, 1) / Math.LN2, 1] }],
  what: () => 'A sound',
  // Without a voice some words end at once: one of them speaks, by the seed.
  chosen: (verb, options, { speakers = [] }) => {
    if (verb !== 'generate' || options.speaker !== undefined || speakers.length === 0) return options;
    const { seed = Math.floor(Math.random() * 2 ** 32) } = options;
    return { ...options, seed, speaker: speakers[seed % speakers.length] };
  },
  fetch: (src, signal, element) => fileAt('sound', src, signal, element),
};
