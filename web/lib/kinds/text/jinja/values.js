// SPDX-License-Identifier: MIT
// @ts-check

/**
 * How a template's values are represented in JavaScript. Python's None is null, a bool is a boolean, and an int is a number. A str is a
 * Text, which also stores the source of each character. The tokenizer uses the sources to find out which characters the template wrote.
 */

/** @import { Budget } from './budget.js' */

/** An error in a template, or in its execution. */
export class TemplateError extends Error {}

/** An error that the template itself raises, with raise_exception(). */
export class Refusal extends TemplateError {}

/** Thrown if a template needs more time or memory than allowed. */
export class OverBudget extends TemplateError {}

/**
 * The source number that marks the characters written by the template itself. Every other character has the source number of the value
 * that it was copied from.
 */
export const TEMPLATE = 0;

/** @param {number} length @param {number} source */
const marks = (length, source) => String.fromCharCode(source).repeat(length);

export class Text {
  /**
   * @param {string} text
   * @param {string} sources  a string as long as `text`: the code of each character is the source number of the character at the same index
   *   of `text`
   */
  constructor(text, sources) {
    this.text = text;
    this.sources = sources;
  }

  /** Returns a Text with a single source. @param {string} text @param {number} [source] */
  static of(text, source = TEMPLATE) {
    return new this(text, marks(text.length, source));
  }

  /** @param {number} from @param {number} [to] */
  slice(from, to) {
    return new /** @type {typeof Text} */ (this.constructor)(this.text.slice(from, to), this.sources.slice(from, to));
  }

  /** Returns the characters, which are code points, as in Python. @returns {Text[]} */
  characters() {
    const all = [];
    for (let at = 0; at < this.text.length; ) {
      const length = Number(this.text.codePointAt(at)) > 0xffff ? 2 : 1;
      all.push(this.slice(at, at + length));
      at += length;
    }
    return all;
  }

  /** Returns the number of characters. */
  get length() {
    const { text } = this;
    return /[\ud800-\udbff]/.test(text) ? Array.from(text).length : text.length;
  }
}

/** A string that the filter `safe` has marked. If a plain string is added to a Markup with `+`, the plain string is escaped, even without
 * autoescape. */
export class Markup extends Text {}

/** @param {Text[]} texts */
export const joined = (texts) => new Text(texts.map(({ text }) => text).join(''), texts.map(({ sources }) => sources).join(''));

/**
 * Changes a string. If its length stays the same, all characters keep their sources. Otherwise each character is changed separately.
 * @param {Text} text
 * @param {(part: string) => string} change
 */
export function changed(text, change) {
  const whole = change(text.text);
  if (whole.length === text.text.length) return new /** @type {typeof Text} */ (text.constructor)(whole, text.sources);
  return eachChanged(text, change);
}

/**
 * Changes each character separately. The new characters have the source of the old character.
 * @param {Text} text
 * @param {(character: string) => string} change
 */
export function eachChanged(text, change) {
  let [made, sources] = ['', ''];
  let at = 0;
  for (const one of text.text) {
    const other = change(one);
    made += other;
    sources += text.sources[at].repeat(other.length);
    at += one.length;
  }
  return new /** @type {typeof Text} */ (text.constructor)(made, sources);
}

export class Float {
  /** @param {number} value */
  constructor(value) {
    this.value = value;
  }
}

/** `kind`: name of the type in Python. `source`: when the list is converted to a string, its brackets and commas have this source number
 * (see ../template.js). */
export class List {
  /** @param {any[]} items @param {'list' | 'tuple' | 'range'} [kind] @param {number} [source] */
  constructor(items, kind = 'list', source = TEMPLATE) {
    this.items = items;
    this.kind = kind;
    this.source = source;
  }
}

/** A Python iterator, which can be read only once: the result of map(), select() and similar filters. */
export class Iterator {
  /** @param {any[]} items */
  constructor(items) {
    this.items = items;
  }
}

/** The keys, values or items of a dict. */
export class View {
  /** @param {any[]} items */
  constructor(items) {
    this.items = items;
  }
}

/** @typedef {[key: Text, value: any]} Pair */

export class Dict {
  /** @param {Iterable<Pair>} pairs @param {number} [source] */
  constructor(pairs, source = TEMPLATE) {
    /** @type {Map<string, Pair>} */
    this.pairs = new Map();
    for (const pair of pairs) this.pairs.set(pair[0].text, pair);
    this.source = source;
  }

  /** @param {string} key */
  get(key) {
    return this.pairs.get(key)?.[1];
  }
}

/** A namespace(), or the variable `loop`. A namespace has attributes but no items. */
export class Namespace {
  /** @param {Map<string, any>} values @param {boolean} [fixed] */
  constructor(values, fixed = false) {
    this.values = values;
    this.fixed = fixed;
  }
}

export class Undefined {
  /** @param {string} name  the name that is missing */
  constructor(name) {
    this.name = name;
  }
}

/** Keyword arguments of a call. @typedef {Map<string, any>} Keywords */

export class Callable {
  /**
   * @param {string} name
   * @param {(args: any[], keywords: Keywords) => any} call  returns the value, or a generator that computes it
   */
  constructor(name, call) {
    this.name = name;
    this.call = call;
  }
}

/** Returns the name of a value's Python type. @param {any} value */
export function typeOf(value) {
  if (value === null) return 'NoneType';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'number') return 'int';
  if (value instanceof Float) return 'float';
  if (value instanceof Text) return 'str';
  if (value instanceof List) return value.kind;
  if (value instanceof Dict) return 'dict';
  if (value instanceof Namespace) return value.fixed ? 'loop' : 'namespace';
  if (value instanceof Undefined) return 'undefined';
  return value instanceof Callable ? 'function' : 'iterator';
}

/** Returns whether a character is white space, as in str.strip(). @param {number} code */
export function isSpace(code) {
  return (
    (code >= 9 && code <= 13) ||
    (code >= 28 && code <= 32) ||
    code === 0x85 ||
    code === 0xa0 ||
    code === 0x1680 ||
    (code >= 0x2000 && code <= 0x200a) ||
    code === 0x2028 ||
    code === 0x2029 ||
    code === 0x202f ||
    code === 0x205f ||
    code === 0x3000
  );
}

/** @param {string} text */
export function trimEnd(text) {
  let end = text.length;
  while (end > 0 && isSpace(text.charCodeAt(end - 1))) end--;
  return text.slice(0, end);
}

/**
 * Returns the number that a value represents in arithmetic, or undefined if it is not a number.
 * @param {any} value
 * @returns {number | undefined}
 */
export function numberOf(value) {
  if (typeof value === 'number') return value;
  if (typeof value === 'boolean') return Number(value);
  return value instanceof Float ? value.value : undefined;
}

/** @param {any} value */
export const isFloat = (value) => value instanceof Float;

/** @param {any} value */
export function truth(value) {
  if (value === null || value instanceof Undefined) return false;
  const number = numberOf(value);
  if (number !== undefined) return number !== 0;
  if (value instanceof Text) return value.text !== '';
  if (value instanceof List || value instanceof View) return value.items.length > 0;
  return value instanceof Dict ? value.pairs.size > 0 : true;
}

/** @param {number} value */
export function floatText(value) {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'nan' : value > 0 ? 'inf' : '-inf';
  if (Object.is(value, -0)) return '-0.0';
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e16)) return value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2');
  return Number.isInteger(value) ? `${value}.0` : String(value);
}

/** Comparing this number of characters of two strings costs as much as one item of the budget (see budget.js). */
const ITEM_TEXT = 64;

/** Returns the cost of comparing two values, in items. Long strings cost more. @param {any} a @param {any} b */
const textItems = (a, b) => 1 + (a instanceof Text && b instanceof Text ? Math.min(a.text.length, b.text.length) / ITEM_TEXT : 0);

/**
 * Returns whether two values are equal, and charges the budget for each comparison.
 * @param {any} a
 * @param {any} b
 * @param {Budget} budget
 * @returns {boolean}
 */
export function equal(a, b, budget) {
  budget.items(textItems(a, b));
  const [x, y] = [numberOf(a), numberOf(b)];
  if (x !== undefined || y !== undefined) return x === y;
  if (a instanceof Text) return b instanceof Text && a.text === b.text;
  if (a instanceof List)
    return (
      b instanceof List &&
      a.kind === b.kind &&
      a.items.length === b.items.length &&
      a.items.every((one, i) => equal(one, b.items[i], budget))
    );
  if (a instanceof Dict) {
    if (!(b instanceof Dict) || a.pairs.size !== b.pairs.size) return false;
    for (const [key, [, value]] of a.pairs) if (!b.pairs.has(key) || !equal(value, b.get(key), budget)) return false;
    return true;
  }
  if (a instanceof Undefined) return b instanceof Undefined;
  return a === b;
}

/**
 * Compares two values, and charges the budget for each comparison. A result below 0 means that `a` comes before `b`.
 * @param {any} a
 * @param {any} b
 * @param {Budget} budget
 * @returns {number}
 */
export function compare(a, b, budget) {
  budget.items(textItems(a, b));
  const [x, y] = [numberOf(a), numberOf(b)];
  if (x !== undefined && y !== undefined) return x - y;
  if (a instanceof Text && b instanceof Text) return compareTexts(a.text, b.text);
  if (a instanceof List && b instanceof List && a.kind === b.kind) {
    for (let i = 0; i < Math.min(a.items.length, b.items.length); i++)
      if (!equal(a.items[i], b.items[i], budget)) return compare(a.items[i], b.items[i], budget);
    return a.items.length - b.items.length;
  }
  throw new TemplateError(`${typeOf(a)} and ${typeOf(b)} cannot be compared`);
}

/** Compares strings by code points. @param {string} a @param {string} b */
function compareTexts(a, b) {
  if (a === b) return 0;
  let at = 0;
  while (at < a.length && at < b.length && a[at] === b[at]) at++;
  return (a.codePointAt(at) ?? -1) - (b.codePointAt(at) ?? -1);
}
