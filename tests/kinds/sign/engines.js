// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Defines runs of models of the `sign` kind; tests/engines checks that their results are the same in every engine and build (see
 * tests/kinds/engines.js). This file also runs in pages, without Node.
 */

/** @import { Plan, Tasks } from '../engines.js' */

/** Number of examples, and number of queries. */
const [EXAMPLES, QUESTIONS] = [8, 3];
/** Number of labels of the synthetic characters. */
const LABELS = 3;

/**
 * Returns a synthetic character as bytes, most of them zero, generated as in native.c.
 *
 * @param {number} number  index of the character
 * @param {number} pixels
 */
function signOf(number, pixels) {
  return Uint8Array.from({ length: pixels }, (_, i) => {
    const mixed = ((number + 1) * (i + 7) * 7919) % 65521;
    return mixed % 5 === 0 ? mixed % 256 : 0;
  });
}

/** @type {Plan} */
export const plan = (works) =>
  works.filter(({ task }) => task === 'classify').map(({ label, ...work }) => ({ ...work, known: EXAMPLES, draw: QUESTIONS }));

/** @type {Tasks} */
export const tasks = {
  classify: {
    items: () => ['nats', 'weights', 'odds'],
    run: async (model, run, say) => {
      const { width, height } = model.info;
      const sign = (/** @type {number} */ number) => ({ data: signOf(number, width * height), width, height });
      const support = Array.from({ length: run.known }, (_, i) => ({ image: sign(i), label: i % LABELS }));
      const answers = await model.classify(
        Array.from({ length: run.draw }, (_, i) => sign(run.known + i)),
        { support, maps: true },
      );
      const inOrder = answers.flatMap(({ probabilities }) => [...probabilities].sort((a, b) => Number(a.label) - Number(b.label)));
      await say(
        'nats',
        'asked',
        Float32Array.from(inOrder, ({ nats }) => nats),
      );
      await say(
        'odds',
        'asked',
        Float32Array.from(inOrder, ({ p }) => p),
      );
      await say('weights', 'asked', Float32Array.from(answers.flatMap(({ maps = [] }) => maps.flatMap(({ weights }) => [...weights]))));
    },
  },
};
