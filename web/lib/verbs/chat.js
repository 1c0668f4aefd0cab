// SPDX-License-Identifier: MIT
// @ts-check

import { engineOf } from '../model/engine.js';
import { attributes as text } from './generate.js';

/** @import { ChatOptions, Message } from '../kinds/text/chat.js' */
/** @import { Model } from '../model/model.js' */
/** @import { TextOptions } from '../options.js' */
/** @import { TextRun } from '../kinds/text/text-run.js' */
/** @import { Reading } from './table.js' */

export const draws = true;
export const made = 'A talk';

/** The attributes of the element, which asks with the whole talk (element/talk.js). @type {Record<'prompt' | 'system', Reading>} */
export const attributes = {
  prompt: text.prompt,
  /** the system message of a talk, which can be changed there where there are controls */
  system: { given: ({ system }) => system },
};

export const names = ['template', 'tools', 'variables', 'render'];

/**
 * Answers in a talk, as the file's template says that the model reads one: a program in Jinja, which is run. What runs it is fetched with the first talk, so
 * the tokens of the prompt are there after `await run.input` or the first step.
 *
 * @this {Model}
 * @param {Message[]} messages  from the first to the last, such as [{ role: 'user', content: 'Hello' }]; the answer is the assistant's
 * @param {TextOptions & ChatOptions} [options]
 * @returns {TextRun}
 */
export function start(messages, options = {}) {
  return engineOf(this).kind.chat(messages, options);
}
