// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Defines runs of models of the `latent` kind; tests/engines checks that their results are the same in every engine and build (see
 * tests/kinds/engines.js). This file also runs in pages, without Node.
 */

/** @import { Plan, Tasks } from '../engines.js' */

/** @type {Plan} */
export const plan = (_, { classes }) => [{ work: 'make', task: 'make', seed: '12884901888', label: classes.length - 1 }];

/** @type {Tasks} */
export const tasks = {
  make: {
    items: () => ['values', 'latent', 'weights', 'line', 'sphere', 'circle'],
    run: async (model, run, say) => {
      const making = /** @type {import('../../../web/lib/index.js').LatentRun} */ (
        /** @type {any} */ (model.generate({ seed: BigInt(run.seed), label: run.label, maps: true }))
      );
      for await (const { values, latent, maps = [] } of making) {
        await say('values', 'asked', values);
        await say('latent', 'asked', latent);
        await say('weights', 'asked', maps.length > 0 ? maps[0].weights : new Float32Array(0));
      }
      for (const shape of /** @type {const} */ (['line', 'sphere', 'circle'])) {
        const latents = [];
        for await (const { latent } of model.walk(1, 2, { steps: 5, shape })) latents.push(...latent);
        await say(shape, 'asked', Float32Array.from(latents));
      }
    },
  },
};
