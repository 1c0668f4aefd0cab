// SPDX-License-Identifier: MIT
// @ts-check

/** How <next-pixel task="tokens"> and task="translate" write: a run of a model of texts on the element's canvas. */

import { AlignedPage } from './sinks/aligned.js';
import { Page } from './sinks/text.js';

/** @import { Model } from './model.js' */
/** @import { TokenStep } from './tokens.js' */
/** @import { TranslateStep } from './translate.js' */

/** What a text is set on. @typedef {{ paint: () => void, close: () => void }} Sheet */

/**
 * @typedef {object} Writing
 * @property {Model} model
 * @property {string} prompt
 * @property {import('./options.js').TokenOptions & { beams?: number }} options
 * @property {<S extends Sheet>(make: (canvas: HTMLCanvasElement, options: { mirror: HTMLElement }) => S) => S} open
 *   makes an empty page
 * @property {(step: TokenStep | TranslateStep, done: number) => Promise<void>} told  after each token, with how much of the text is done,
 *   0 to 1
 */

/**
 * @param {Writing} writing
 * @returns {Promise<{ seed: number | bigint, nats: number, count: number }>}
 */
export async function write(writing) {
  return writing.model.info.tasks.includes('translate') ? translate(writing) : goOn(writing);
}

/** @param {Writing} writing */
async function goOn({ model, prompt, options: { beams, ...options }, open, told }) {
  const run = model.tokens(prompt, options);
  const page = open((canvas, how) => new Page(canvas, how));
  const most = options.maxTokens ?? model.info.positions - run.promptLength;
  page.add({ text: run.before, given: true });
  return { seed: run.seed, ...await all(run, page, told, most) };
}

/** @param {Writing} writing */
async function translate({ model, prompt, options: { beams, maxTokens, seed, temperature, signal }, open, told }) {
  const run = model.translate(prompt, { beams, maxTokens, seed, temperature, signal, maps: true });
  const page = open((canvas, how) => new AlignedPage(canvas, run.sourceTexts, how));
  // Translations are about as long as what they are of.
  return { seed: run.seed, ...await all(run, page, told, maxTokens ?? Math.max(1, run.source.length)) };
}

/**
 * @template {TokenStep | TranslateStep} T
 * @param {AsyncIterable<T>} run
 * @param {{ add: (step: T) => void, end: () => void }} page
 * @param {Writing['told']} told
 * @param {number} most
 */
async function all(run, page, told, most) {
  let nats = 0;
  let count = 0;
  try {
    for await (const step of run) {
      nats += step.nats;
      count++;
      page.add(step);
      await told(step, Math.min(1, count / most));
    }
  } finally {
    page.end();
  }
  return { nats, count };
}
