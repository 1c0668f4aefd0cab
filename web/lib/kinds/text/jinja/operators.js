// SPDX-License-Identifier: MIT
// @ts-check

/** The operators in template expressions, which behave as in Python. */

import { contains, formatted } from './filters.js';
import { added } from './texts.js';
import { Float, List, Markup, TemplateError, Text, Undefined, compare, equal, numberOf, typeOf } from './values.js';
import { str } from './write.js';

/** @import { Writer } from './write.js' */

/** Maximum number of steps charged for repeating a list with `*`. This maximum is larger than the whole budget, so repeating a list
 * to this length always throws an error. */
const MOST_TIMES = 2 ** 24;

/** @param {Writer} machine @param {string} operator @param {any} a @param {any} b */
export function compares(machine, operator, a, b) {
  switch (operator) {
    case '==':
      return equal(a, b, machine.budget);
    case '!=':
      return !equal(a, b, machine.budget);
    case 'in':
      return contains(machine, b, a);
    case 'not in':
      return !contains(machine, b, a);
  }
  const order = compare(a, b, machine.budget);
  return operator === '<' ? order < 0 : operator === '>' ? order > 0 : operator === '<=' ? order <= 0 : order >= 0;
}

/** @param {Writer} machine @param {string} operator @param {any} a @param {any} b @returns {any} */
export function arithmetic(machine, operator, a, b) {
  const refuse = () => new TemplateError(`${typeOf(a)} ${operator} ${typeOf(b)} is not possible`);
  for (const one of [a, b]) if (one instanceof Undefined) throw new TemplateError(`${one.name} is undefined`);
  if (operator === '+' && a instanceof Text && b instanceof Text) return added(machine, a, b);
  if (operator === '+' && a instanceof List && b instanceof List && a.kind === b.kind && a.kind !== 'range') {
    machine.budget.charge(a.items.length + b.items.length);
    return new List([...a.items, ...b.items], a.kind);
  }
  if (operator === '%' && a instanceof Text) return formatted(machine, a, b instanceof List && b.kind === 'tuple' ? b.items : [b]);
  const [x, y] = [numberOf(a), numberOf(b)];
  if (operator === '*' && (x === undefined) !== (y === undefined))
    return repeated(machine, .../** @type {[any, number]} */ (x === undefined ? [a, y] : [b, x]), refuse);
  if (x === undefined || y === undefined) throw refuse();
  if (y === 0 && ['/', '//', '%'].includes(operator)) throw new TemplateError('a division by zero');
  if (operator === '**' && (a instanceof Float || b instanceof Float || y < 0))
    throw new TemplateError('** takes integers with a non-negative exponent');
  const isFloat = a instanceof Float || b instanceof Float || operator === '/';
  const value = calculate(operator, x, y);
  if (isFloat && Number.isFinite(value)) return new Float(value);
  if (!Number.isSafeInteger(value)) throw new TemplateError(`the number ${value} is too large, or not a number`);
  return value + 0;
}

/** @param {Writer} machine @param {any} what @param {number} times @param {() => Error} refuse */
function repeated(machine, what, times, refuse) {
  if (!(Number.isInteger(times) && (what instanceof List || what instanceof Text)) || what instanceof Markup) throw refuse();
  const length = Math.max(0, times) * (what instanceof Text ? what.text.length : what.items.length);
  if (what instanceof Text) {
    machine.budget.characters(length);
    return new Text(what.text.repeat(Math.max(0, times)), what.sources.repeat(Math.max(0, times)));
  }
  machine.budget.charge(Math.min(length, MOST_TIMES));
  return new List(Array.from({ length: Math.max(0, times) }, () => what.items).flat(), what.kind);
}

/** Evaluates `a ~ b`. @param {Writer} machine @param {any} a @param {any} b */
export const concatenated = (machine, a, b) => added(machine, plainText(str(machine, a)), plainText(str(machine, b)));

/** @param {Text} text */
const plainText = (text) => (text instanceof Markup ? new Text(text.text, text.sources) : text);

/** @param {string} operator @param {number} x @param {number} y */
function calculate(operator, x, y) {
  switch (operator) {
    case '+':
      return x + y;
    case '-':
      return x - y;
    case '*':
      return x * y;
    case '/':
      return x / y;
    case '//': {
      const quotient = (x - (x % y)) / y - Number(modulo(x, y) !== x % y); // the same rounding as in CPython
      if (quotient === 0) return 0 * (x / y);
      return Math.floor(quotient) + Number(quotient - Math.floor(quotient) > 0.5);
    }
    case '%':
      return modulo(x, y);
    case '**':
      return x ** y;
    default:
      throw new TemplateError(`the operator ${operator} is not supported`);
  }
}

/** Returns the remainder of x / y. The remainder has the sign of y, as in Python. @param {number} x @param {number} y */
function modulo(x, y) {
  const rest = x % y;
  if (rest === 0) return y < 0 ? -0 : 0;
  return rest < 0 === y < 0 ? rest : rest + y;
}
