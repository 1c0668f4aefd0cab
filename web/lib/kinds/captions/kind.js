// SPDX-License-Identifier: MIT
// @ts-check

import { pictureAt } from '../fetched.js';
import { takes } from '../ports.js';

/** @import { Kind } from '../index.js' */

export const OPTIONS = {
  captions: ['CaptionOptions', 'The options with which it is said what a picture shows: by default the most probable word at every step, seen at the most probable place.'],
};

/** A picture in words, which the file lists. @type {Kind} */
export const kind = {
  name: 'captions',
  says: ({ parts, metadata }) => takes(parts[0], 'image') && Array.isArray(metadata.get(`${metadata.get('general.architecture')}.words`)),
  verbs: { caption: { settings: 'captions' }, score: {} },
  open: async (engine, facts) => new (await import('./captions.js')).CaptionModel(engine, facts),
  tokens: true,
  sheet: true,
  doing: 'Looking',
  done: ({ nats, steps }) => ['Said: {count} words, {nats} nats', { count: [steps, 0], nats: [nats[0], 1] }],
  what: () => 'A caption',
  fetch: pictureAt,
};
