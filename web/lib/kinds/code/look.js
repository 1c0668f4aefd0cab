// SPDX-License-Identifier: MIT
// @ts-check

import { sounds } from '../common-looks.js';

/** @import { Look } from '../looks.js' */

/** The element's look for sounds that are drawn as codes. @type {Look} */
export const look = {
  ...sounds,
  done: ({ to, sampleRate }) => ['Drawn: {seconds} s', { seconds: [to / sampleRate, 2] }],
};
