// SPDX-License-Identifier: MIT
// @ts-check

import { sounds } from '../common-looks.js';

/** @import { Look } from '../looks.js' */

/** Sounds by codes, as the element shows them. @type {Look} */
export const look = {
  ...sounds,
  done: ({ to, sampleRate }) => ['Drawn: {seconds} s', { seconds: [to / sampleRate, 2] }],
};
