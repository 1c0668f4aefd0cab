// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Defines runs of models of the `tag` kind; tests/engines checks that their results are the same in every engine and build (see
 * tests/kinds/engines.js). This file also runs in pages, without Node.
 */

/** @import { Plan, Tasks } from '../engines.js' */

/** The words to tag. One of them (xqzzyish) occurs in no training sentence. */
const WORDS = 'Time flies like an arrow , but fruit flies like a xqzzyish banana in 1905 .'.split(' ');

/** @type {Plan} */
export const plan = (works, _, kind) => {
  const features = kind.features.ids(WORDS).join(' ');
  return works.filter(({ task }) => task === 'tag').map(({ label, ...work }) => ({ ...work, features, words: WORDS }));
};

/** @type {Tasks} */
export const tasks = {
  tag: {
    items: () => ['tags', 'marginals', 'nats'],
    run: async (model, run, say) => {
      const { names } = await model.tag([]);
      const pinned = run.pinned < 0 ? {} : { [run.pinned]: names[names.length - 1] };
      const { best, marginals, pinnedNats } = await model.tag(run.words, { marginals: true, pinned });
      await say('tags', 'asked', best.ids);
      await say('marginals', 'asked', marginals ?? new Float32Array(0));
      await say('nats', 'asked', Float32Array.of(best.logZ, pinnedNats, best.nats));
    },
  },
};
