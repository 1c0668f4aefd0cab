// SPDX-License-Identifier: MIT
// @ts-check

/** How <next-pixel task="tokens"> writes: a run of a model of texts on the element's canvas. */

/** @import { Model } from './model.js' */
/** @import { TokenStep } from './tokens.js' */
/** @import { Page } from './typeset.js' */

/**
 * @typedef {object} Writing
 * @property {Model} model
 * @property {string} prompt
 * @property {import('./tokens-settings.js').TokenOptions} options
 * @property {() => Page} open         an empty page
 * @property {(step: TokenStep, done: number) => Promise<void>} told  after each token, with how much of the text is done, 0 to 1
 */

/**
 * @param {Writing} writing
 * @returns {Promise<{ seed: number | bigint, nats: number, count: number }>}
 */
export async function write({ model, prompt, options, open, told }) {
  const run = model.tokens(prompt, options);
  const page = open();
  const most = options.maxTokens ?? model.info.positions - run.promptLength;
  let nats = 0;
  let count = 0;
  page.add({ text: run.before, given: true });
  try {
    for await (const step of run) {
      nats += step.nats;
      count++;
      page.add(step);
      await told(step, count / most);
    }
  } finally {
    page.end();
  }
  return { seed: run.seed, nats, count };
}
