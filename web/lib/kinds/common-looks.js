// SPDX-License-Identifier: MIT
// @ts-check

/** Looks that several kinds share (looks.js explains what a look is). A kind's look.js uses one of these looks or overrides parts of it. */

import { fileAt, pictureAt } from './fetched.js';

/** @import { Ended, Look } from './looks.js' */

/** Maximum width and height of a picture. A test checks that this number equals NX_MAX_SIDE of src/layers/pictures.h. */
export const MAX_SIDE = 256;

/** Returns the sound of a run. @param {Ended} ended */
export const soundOf = async ({ run }) => ({ samples: await run.samples(), sampleRate: run.sampleRate });

/** The look for pictures. @type {Look} */
export const pictures = {
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

/** The look for sounds. @type {Look} */
export const sounds = {
  room: (number) => (!number('image.width') && number('sound.rate') ? { width: 0, height: 0 } : undefined),
  noun: 'The sound',
  sheet: true,
  doing: 'Drawing',
  done: ({ nats, to, sampleRate }) => [
    'Drawn: {seconds} s, {bits} bits a sample',
    { seconds: [to / sampleRate, 2], bits: [nats[0] / Math.max(to, 1) / Math.LN2, 1] },
  ],
  what: () => 'A sound',
  end: soundOf,
  // Without a speaker, some models end the sound of certain words immediately. The seed therefore also chooses a speaker.
  chosen: (verb, options, { speakers = [] }) => {
    if (verb !== 'generate' || options.speaker !== undefined || speakers.length === 0) return options;
    const { seed = Math.floor(Math.random() * 2 ** 32) } = options;
    return { ...options, seed, speaker: speakers[seed % speakers.length] };
  },
  fetch: (src, signal, element) => fileAt('sound', src, signal, element),
};
