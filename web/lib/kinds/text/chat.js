// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Talks: messages as a model of talks was trained to read them. A file says how in a template, a program in the language Jinja. The templates that
 * most files have are known here by what stands in them; for another one the page passes what renders it.
 */

import { show } from '../../base/checks.js';
import { NextPixelError, argumentError } from '../../base/error.js';

/**
 * @typedef {object} Message
 * @property {string} role     'system', 'user' or 'assistant'; a template of the page may know others
 * @property {string} content  plain text: names of control tokens in it are letters like any others
 */

/** A piece of a prompt: text in which control tokens count, or plain text. @typedef {{ text: string, plain?: boolean }} Piece */

/**
 * A template that is known.
 *
 * @typedef {object} Format
 * @property {string} name
 * @property {(template: string) => boolean} is
 * @property {(messages: Message[], template: string, end: string) => Piece[]} pieces  up to where the model's answer begins. end: the name of the
 *   token that ends a text
 */

/** @param {string} text @returns {Piece} */
const mark = (text) => ({ text });
/** @param {string} text @returns {Piece} */
const plain = (text) => ({ text, plain: true });

/**
 * Each message between two marks, then the beginning of an answer.
 *
 * @param {Message[]} messages
 * @param {(role: string) => string} before
 * @param {string} after
 * @param {(content: string) => string} [as]
 * @returns {Piece[]}
 */
const each = (messages, before, after, as = (content) => content) => [
  ...messages.flatMap(({ role, content }) => [mark(before(role)), plain(as(content)), mark(after)]), mark(before('assistant'))];

/** A system message where there is none and the template has one to begin with. @param {Message[]} messages @param {string} template */
function withSystem(messages, template) {
  const [, own] = /<\|im_start\|>system(?:\\n|\n)([^<{}'"]+)<\|im_end\|>/.exec(template) ?? [];
  return own && messages[0]?.role !== 'system' ? [{ role: 'system', content: own }, ...messages] : messages;
}

/**
 * The system message as the beginning of the first of the user, for templates that have no place for one.
 *
 * @param {Message[]} messages
 * @param {(system: string) => Piece[]} as
 * @returns {{ role: string, pieces: Piece[] }[]}
 */
function merged(messages, as) {
  /** @type {Piece[]} */
  let system = [];
  const turns = messages.flatMap(({ role, content }) => {
    if (role === 'system') {
      system.push(...as(content));
      return [];
    }
    const pieces = [...role === 'user' ? system : [], plain(content.trim())];
    if (role === 'user') system = [];
    return [{ role, pieces }];
  });
  if (system.length > 0) throw argumentError('The template of this model has a system message only before what the user says: end with a message of the user');
  return turns;
}

/** The first that fits is the one. @type {Format[]} */
export const FORMATS = [
  {
    name: 'ChatML (Qwen, SmolLM, Yi)',
    is: (template) => template.includes('<|im_start|>') && !template.includes('<|im_sep|>'),
    pieces: (messages, template) => each(withSystem(messages, template), (role) => `<|im_start|>${role}\n`, '<|im_end|>\n'),
  },
  {
    name: 'Llama 3',
    is: (template) => template.includes('<|start_header_id|>') && template.includes('<|eot_id|>'),
    pieces: (messages) => each(messages, (role) => `<|start_header_id|>${role}<|end_header_id|>\n\n`, '<|eot_id|>', (content) => content.trim()),
  },
  {
    name: 'Llama 2 and Mistral',
    is: (template) => template.includes('[INST]') && !template.includes('[SYSTEM_PROMPT]'),
    pieces: (messages, template, end) => {
      const llama = template.includes('<<SYS>>');
      const turns = merged(messages, (system) => (llama ? [mark('<<SYS>>\n'), plain(system), mark('\n<</SYS>>\n\n')] : [plain(system), mark('\n\n')]));
      return turns.flatMap(({ role, pieces }, i) => (role === 'user' ?
        [mark(`${llama && i > 0 ? '<s>' : ''}[INST] `), ...pieces, mark(' [/INST]')] : [mark(' '), ...pieces, mark(llama ? ` ${end}` : end)]));
    },
  },
  {
    name: 'Gemma',
    is: (template) => template.includes('<start_of_turn>'),
    pieces: (messages) => [
      ...merged(messages, (system) => [plain(system), mark('\n\n')]).flatMap(({ role, pieces }) => [
        mark(`<start_of_turn>${role === 'assistant' ? 'model' : role}\n`), ...pieces, mark('<end_of_turn>\n')]),
      mark('<start_of_turn>model\n')],
  },
  {
    name: 'Phi 3',
    is: (template) => template.includes('<|assistant|>') && template.includes('<|end|>'),
    pieces: (messages) => each(messages, (role) => `<|${role}|>\n`, '<|end|>\n'),
  },
  {
    name: 'Zephyr',
    is: (template) => template.includes('<|assistant|>') && template.includes('<|user|>'),
    pieces: (messages, _, end) => each(messages, (role) => `<|${role}|>\n`, `${end}\n`),
  },
];

/** @param {any} messages @returns {Message[]} */
function checked(messages) {
  if (!Array.isArray(messages) || messages.length === 0) throw argumentError('chat() takes a list of messages, such as [{ role: \'user\', content: \'Hello\' }]');
  return Array.from(messages, (message, i) => {
    const { role, content } = message ?? {};
    if (typeof role !== 'string' || typeof content !== 'string') {
      throw argumentError(`Message ${i} of chat() must be { role, content }, two texts, not ${show(message)}`);
    }
    return { role, content };
  });
}

/**
 * @typedef {object} ChatOptions
 * @property {string} [template]  in place of that of the file, `info.chatTemplate`
 * @property {(template: string, values: object) => string} [render]  renders a template that is not one of those known here, for example
 *   (template, values) => new Template(template).render(values) with the package @huggingface/jinja. Control tokens count in all that it gives
 */

/**
 * A talk up to where the model's answer begins.
 *
 * @param {Message[]} messages
 * @param {string} own  the template of the file; '': it has none
 * @param {{ begin: string, end: string }} names  of the tokens that begin and end a text; '': there is none
 * @param {ChatOptions} options
 * @returns {Piece[]}
 */
export function piecesOf(messages, own, { begin, end }, { template = own, render }) {
  const talk = checked(messages);
  if (typeof template !== 'string') throw argumentError(`template must be a text, not ${show(template)}`);
  if (render !== undefined && typeof render !== 'function') throw argumentError(`render must be a function, not ${show(render)}`);
  if (template === '') throw new NextPixelError('unsupported', 'This file has no chat template: pass { template }, or write the prompt as the model was trained, with tokens()');
  if (render) {
    const rendered = render(template, { messages: talk, add_generation_prompt: true, bos_token: begin, eos_token: end });
    if (typeof rendered === 'string') return [mark(rendered)];
    void Promise.resolve(rendered).catch(() => {}); // of an async function: this error is enough
    throw argumentError(`render must give a text at once, not ${show(rendered)}: load what it needs before`);
  }
  const format = FORMATS.find(({ is }) => is(template));
  if (format) return format.pieces(talk, template, end);
  throw new NextPixelError('unsupported', `The chat template of this file is none of those known (${FORMATS.map(({ name }) => name).join(', ')}): pass { render }, ` +
    'which renders it, or write the prompt with tokens()');
}
