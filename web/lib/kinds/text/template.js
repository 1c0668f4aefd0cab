// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Runs the chat template, a program in the Jinja language. This file is loaded when the first chat begins.
 * @huggingface/jinja parses the template, and jinja/ runs the template in steps with a budget. A template from a file can therefore neither
 * block the page nor exhaust the page's memory.
 *
 * Each character of the prompt has a source: the template, or a string from the page. The tokenizer reads a control token only where the
 * template wrote all of its characters. If no character of a message is in the prompt, the message did not reach the model.
 */

import { parse } from '@huggingface/jinja';

import { NextPixelError, argumentError } from '../../base/error.js';
import { Budget } from './jinja/budget.js';
import { tokensOf } from './jinja/lexer.js';
import { Machine } from './jinja/run.js';
import {
  Callable,
  Dict,
  Float,
  List,
  OverBudget,
  Refusal,
  TEMPLATE,
  TemplateError,
  Text,
  Undefined,
  joined,
  numberOf,
} from './jinja/values.js';
import { json, str } from './jinja/write.js';

/** @import { Dropped, Message, Prompt, Talk } from './chat.js' */
/** @import { Node } from './jinja/run.js' */
/** @import { Pair } from './jinja/values.js' */

/**
 * The source number of a character in a prompt states where the character comes from. The template itself has the number 0. Each message
 * has three numbers (EACH): one for its content, one for its tool calls and one for its other strings. The numbers of the first message
 * start at MESSAGES.
 */
const OTHERS = 1;
const TOOLS = 2;
const MESSAGES = 3;
const EACH = 3;
const LAST_SOURCE = 0xffff;

/** Maximum length of a template, in characters. */
const MOST_TEMPLATE = 2 ** 18;
/** The cost of each character of a date format, in items of the budget. */
const DATE_ITEMS = 16;
/** Matches a word such as the name of a role. Some templates build the names of control tokens from such words. */
const WORD = /^[\p{L}\p{N}_ -]*$/u;

const MONTHS = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December'];
const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

/** @param {number} number @param {number} [digits] */
const padded = (number, digits = 2) => String(number).padStart(digits, '0');

/** Formats the parts of a date. Each key is a letter of a strftime() format. Names are in English, whatever the locale.
 * @type {Record<string, (date: Date) => string>} */
const PARTS = {
  Y: (date) => String(date.getFullYear()),
  y: (date) => padded(date.getFullYear() % 100),
  m: (date) => padded(date.getMonth() + 1),
  d: (date) => padded(date.getDate()),
  B: (date) => MONTHS[date.getMonth()],
  b: (date) => MONTHS[date.getMonth()].slice(0, 3),
  A: (date) => DAYS[date.getDay()],
  a: (date) => DAYS[date.getDay()].slice(0, 3),
  H: (date) => padded(date.getHours()),
  I: (date) => padded(date.getHours() % 12 || 12),
  M: (date) => padded(date.getMinutes()),
  S: (date) => padded(date.getSeconds()),
  p: (date) => (date.getHours() < 12 ? 'AM' : 'PM'),
  j: (date) => padded(1 + Math.round((midnight(date) - midnight(date, 0, 1)) / 864e5), 3),
  '%': () => '%',
};

/** @param {Date} date @param {number} [month] @param {number} [day] */
const midnight = (date, month = date.getMonth(), day = date.getDate()) => Date.UTC(date.getFullYear(), month, day);

/** @param {string} format */
function dateNow(format) {
  const now = new Date();
  return format.replace(
    /%-?([a-zA-Z%])/g,
    (whole, letter) => PARTS[letter]?.(now).replace(whole[1] === '-' ? /^0+(?=\d)/ : /^(?!)/, '') ?? whole,
  );
}

/** Number of characters that sourcesIn() processes between two yields. */
const SLICE = 2 ** 18;

/**
 * Returns an array with one entry per source: 1 if the text contains characters from the source, otherwise 0.
 * @param {Text} text
 * @returns {Generator<void, Uint8Array, void>}
 */
function* sourcesIn({ sources }) {
  const found = new Uint8Array(LAST_SOURCE + 1);
  for (let i = 0; i < sources.length; i++) {
    found[sources.charCodeAt(i)] = 1;
    if (i % SLICE === SLICE - 1) yield;
  }
  return found;
}

/**
 * Converts a value from the page to a value of the template.
 *
 * @param {any} value
 * @param {number} source  the source of the strings in the value
 * @param {Budget} budget
 * @returns {Generator<void, any, void>}
 */
function* converting(value, source, budget) {
  budget.charge();
  if (budget.due) yield* budget.pause();
  if (value instanceof Text || value === null || typeof value === 'boolean') return value;
  switch (typeof value) {
    case 'string':
      return Text.of(value, source);
    case 'number':
    case 'bigint':
      return Number.isSafeInteger(Number(value)) ? Number(value) : new Float(Number(value));
    case 'undefined':
      return new Undefined('a value');
    case 'function':
      return new Callable(value.name, (args) => converting(value(...args.map(plain)) ?? null, source, budget));
    case 'object': {
      if (Array.isArray(value)) {
        const items = [];
        for (const one of value) items.push(yield* converting(one, source, budget));
        return new List(items, 'list', source);
      }
      /** @type {Pair[]} */
      const pairs = [];
      for (const [name, one] of Object.entries(value)) pairs.push([Text.of(name, source), yield* converting(one, source, budget)]);
      return new Dict(pairs, source);
    }
    default:
      throw argumentError(`The arguments of chat() must be plain objects, not a ${typeof value}`);
  }
}

/** Converts a value of the template to a plain value for a function of the page. @param {any} value @returns {any} */
function plain(value) {
  if (value instanceof Text) return value.text;
  if (value instanceof List) return value.items.map(plain);
  if (value instanceof Dict) return Object.fromEntries([...value.pairs].map(([name, [, one]]) => [name, plain(one)]));
  return numberOf(value) ?? (value === null ? null : undefined);
}

/** Parses the arguments of a tool call if they are a JSON string, as in OpenAI's interface. @param {any} given */
function objectOf(given) {
  if (typeof given !== 'string') return given;
  try {
    const value = JSON.parse(given);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : given;
  } catch {
    return given;
  }
}

/**
 * Converts the arguments of a tool call to the form that a template expects.
 * @typedef {(given: any, source: number) => Generator<void, any, void>} ArgumentsAs
 */

/** Returns a tool call with converted arguments. @param {any} call @param {number} source @param {ArgumentsAs} argumentsAs
 * @returns {Generator<void, any, void>} */
function* withArguments(call, source, argumentsAs) {
  if (typeof call !== 'object' || call === null) return call;
  const changed = 'arguments' in call ? { ...call, arguments: yield* argumentsAs(call.arguments, source) } : call;
  return 'function' in call ? { ...changed, function: yield* withArguments(call.function, source, argumentsAs) } : changed;
}

/**
 * A message with its index, and any text to put before its content.
 * @typedef {{ message: Message, index: number, before?: Text }} Numbered
 */

/**
 * @param {Numbered} numbered
 * @param {ArgumentsAs} argumentsAs
 * @param {Budget} budget
 * @returns {Generator<void, Dict, void>}
 */
function* messageOf({ message, index, before }, argumentsAs, budget) {
  const source = Math.min(MESSAGES + EACH * index, LAST_SOURCE - EACH);
  /** @type {Pair[]} */
  const pairs = [];
  for (const [name, value] of Object.entries(/** @type {Record<string, any>} */ (message))) {
    /** @type {any} */
    let made;
    if (name === 'role') made = Text.of(value, WORD.test(value) ? TEMPLATE : source + 2);
    else if (name === 'content') made = before ? joined([before, Text.of(value ?? '', source)]) : yield* converting(value, source, budget);
    else if (name === 'tool_calls' && Array.isArray(value)) {
      const calls = [];
      for (const call of value) calls.push(yield* withArguments(call, source + 1, argumentsAs));
      made = yield* converting(calls, source + 1, budget);
    } else if (name === 'function_call') made = yield* converting(yield* withArguments(value, source + 1, argumentsAs), source + 1, budget);
    else made = yield* converting(value, source + 2, budget);
    pairs.push([Text.of(name, source + 2), made]);
  }
  return new Dict(pairs, source + 2);
}

/**
 * Returns the prompt of a chat. The model's answer begins where the prompt ends.
 *
 * @param {Talk} talk
 * @param {{ bos_token: string, eos_token: string }} names
 * @returns {Generator<void, Prompt, void>}
 */
export function* prompting({ messages, template, values }, names) {
  try {
    return yield* new Rendering(yield* programOf(template), messages, { ...names, add_generation_prompt: true, ...values }).prompt();
  } catch (error) {
    throw asked(error);
  }
}

/** @param {string} template @returns {Generator<void, Node, void>} */
function* programOf(template) {
  if (template.length > MOST_TEMPLATE) throw new TemplateError(`it has more than ${MOST_TEMPLATE} characters`);
  return /** @type {Node} */ (/** @type {unknown} */ (parse(/** @type {any} */ (yield* tokensOf(template)))));
}

/** Converts an error of the template to an error of the library. @param {unknown} error */
function asked(error) {
  if (error instanceof NextPixelError) return error;
  if (error instanceof Refusal) return argumentError(`The template of this model refuses the messages: ${error.message}`);
  const other = 'pass another { template }, or your own { render }';
  if (error instanceof OverBudget)
    return new NextPixelError('limit', `The chat template was stopped, because ${error.message}: ${other}`, { cause: error });
  const said =
    error instanceof RangeError
      ? 'it is nested too deeply'
      : error instanceof TypeError
        ? 'it ends too early'
        : error instanceof Error
          ? error.message
          : String(error);
  return new NextPixelError('unsupported', `The chat template cannot be run (${said.slice(0, 200)}): ${other}`, { cause: error });
}

class Rendering {
  #program;
  #messages;
  #values;
  #budget = new Budget();

  /**
   * @param {Node} program
   * @param {Message[]} messages
   * @param {Record<string, any>} values
   */
  constructor(program, messages, values) {
    this.#program = program;
    this.#messages = messages.map((message, index) => ({ message, index }));
    this.#values = values;
  }

  /** @returns {Generator<void, Prompt, void>} */
  *prompt() {
    const text = yield* this.#withCalls();
    const found = yield* sourcesIn(text);
    /** @type {Dropped[]} */
    const dropped = [];
    for (const { message, index } of this.#messages) {
      const source = MESSAGES + EACH * index;
      if (source > LAST_SOURCE - 2 * EACH) break;
      const named = `essage ${index} (${message.role})`;
      if (message.content?.trim() && !found[source])
        dropped.push({
          part: 'message',
          index,
          role: message.role,
          reason: `M${named} did not reach the model: its template leaves it out`,
        });
      if (Array.isArray(message.tool_calls) && message.tool_calls.length > 0 && !found[source + 1])
        dropped.push({
          part: 'tool_calls',
          index,
          role: message.role,
          reason: `The tool calls of m${named} did not reach the model: its template leaves them out`,
        });
    }
    if (this.#values.tools?.length > 0 && !found[TOOLS])
      dropped.push({ part: 'tools', reason: 'The tools did not reach the model: its template has no place for them' });
    return { text: text.text, sources: text.sources, dropped };
  }

  /**
   * Renders the prompt. The arguments of tool calls are passed as objects, because most templates expect objects. Other templates expect
   * JSON strings. If objects cause an error, or if the template writes the objects in Python's notation, the prompt is rendered again with
   * JSON strings.
   *
   * @returns {Generator<void, Text, void>}
   */
  *#withCalls() {
    const budget = this.#budget;
    const machine = new Machine(budget);
    /** @type {ArgumentsAs} */
    const asObjects = function* (given) {
      return objectOf(given);
    };
    /** @type {ArgumentsAs} */
    const asTexts = function* (given, source) {
      const value = yield* converting(given, source, budget);
      return value instanceof Text
        ? value
        : json(machine, value, { ascii: false, indent: undefined, comma: ', ', colon: ': ', sorted: false });
    };
    if (!this.#messages.some(({ message }) => Array.isArray(message.tool_calls) || 'function_call' in message))
      return (yield* this.#withSystem(asObjects)).text;
    /** @type {{ text: Text, wrotePython: boolean } | undefined} */
    let first;
    /** @type {unknown} */
    let why;
    try {
      first = yield* this.#withSystem(asObjects);
      if (!first.wrotePython) return first.text;
    } catch (error) {
      if (!(error instanceof TemplateError) || error instanceof Refusal || error instanceof OverBudget) throw error;
      why = error;
    }
    try {
      const second = yield* this.#withSystem(asTexts);
      return first && second.wrotePython ? first.text : second.text;
    } catch (error) {
      if (error instanceof OverBudget || !(error instanceof TemplateError)) throw error;
      if (first) return first.text;
      throw why;
    }
  }

  /**
   * Renders the messages. If the template rejects a system message or leaves it out, the system message is put at the beginning of the
   * user's first message.
   *
   * @param {ArgumentsAs} argumentsAs
   * @returns {Generator<void, { text: Text, wrotePython: boolean }, void>}
   */
  *#withSystem(argumentsAs) {
    const all = this.#messages;
    const [first, next, ...rest] = all;
    const { role, content } = first.message;
    if (role !== 'system' || next?.message.role !== 'user' || typeof content !== 'string' || !content.trim())
      return yield* this.#render(all, argumentsAs);
    const system = Text.of(content, MESSAGES);
    const merged = [{ ...next, before: joined([system, Text.of('\n\n', MESSAGES)]) }, ...rest];
    let made;
    try {
      made = yield* this.#render(all, argumentsAs);
      if (made.text.sources.includes(String.fromCharCode(MESSAGES))) return made;
      const other = yield* this.#render([{ ...first, message: { ...first.message, content: 'x' } }, next, ...rest], argumentsAs);
      if (made.text.text !== other.text.text) return made; // the two versions differ, so the template uses the system message
      return yield* this.#render(merged, argumentsAs);
    } catch (error) {
      if (error instanceof OverBudget) throw error;
      if (made) return made; // the template accepted the system message
      try {
        return yield* this.#render(merged, argumentsAs);
      } catch {
        throw error;
      }
    }
  }

  /**
   * @param {Numbered[]} messages
   * @param {ArgumentsAs} argumentsAs
   * @returns {Generator<void, { text: Text, wrotePython: boolean }, void>}
   */
  *#render(messages, argumentsAs) {
    const budget = this.#budget;
    const machine = new Machine(budget);
    const { tools, bos_token, eos_token, ...others } = this.#values;
    /** @type {[string, any][]} */
    const values = [
      ['tools', tools ? yield* converting(tools, TOOLS, budget) : null],
      ['documents', null], // defined as null, as in the transformers package
      ['raise_exception', new Callable('raise_exception', ([reason = new Undefined('')]) => refuse(str(machine, reason).text))],
      [
        'strftime_now',
        new Callable('strftime_now', ([format]) => {
          const { text } = format instanceof Text ? format : Text.of('');
          budget.items(DATE_ITEMS * text.length);
          return Text.of(dateNow(text));
        }),
      ],
      ['bos_token', yield* converting(bos_token, TEMPLATE, budget)],
      ['eos_token', yield* converting(eos_token, TEMPLATE, budget)],
    ];
    for (const [name, value] of Object.entries(others)) values.push([name, yield* converting(value, OTHERS, budget)]);
    const list = [];
    for (const one of messages) list.push(yield* messageOf(one, argumentsAs, budget));
    values.push(['messages', new List(list, 'list', OTHERS)]);
    const text = yield* machine.run(this.#program, new Map(values));
    return { text, wrotePython: machine.wrotePython };
  }
}

/** @param {string} reason @returns {never} */
function refuse(reason) {
  throw new Refusal(reason);
}
