// SPDX-License-Identifier: MIT
// @ts-check

import { show } from '../../base/checks.js';
import { argumentError } from '../../base/error.js';

/** @import { Label } from '../../base/checks.js' */

/**
 * @param {Label} speaker
 * @param {string[]} speakers
 * @returns {number} its index, or -1 for none
 */
export function voiceOf(speaker, speakers) {
  if (speaker === undefined || speaker === null) return -1;
  if (speakers.length === 0) throw argumentError('This model knows no speakers: leave speaker out');
  const index = typeof speaker === 'string' ? speakers.indexOf(speaker) : speaker;
  if (Number.isInteger(index) && index >= 0 && index < speakers.length) return index;
  throw argumentError(`speaker must be one of ${speakers.join(', ')}, or an index from 0 to ${speakers.length - 1}, not ${show(speaker)}`);
}
