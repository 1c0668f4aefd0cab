// SPDX-License-Identifier: MIT
// @ts-check

import { sounds } from '../common-looks.js';

/** @import { Look } from '../looks.js' */

/** Sounds as codes in the element. @type {Look} */
export const look = {
  ...sounds,
  done: ({ to, sampleRate }) => ['Drawn: {seconds} s', { seconds: [to / sampleRate, 2] }],
};
