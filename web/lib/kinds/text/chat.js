// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Renders chats, which are lists of messages, in the form that a chat model was trained on. The template in the model's file, a program in
 * the Jinja language, defines this form. template.js runs the template.
 */

import { show, wrongAnswer } from '../../base/checks.js';
import { copyOf } from '../../base/copy.js';
import { NextPixelError, argumentError } from '../../base/error.js';
import { part } from '../../base/part.js';
import { inTurns } from '../../base/turns.js';

/** @import { Stop } from '../../base/turns.js' */

/**
 * @typedef {object} Message
 * @property {string} role     'system', 'user' or 'assistant', or another role of the template, such as 'tool'
 * @property {string | null} [content]  plain text, in which the name of a control token is not read as that token. It may be null only with
 *   `tool_calls`
 * @property {unknown} [tool_calls]     tool calls by the assistant, as in OpenAI's interface:
 *   [{ type: 'function', function: { name, arguments } }], where the arguments are an object, or the JSON of an object
 * @property {string} [reasoning_content]  the assistant's thinking before its answer, if the template supports thinking
 */

/**
 * A part of a chat that did not reach the model, because the template leaves it out.
 *
 * @typedef {object} Dropped
 * @property {'message' | 'tool_calls' | 'tools'} part  the text of a message, its `tool_calls`, or the option `tools`
 * @property {number} [index]   index of the message
 * @property {string} [role]    role of the message
 * @property {string} reason    the reason for leaving the part out, as a sentence for the user
 */

/**
 * A rendered prompt. `sources.charCodeAt(i)` is the number of the source that wrote `text[i]`; 0 is the template (see template.js). The
 * name of a control token is read as this token only if the template wrote all of its characters; without `sources`, the name is always
 * read as this token.
 * @typedef {{ text: string, sources?: string, dropped: Dropped[] }} Prompt
 */

/**
 * @typedef {object} ChatOptions
 * @property {string} [template]  replaces the chat template of the file, `info.chatTemplate`
 * @property {object[]} [tools]   functions that the model may call, in the form that the template expects, usually { type: 'function',
 *   function: { name, description, parameters } }
 * @property {Record<string, unknown>} [variables]  other variables of the template, such as { enable_thinking: false }, or new values of
 *   standard variables, such as { add_generation_prompt: false }. Messages, tools and variables may have at most 131072 values in all, and
 *   each object in them may have at most 1024 names
 * @property {(template: string, values: object) => string} [render]  a function that renders the template instead of the library. Names of
 *   control tokens in its result are read as these tokens
 */

/** Returns whether a value is an object with named properties. @param {unknown} value @returns {value is Record<string, unknown>} */
const named = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

/** @param {any} messages @returns {Message[]} */
function checkedMessages(messages) {
  if (!Array.isArray(messages) || messages.length === 0)
    throw argumentError("chat() takes a list of messages, such as [{ role: 'user', content: 'Hello' }]");
  return Array.from(messages, (message, i) => {
    const { role, content } = message ?? {};
    const calls = (content === null || content === undefined) && message?.tool_calls;
    if (typeof role !== 'string' || (typeof content !== 'string' && !calls)) {
      const parts = Array.isArray(content) ? '; its content is a list: join the texts in it' : `, not ${show(message)}`;
      throw argumentError(`Message ${i} of chat() must be { role, content }, two strings${parts}`);
    }
    return { ...message };
  });
}

/**
 * Validates the arguments of chat(), and returns the template and the values with which to render it.
 *
 * @param {Message[]} given
 * @param {string} own  the file's template; '' if the file has none
 * @param {ChatOptions} options
 */
export function checkedTalk(given, own, { template = own, tools, variables = {}, render }) {
  const messages = checkedMessages(given);
  if (typeof template !== 'string') throw argumentError(`template must be a string, not ${show(template)}`);
  if (render !== undefined && typeof render !== 'function') throw argumentError(`render must be a function, not ${show(render)}`);
  if (tools !== undefined && !(Array.isArray(tools) && tools.every(named)))
    throw argumentError(`tools must be a list of objects, not ${show(tools)}`);
  if (!named(variables)) throw argumentError(`variables must be an object with names, not ${show(variables)}`);
  namesOf(variables);
  if ('messages' in variables) throw argumentError('variables must not have messages: they are the first argument of chat()');
  if (template === '')
    throw new NextPixelError(
      'unsupported',
      'This file has no chat template: pass { template }, or call generate() with a prompt in its training format',
    );
  return { messages, template, values: { ...variables, ...(tools && { tools }) }, render };
}

/** @typedef {ReturnType<typeof checkedTalk>} Talk */

/**
 * Renders a chat with `render`, a function that the page passed to chat().
 *
 * @param {Talk} talk
 * @param {{ bos_token: string, eos_token: string }} names  the names of the tokens that begin and end a text; '' if there is no such token
 * @returns {Prompt}
 */
export function renderedByPage({ messages, template, values, render }, names) {
  const text = /** @type {NonNullable<typeof render>} */ (render)(template, { ...names, add_generation_prompt: true, ...values, messages });
  if (typeof text === 'string') return { text, dropped: [] };
  throw wrongAnswer('render must return a string synchronously (load everything beforehand)', text);
}

/**
 * Limits on the arguments of chat(): MOST_VALUES values in total, and MOST_NAMES properties in each object. The limits exist because the
 * arguments are copied without yielding to the event loop.
 */
const MOST_VALUES = 2 ** 17;
const MOST_NAMES = 2 ** 10;

/** @param {object} value @returns {string[]} */
function namesOf(value) {
  const names = Object.keys(value);
  if (names.length <= MOST_NAMES) return names;
  throw new NextPixelError(
    'limit',
    `An object in the arguments of chat() has ${names.length} names, and may have ${MOST_NAMES}: pass only what the template reads`,
  );
}

/**
 * Returns a deep copy. Throws for circular objects, for objects that are nested too deeply, and for too many values.
 *
 * @template T
 * @param {T} given
 * @returns {T}
 */
function plainCopy(given) {
  let left = MOST_VALUES;
  /** The objects that contain the object being counted. */
  const around = new Set();
  /** @param {any} value */
  const count = (value) => {
    const { length = 0 } = Object(value);
    const isView = ArrayBuffer.isView(value);
    left -= isView ? length : 1;
    if (left < (Array.isArray(value) ? length : 0))
      throw new NextPixelError(
        'limit',
        `The arguments of chat() have more than ${MOST_VALUES} values: pass fewer messages, or only what the template reads`,
      );
    if (Object(value) !== value || isView) return;
    if (around.has(value)) throw new TypeError('they are circular');
    around.add(value);
    if (Array.isArray(value)) value.forEach(count);
    else for (const name of namesOf(value)) count(value[name]);
    around.delete(value);
  };
  try {
    count(given);
    return copyOf(given);
  } catch (cause) {
    if (cause instanceof NextPixelError) throw cause;
    throw argumentError(`The arguments of chat() must be plain objects: ${cause instanceof Error ? cause.message.split('\n')[0] : cause}`);
  }
}

/**
 * Returns the prompt of a chat, up to where the model's answer begins.
 *
 * @param {Talk} talk
 * @param {{ bos_token: string, eos_token: string }} names
 * @param {Stop} [stop]
 * @returns {Promise<Prompt>}
 */
export async function promptOf({ messages, values, ...talk }, names, stop) {
  const own = plainCopy({ messages, values }); // copied, because the caller may change the objects before the template is run
  const { prompting } = await part(() => import('./template.js'));
  stop?.throwIfAborted();
  return inTurns(prompting({ ...talk, ...own }, names), stop);
}
