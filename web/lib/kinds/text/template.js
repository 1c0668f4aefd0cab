// SPDX-License-Identifier: MIT
// @ts-check

/** Runs a chat template, a program in the language Jinja, with @huggingface/jinja: a separate file, which is fetched only for chat. */

import { Environment, Interpreter, parse, tokenize } from '@huggingface/jinja';

import { NextPixelError, argumentError } from '../../base/error.js';

/** The most numbers of a range(), as in the sandbox of Jinja itself; and of all of a template together, because one may be in the loop of
 * another. */
const MOST_RANGE = 100_000;
const MOST_RANGES = 200_000;

const MONTHS = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December'];
const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

/** @param {number} number @param {number} [digits] */
const padded = (number, digits = 2) => String(number).padStart(digits, '0');

/** Parts of a date by the letters of strftime(), in English for all visitors. @type {Record<string, (date: Date) => string>} */
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

/** A template's own refusal, said by raise_exception(). */
class Refusal extends Error {}

/** The function range() of one template. */
function ranging() {
  let left = MOST_RANGES;
  return (/** @type {number} */ start, /** @type {number | undefined} */ stop, step = 1) => {
    const [from, to] = stop === undefined ? [0, start] : [start, stop];
    const length = step === 0 ? NaN : Math.max(0, Math.ceil((to - from) / step));
    left -= length;
    if (!(length <= MOST_RANGE && left >= 0)) throw new Error(`range() of ${length} numbers`);
    return Array.from({ length }, (_, i) => from + i * step);
  };
}

/** Variables that templates expect in addition to the messages. */
const GLOBALS = {
  true: true,
  false: false,
  none: null,
  True: true,
  False: false,
  None: null,
  tools: null,
  documents: null, // defined and empty, if they are not given: as in the package transformers, for which templates are written
  raise_exception: (/** @type {unknown} */ reason) => {
    throw new Refusal(String(reason));
  },
  strftime_now: (/** @type {string} */ format) => {
    const now = new Date();
    return format.replace(
      /%-?([a-zA-Z%])/g,
      (whole, letter) => PARTS[letter]?.(now).replace(whole[1] === '-' ? /^0+(?=\d)/ : /^(?!)/, '') ?? whole,
    );
  },
};

/**
 * @param {string} template
 * @param {Record<string, unknown>} values
 * @returns {string}
 */
export function renderTemplate(template, values) {
  try {
    const environment = new Environment();
    for (const [name, value] of Object.entries({ range: ranging(), ...GLOBALS, ...values })) environment.set(name, value);
    const program = parse(tokenize(template.replace(/\r\n?/g, '\n'), { lstrip_blocks: true, trim_blocks: true }));
    return String(new Interpreter(environment).run(program).value);
  } catch (error) {
    if (error instanceof Refusal) throw argumentError(`The template of this model refuses the talk: ${error.message}`);
    const said = error instanceof Error ? error.message : String(error);
    throw new NextPixelError(
      'unsupported',
      `The chat template cannot be run (${said.slice(0, 200)}): pass { template }, or { render }, which renders it`,
      { cause: error },
    );
  }
}
