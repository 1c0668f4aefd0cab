// SPDX-License-Identifier: MIT
// @ts-check

import { sounds } from '../common-looks.js';

/** @import { Look } from '../looks.js' */

/** How the element shows sounds that are drawn as codes: see looks.js. @type {Look} */
export const look = {
  ...sounds,
  done: ({ to, sampleRate }) => ['Drawn: {seconds} s', { seconds: [to / sampleRate, 2] }],
};
