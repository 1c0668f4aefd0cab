// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Defines runs of models of the `text` kind; tests/engines checks that their results are the same in every engine and build (see
 * tests/kinds/engines.js). This file also runs in pages, without Node.
 */

import { idsOf } from '../../engines/inputs.js';

/** @import { Plan, Tasks } from '../engines.js' */

/** The tasks in tests/engines/works.json that text models support: 'tokens' calls generate(), and 'score' calls score(). */
const OF_TEXTS = ['tokens', 'score'];
/** Maximum number of given tokens: the beginning of a text for the task 'tokens', the whole text for the task 'score'. */
const KNOWN_TOKENS = 40;
/** Maximum number of tokens to draw. */
const MOST_TOLD = 48;

/** @type {Plan} */
export const plan = (works, { verbs, positions }) => {
  // tests/engines/pages.js compares the translations on pages, and tests/c compares a hash of translations.
  if (!verbs.includes('generate')) return undefined;
  const known = Math.min(KNOWN_TOKENS, positions >> 1);
  return works
    .filter(({ task }) => OF_TEXTS.includes(task))
    .map(({ label, ...work }) => ({
      ...work,
      task: work.task === 'score' ? 'score-text' : work.task,
      known,
      draw: Math.min(positions - known, MOST_TOLD),
    }));
};

/** @type {Tasks} */
export const tasks = {
  tokens: {
    items: () => ['tokens', 'nats'],
    run: async (model, run, say) => {
      for (const maxTokens of [run.draw, 0]) {
        // first in one run, then in a run that is saved before its first token and resumed
        const { seed, temperature, topK, topP } = run;
        const options = { seed: BigInt(seed), temperature, topK, topP };
        const asked = model.generate(idsOf(model.info, run.known), { ...options, maxTokens });
        const running = maxTokens > 0 ? asked : model.resume(asked.save(), { maxTokens: run.draw });
        /** @type {number[][]} */
        const [tokens, nats] = [[], []];
        for await (const step of running) {
          tokens.push(step.token);
          nats.push(step.nats);
        }
        const way = maxTokens > 0 ? 'at once' : 'resumed';
        await say('tokens', way, Uint32Array.from(tokens));
        await say('nats', way, Float32Array.from(nats));
      }
    },
  },
  'score-text': {
    items: () => ['nats'],
    run: async (model, run, say) => {
      await say('nats', 'asked', (await model.score(idsOf(model.info, run.known))).perToken);
    },
  },
};
