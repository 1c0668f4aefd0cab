// SPDX-License-Identifier: MIT
// @ts-check

import { look as sound } from '../sound/look.js';

/** @import { Look } from '../looks.js' */

/** Sounds by codes, as the element shows them. @type {Look} */
export const look = {
  ...sound,
  done: ({ to, sampleRate }) => ['Drawn: {seconds} s', { seconds: [to / sampleRate, 2] }],
};
