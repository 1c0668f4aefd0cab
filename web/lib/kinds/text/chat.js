// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Talks: messages as a model of talks was trained to read them. A file says how in a template, a program in the language Jinja, which template.js runs.
 *
 * A template makes one text of its own marks and of what people say, in which the name of a control token has to stay what it is, letters. So a break, a
 * character that nobody writes, is put before each such name in what people say, and before what may become one at the end of it. The template carries
 * the breaks along; where it is done they say which characters are plain.
 */

import { show, wrongAnswer } from '../../base/checks.js';
import { NextPixelError, argumentError } from '../../base/error.js';
import { inTurns } from '../../base/turns.js';

/** Puts breaks before what could be tokens of control: see Tokenizer.guarding. @typedef {{ guarding: (text: string, at: string) => Generator<void, string, void> }} Guard */

/**
 * @typedef {object} Message
 * @property {string} role     'system', 'user' or 'assistant', or what else the template knows, such as 'tool'
 * @property {string | null} [content]  plain text: names of control tokens in it are letters like any others. None only beside `tool_calls`
 * @property {unknown} [tool_calls]     of the assistant, as the template has them
 * @property {string} [reasoning_content]  of the assistant: what it thought before, where the template has a place for it
 */

/** A piece of a prompt: text in which control tokens count, or plain text. @typedef {{ text: string, plain?: boolean }} Piece */

/**
 * @typedef {object} ChatOptions
 * @property {string} [template]  in place of that of the file, `info.chatTemplate`
 * @property {object[]} [tools]   functions that the model may ask for, as its template has them: mostly { type: 'function', function: { name, description, parameters } }
 * @property {Record<string, unknown>} [variables]  other variables of the template, such as { enable_thinking: false }, or in place of what it gets anyway,
 *   such as { add_generation_prompt: false }
 * @property {(template: string, values: object) => string} [render]  renders the template in place of the library. Control tokens count in all that it gives
 */

/** Whether something is an object with names. @param {unknown} value @returns {value is Record<string, unknown>} */
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
      throw argumentError(`Message ${i} of chat() must be { role, content }, two texts${parts}`);
    }
    return { ...message };
  });
}

/**
 * Checks what chat() is given, and says with which template and values the talk is rendered.
 *
 * @param {Message[]} given
 * @param {string} own  the template of the file; '': it has none
 * @param {ChatOptions} options
 */
export function checkedTalk(given, own, { template = own, tools, variables = {}, render }) {
  const messages = checkedMessages(given);
  if (typeof template !== 'string') throw argumentError(`template must be a text, not ${show(template)}`);
  if (render !== undefined && typeof render !== 'function') throw argumentError(`render must be a function, not ${show(render)}`);
  if (tools !== undefined && !(Array.isArray(tools) && tools.every(named)))
    throw argumentError(`tools must be a list of objects, not ${show(tools)}`);
  if (!named(variables)) throw argumentError(`variables must be an object with names, not ${show(variables)}`);
  if ('messages' in variables) throw argumentError('variables may not have messages: they are what chat() is given first');
  if (template === '')
    throw new NextPixelError(
      'unsupported',
      'This file has no chat template: pass { template }, or write the prompt as the model was trained, with generate()',
    );
  return { messages, template, values: { ...variables, ...(tools && { tools }) }, render };
}

/** @typedef {ReturnType<typeof checkedTalk>} Talk */

/**
 * A talk as the page's own function renders it.
 *
 * @param {Talk} talk
 * @param {{ bos_token: string, eos_token: string }} names  of the tokens that begin and end a text; '': there is none
 * @returns {Piece[]}
 */
export function renderedByPage({ messages, template, values, render }, names) {
  const text = /** @type {NonNullable<typeof render>} */ (render)(template, { ...names, add_generation_prompt: true, ...values, messages });
  if (typeof text === 'string') return [{ text }];
  throw wrongAnswer('render must give a text at once, and load what it needs before', text);
}

/**
 * A talk up to where the model's answer begins.
 *
 * @param {Talk} talk
 * @param {{ bos_token: string, eos_token: string }} names
 * @param {Guard} tokenizer
 * @param {AbortSignal} [signal]
 */
export async function piecesOf(talk, names, tokenizer, signal) {
  return inTurns(rendering((await import('./template.js')).renderTemplate, talk, names, tokenizer), signal);
}

/**
 * The same with what renders templates.
 *
 * @param {(template: string, values: Record<string, unknown>) => string} renderTemplate
 * @param {Talk} talk
 * @param {{ bos_token: string, eos_token: string }} names
 * @param {Guard} tokenizer
 * @returns {Generator<void, Piece[], void>}
 */
export function* rendering(renderTemplate, { messages, template, values }, names, tokenizer) {
  const at = breakFor(template, messages, values);
  const said = yield* mapTexts(messages, (text) => tokenizer.guarding(text, at));
  const others = yield* mapTexts(values, (text) => tokenizer.guarding(text, at));
  const render = (/** @type {Message[]} */ all) =>
    renderTemplate(template, { ...names, add_generation_prompt: true, ...others, messages: all });
  return unbroken(withSystem(said, render), at);
}

/**
 * Renders a talk. A template that refuses a system message, or leaves it out, gets it as the beginning of what the user says first.
 *
 * @param {Message[]} messages
 * @param {(messages: Message[]) => string} render
 */
function withSystem(messages, render) {
  const [first, next, ...rest] = messages;
  const { role, content } = first;
  if (role !== 'system' || next?.role !== 'user' || !content?.trim()) return render(messages);
  const merged = () => render([{ ...next, content: `${content}\n\n${next.content}` }, ...rest]);
  let text;
  try {
    text = render(messages);
    if (text.includes(content.trim()) || text !== render([{ ...first, content: 'x' }, next, ...rest])) return text; // written as JSON, in capitals: not left out
    return merged();
  } catch (error) {
    if (text !== undefined) return text; // it has a rule of its own
    try {
      return merged();
    } catch {
      throw error;
    }
  }
}

/**
 * The same with all texts in it changed; functions stay.
 *
 * @param {any} value
 * @param {(text: string) => Generator<void, string, void>} change
 * @returns {Generator<void, any, void>}
 */
function* mapTexts(value, change) {
  if (typeof value === 'string') return yield* change(value);
  if (Array.isArray(value)) {
    const all = [];
    for (const one of value) all.push(yield* mapTexts(one, change));
    return all;
  }
  if (!named(value)) return value;
  const entries = [];
  for (const [name, inner] of Object.entries(value)) entries.push([yield* change(name), yield* mapTexts(inner, change)]);
  return Object.fromEntries(entries);
}

/** The arguments of chat() as JSON, in which all their texts stand. @param {unknown} given */
function writtenOut(given) {
  try {
    return JSON.stringify(given, (_, value) => (typeof value === 'bigint' ? String(value) : value));
  } catch (cause) {
    throw argumentError(`What chat() is given must be plain objects: ${cause instanceof Error ? cause.message.split('\n')[0] : cause}`);
  }
}

/** A character that stands nowhere in what is given: one of those that Unicode keeps out of texts. @param {unknown[]} given */
function breakFor(...given) {
  const all = writtenOut(given);
  for (let code = 0xfdd0; code <= 0xfdef; code++) if (!all.includes(String.fromCharCode(code))) return String.fromCharCode(code);
  throw argumentError('The talk has all characters that Unicode keeps out of texts: leave one of them out');
}

/** The pieces of a rendered text: the character behind a break is plain. @param {string} text @param {string} at @returns {Piece[]} */
function unbroken(text, at) {
  const [first, ...others] = text.split(at);
  const pieces = [{ text: first }, ...others.flatMap((piece) => [{ text: piece.slice(0, 1), plain: true }, { text: piece.slice(1) }])];
  return pieces.filter((piece) => piece.text !== '');
}
