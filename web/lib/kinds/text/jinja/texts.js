// SPDX-License-Identifier: MIT
// @ts-check

/** Implements the methods of str, list and dict that templates use. The methods behave as in Python. */

import {
  Callable,
  changed,
  Dict,
  eachChanged,
  equal,
  isSpace,
  joined,
  List,
  Markup,
  numberOf,
  TemplateError,
  Text,
  typeOf,
  View,
} from './values.js';
import { escaped } from './write.js';

/** @import { Budget } from './budget.js' */
/** @import { Writer } from './write.js' */
/** @import { Keywords } from './values.js' */

/**
 * Returns the arguments of a call, in the order of `names`.
 *
 * @param {string} of
 * @param {any[]} args
 * @param {Keywords} keywords
 * @param {string} names  the names of the parameters, separated by spaces
 * @returns {any[]} undefined for arguments that are not given
 */
export function argumentsOf(of, args, keywords, names) {
  const all = names === '' ? [] : names.split(' ');
  if (args.length > all.length) throw new TemplateError(`${of}() takes at most ${all.length} arguments, not ${args.length}`);
  for (const name of keywords.keys()) {
    const at = all.indexOf(name);
    if (at < 0 || at < args.length) throw new TemplateError(`${of}() takes no argument ${name}`);
  }
  return all.map((name, i) => (i < args.length ? args[i] : keywords.get(name)));
}

/** @param {string} of @param {any} value @returns {Text} */
export function textIn(of, value) {
  if (value instanceof Text) return value;
  throw new TemplateError(`${of}() takes a string, not ${value === undefined ? 'nothing' : typeOf(value)}`);
}

/** @param {string} of @param {any} value @returns {number} */
export function intIn(of, value) {
  if (typeof value === 'number' || typeof value === 'boolean') return Number(value);
  throw new TemplateError(`${of}() takes a whole number, not ${typeOf(value)}`);
}

/** Strips characters from the ends of a string: white space, or the characters of `set`.
 * @param {Text} text @param {string | undefined} set @param {boolean} left @param {boolean} right */
export function stripped(text, set, left, right) {
  const characters = set === undefined ? undefined : new Set(set);
  const goes = (/** @type {string} */ one) => (characters ? characters.has(one) : isSpace(one.charCodeAt(0)));
  let [from, to] = [0, text.text.length];
  while (left && from < to) {
    const one = String.fromCodePoint(Number(text.text.codePointAt(from)));
    if (!goes(one)) break;
    from += one.length;
  }
  while (right && from < to) {
    const pair = /^[\udc00-\udfff]$/.test(text.text[to - 1]) && to - 2 >= from;
    const one = text.text.slice(pair ? to - 2 : to - 1, to);
    if (!goes(one)) break;
    to -= one.length;
  }
  return text.slice(from, to);
}

/**
 * Yields the positions in `text` at which `sought` occurs. Overlapping occurrences are skipped.
 * @param {Writer} writer
 * @param {string} text
 * @param {string} sought
 * @param {number} [most]
 */
function* placesOf({ budget }, text, sought, most = Infinity) {
  budget.search(text.length, sought.length);
  for (let at = text.indexOf(sought), n = 0; at >= 0 && n < most; at = text.indexOf(sought, at + sought.length), n++) {
    budget.items();
    yield at;
  }
}

/** @param {Writer} writer @param {Text} text @param {Text} old @param {Text} other @param {number} most */
export function replaced(writer, text, old, other, most) {
  if (most < 0) most = Infinity;
  const parts = [];
  if (old.text === '') {
    writer.budget.items(text.text.length);
    const all = text.characters();
    writer.budget.characters(text.text.length + Math.min(most, all.length + 1) * other.text.length);
    all.forEach((one, i) => parts.push(...(i < most ? [other, one] : [one])));
    if (all.length < most) parts.push(other);
    return joined(parts);
  }
  let done = 0;
  let length = text.text.length;
  for (const at of placesOf(writer, text.text, old.text, most)) {
    length += other.text.length - old.text.length;
    if (parts.length % 256 === 0) writer.budget.characters(length);
    parts.push(text.slice(done, at), other);
    done = at + old.text.length;
  }
  writer.budget.characters(length);
  return done === 0 ? text : joined([...parts, text.slice(done)]);
}

/** @param {Writer} writer @param {Text} text @param {any} separator @param {number} most @param {boolean} fromRight */
function split(writer, text, separator, most, fromRight) {
  if (most < 0) most = Infinity;
  /** The positions at which each separator begins and ends. @type {[number, number][]} */
  let cuts = [];
  writer.budget.characters(text.text.length);
  if (separator === undefined || separator === null) {
    const whole = stripped(text, undefined, !fromRight || most === Infinity, fromRight || most === Infinity);
    text = whole;
    for (let at = 0; at < text.text.length; at++) {
      if (!isSpace(text.text.charCodeAt(at))) continue;
      const from = at;
      while (isSpace(text.text.charCodeAt(at + 1))) at++;
      cuts.push([from, at + 1]);
    }
    writer.budget.items(cuts.length);
    if (text.text === '') return new List([]);
  } else {
    const { text: by } = textIn('split', separator);
    if (by === '') throw new TemplateError('split() takes no empty separator');
    cuts = [...placesOf(writer, text.text, by)].map((at) => [at, at + by.length]);
  }
  cuts = fromRight ? cuts.slice(Math.max(0, cuts.length - most)) : cuts.slice(0, most);
  const parts = [];
  let done = 0;
  for (const [from, to] of cuts) {
    parts.push(text.slice(done, from));
    done = to;
  }
  const rest = text.slice(done);
  // Trailing white space does not add an empty item.
  if ((separator !== undefined && separator !== null) || rest.text !== '') parts.push(rest);
  if ((separator === undefined || separator === null) && parts[0]?.text === '') parts.shift();
  return new List(parts);
}

/** @param {Budget} budget @param {Text} text @param {boolean} keepEnds */
export function linesOf(budget, text, keepEnds) {
  const lines = [];
  let done = 0;
  for (const { index, 0: end } of text.text.matchAll(/\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]/g)) {
    budget.items();
    lines.push(text.slice(done, keepEnds ? index + end.length : index));
    done = index + end.length;
  }
  if (done < text.text.length) lines.push(text.slice(done));
  return lines;
}

/** Returns the form that a character has at the beginning of a capitalised word: \u00df becomes Ss, not SS. @param {string} one */
const titleCase = (one) => one.toUpperCase().slice(0, one.length) + one.toUpperCase().slice(one.length).toLowerCase();

/** @param {Text} text */
const capitalized = (text) => {
  const [first] = text.characters();
  if (!first) return text;
  const rest = changed(text.slice(first.text.length), (part) => part.toLowerCase());
  return joined([changed(first, titleCase), rest]);
};

/** Capitalises each letter that does not follow another letter, and lowercases all other letters. @param {Text} text */
function titled(text) {
  let within = false;
  return eachChanged(text, (one) => {
    const made = within ? one.toLowerCase() : titleCase(one);
    within = one.toLowerCase() !== one.toUpperCase();
    return made;
  });
}

/** @param {Writer} writer @param {string} name @param {Text} text @param {any[]} args @param {Keywords} keywords */
function edge({ budget }, name, text, args, keywords) {
  budget.characters(text.text.length);
  const [what, from, to] = argumentsOf(name, args, keywords, 'prefix start end');
  const all = from === undefined && to === undefined ? text.text : cut(text, from, to).text;
  const options = what instanceof List && what.kind === 'tuple' ? what.items : [what];
  return options.some((one) => all[name === 'startswith' ? 'startsWith' : 'endsWith'](textIn(name, one).text));
}

/** Returns a slice of a string. The bounds are indices of code points, not of UTF-16 code units.
 * @param {Text} text @param {any} from @param {any} to */
function cut(text, from, to) {
  const at = (/** @type {any} */ place) => (place === undefined || place === null ? undefined : intIn('slice', place));
  return joined(text.characters().slice(at(from), at(to)));
}

/** @param {Writer} writer @param {string} name @param {Text} text @param {any[]} args @param {Keywords} keywords */
function placeIn(writer, name, text, args, keywords) {
  const [sought, from, to] = argumentsOf(name, args, keywords, 'sub start end');
  if (from !== undefined || to !== undefined) throw new TemplateError(`${name}() with a start or end is not supported`);
  const { text: what } = textIn(name, sought);
  writer.budget.search(text.text.length, what.length);
  const at = name.startsWith('r') ? text.text.lastIndexOf(what) : text.text.indexOf(what);
  if (at < 0 && name.endsWith('index')) throw new TemplateError('substring not found');
  return at < 0 ? at : text.slice(0, at).length;
}

/** @param {Writer} writer @param {Text} text @param {any[]} args @param {Keywords} keywords @param {string} name @param {boolean} first */
function partition({ budget }, text, args, keywords, name, first) {
  const by = textIn(name, argumentsOf(name, args, keywords, 'sep')[0]);
  budget.search(text.text.length, by.text.length);
  const at = first ? text.text.indexOf(by.text) : text.text.lastIndexOf(by.text);
  const [none, whole] = [Text.of(''), text];
  if (at < 0) return new List(first ? [whole, none, none] : [none, none, whole], 'tuple');
  return new List([text.slice(0, at), by, text.slice(at + by.text.length)], 'tuple');
}

/** @param {Writer} writer @param {Text} text @param {any[]} args @param {Keywords} keywords @param {string} name */
export function justified({ budget }, text, args, keywords, name) {
  const [width, fill] = argumentsOf(name, args, keywords, 'width fillchar');
  const space = fill === undefined ? Text.of(' ') : textIn(name, fill);
  const left = Math.max(0, intIn(name, width) - text.length);
  budget.characters(left);
  const pad = (/** @type {number} */ n) => joined(Array(n).fill(space));
  if (name === 'ljust') return joined([text, pad(left)]);
  if (name === 'rjust') return joined([pad(left), text]);
  const before = (left >> 1) + (left & intIn(name, width) & 1); // rounded as in CPython
  return joined([pad(before), text, pad(left - before)]);
}

/** @param {RegExp} all @param {RegExp} [some] */
const made =
  (all, some = all) =>
  (/** @type {Writer} */ { budget }, /** @type {Text} */ { text }) => {
    budget.charge(text.length / 2);
    return text !== '' && all.test(text) && some.test(text);
  };

/** @typedef {(writer: Writer, self: any, args: any[], keywords: Keywords, name: string) => any} Method */

/** @type {(left: boolean, right: boolean) => Method} */
const strip = (left, right) => (writer, self, args, keywords, name) => {
  const [set] = argumentsOf(name, args, keywords, 'chars');
  writer.budget.characters(self.text.length);
  return stripped(self, set === undefined || set === null ? undefined : textIn(name, set).text, left, right);
};

/** @type {(change: (text: Text) => Text) => Method} */
const whole = (change) => (writer, self, args, keywords, name) => {
  argumentsOf(name, args, keywords, '');
  writer.budget.items(self.text.length / 2);
  return change(self);
};

/** @type {Map<string, Method>} */
export const TEXT_METHODS = new Map(
  /** @type {[string, Method][]} */ ([
    ['upper', whole((text) => changed(text, (part) => part.toUpperCase()))],
    ['lower', whole((text) => changed(text, (part) => part.toLowerCase()))],
    [
      'swapcase',
      whole((text) =>
        changed(text, (part) => Array.from(part, (one) => (one === one.toUpperCase() ? one.toLowerCase() : one.toUpperCase())).join('')),
      ),
    ],
    ['capitalize', whole(capitalized)],
    ['title', whole(titled)],
    ['strip', strip(true, true)],
    ['lstrip', strip(true, false)],
    ['rstrip', strip(false, true)],
    ['startswith', (writer, self, args, keywords, name) => edge(writer, name, self, args, keywords)],
    ['endswith', (writer, self, args, keywords, name) => edge(writer, name, self, args, keywords)],
    [
      'removeprefix',
      (_, self, args, keywords, name) => {
        const { text } = textIn(name, argumentsOf(name, args, keywords, 'prefix')[0]);
        return self.text.startsWith(text) ? self.slice(text.length) : self;
      },
    ],
    [
      'removesuffix',
      (_, self, args, keywords, name) => {
        const { text } = textIn(name, argumentsOf(name, args, keywords, 'suffix')[0]);
        return text !== '' && self.text.endsWith(text) ? self.slice(0, -text.length) : self;
      },
    ],
    [
      'split',
      (writer, self, args, keywords, name) => {
        const [separator, most] = argumentsOf(name, args, keywords, 'sep maxsplit');
        return split(writer, self, separator, most === undefined ? -1 : intIn(name, most), false);
      },
    ],
    [
      'rsplit',
      (writer, self, args, keywords, name) => {
        const [separator, most] = argumentsOf(name, args, keywords, 'sep maxsplit');
        return split(writer, self, separator, most === undefined ? -1 : intIn(name, most), true);
      },
    ],
    [
      'splitlines',
      (writer, self, args, keywords, name) => {
        writer.budget.characters(self.text.length);
        return new List(linesOf(writer.budget, self, argumentsOf(name, args, keywords, 'keepends')[0] === true));
      },
    ],
    ['partition', (writer, self, args, keywords, name) => partition(writer, self, args, keywords, name, true)],
    ['rpartition', (writer, self, args, keywords, name) => partition(writer, self, args, keywords, name, false)],
    [
      'replace',
      (writer, self, args, keywords, name) => {
        const [old, other, count] = argumentsOf(name, args, keywords, 'old new count');
        return replaced(writer, self, textIn(name, old), textIn(name, other), count === undefined ? -1 : intIn(name, count));
      },
    ],
    [
      'join',
      (writer, self, args, keywords, name) => {
        const [items] = argumentsOf(name, args, keywords, 'iterable');
        const all = itemsOf(items, writer.budget).map((one) => textIn(name, one));
        writer.budget.charge(all.length);
        return joined(all.flatMap((one, i) => (i > 0 ? [self, one] : [one])));
      },
    ],
    ['find', (writer, self, args, keywords, name) => placeIn(writer, name, self, args, keywords)],
    ['rfind', (writer, self, args, keywords, name) => placeIn(writer, name, self, args, keywords)],
    ['index', (writer, self, args, keywords, name) => placeIn(writer, name, self, args, keywords)],
    ['rindex', (writer, self, args, keywords, name) => placeIn(writer, name, self, args, keywords)],
    [
      'count',
      (writer, self, args, keywords, name) => {
        const { text } = textIn(name, argumentsOf(name, args, keywords, 'sub')[0]);
        return text === '' ? self.length + 1 : [...placesOf(writer, self.text, text)].length;
      },
    ],
    ['ljust', (writer, self, args, keywords, name) => justified(writer, self, args, keywords, name)],
    ['rjust', (writer, self, args, keywords, name) => justified(writer, self, args, keywords, name)],
    ['center', (writer, self, args, keywords, name) => justified(writer, self, args, keywords, name)],
    ['isalpha', made(/^\p{L}+$/u)],
    ['isalnum', made(/^[\p{L}\p{N}]+$/u)],
    ['isdigit', made(/^(?:\p{Nd}|[\u00b2\u00b3\u00b9\u2070-\u2089])+$/u)],
    ['isdecimal', made(/^\p{Nd}+$/u)],
    ['isnumeric', made(/^\p{N}+$/u)],
    ['isascii', (_, { text }) => /^[\0-\x7f]*$/.test(text)],
    ['isspace', (_, { text }) => text !== '' && stripped(Text.of(text), undefined, true, false).text === ''],
    ['isupper', made(/^[^\p{Ll}\p{Lt}]+$/u, /\p{Lu}/u)],
    ['islower', made(/^[^\p{Lu}\p{Lt}]+$/u, /\p{Ll}/u)],
  ]),
);

/**
 * Returns the items of any value that Python can iterate, and charges the budget for items that this call creates.
 * @param {any} value
 * @param {Budget} budget
 * @returns {any[]}
 */
export function itemsOf(value, budget) {
  if (value instanceof Text || value instanceof Dict) budget.items(value instanceof Text ? value.text.length : value.pairs.size);
  if (value instanceof Text) return value.characters();
  if (value instanceof Dict) return [...value.pairs.values()].map(([key]) => key);
  if (value instanceof List || value instanceof View) return value.items;
  const type = typeOf(value);
  if (type === 'undefined') return [];
  if (type !== 'iterator') throw new TemplateError(`a value of type ${type} has no items`);
  const { items } = value;
  value.items = []; // an iterator can be read only once
  return items;
}

const REFUSED = 'is not allowed: the transformers package forbids changes of a list or a dict';
/** @type {Method} */
const refuse = (_, _self, _args, _keywords, name) => {
  throw new TemplateError(`${name}() ${REFUSED}`);
};

/** @type {Map<string, Method>} */
const LIST_METHODS = new Map(
  /** @type {[string, Method][]} */ ([
    [
      'index',
      ({ budget }, self, args, keywords, name) => {
        const [sought] = argumentsOf(name, args, keywords, 'value');
        const at = self.items.findIndex((/** @type {any} */ one) => equal(one, sought, budget));
        if (at < 0) throw new TemplateError('the value is not in the list');
        return at;
      },
    ],
    [
      'count',
      ({ budget }, self, args, keywords, name) => {
        const [sought] = argumentsOf(name, args, keywords, 'value');
        return self.items.filter((/** @type {any} */ one) => equal(one, sought, budget)).length;
      },
    ],
    ['copy', (_, self) => new List(self.items.slice(), self.kind, self.source)],
    ...['append', 'extend', 'insert', 'pop', 'remove', 'clear', 'sort', 'reverse'].map(
      (name) => /** @type {[string, Method]} */ ([name, refuse]),
    ),
  ]),
);

/** @param {Dict} dict */
export const itemPairs = (dict) => [...dict.pairs.values()].map((pair) => new List(pair, 'tuple', dict.source));

/** @type {Map<string, Method>} */
const DICT_METHODS = new Map(
  /** @type {[string, Method][]} */ ([
    [
      'get',
      (_, self, args, keywords, name) => {
        const [key, other = null] = argumentsOf(name, args, keywords, 'key default');
        const found = key instanceof Text ? self.pairs.get(key.text) : undefined;
        return found ? found[1] : other;
      },
    ],
    ['items', ({ budget }, self) => (budget.items(self.pairs.size), new View(itemPairs(self)))],
    ['keys', ({ budget }, self) => new View(itemsOf(self, budget))],
    ['values', ({ budget }, self) => (budget.items(self.pairs.size), new View([...self.pairs.values()].map(([, value]) => value)))],
    ['copy', (_, self) => new Dict(self.pairs.values(), self.source)],
    ...['clear', 'pop', 'popitem', 'setdefault', 'update'].map((name) => /** @type {[string, Method]} */ ([name, refuse])),
  ]),
);

/** Python methods that are not implemented. Calling one of them throws an error. */
const ABSENT = new Set(
  'casefold encode expandtabs format format_map isidentifier isprintable istitle maketrans translate zfill fromkeys real imag numerator denominator is_integer bit_length'.split(
    ' ',
  ),
);

/** Charges the budget for each string argument (including `self`), then calls a method.
 * @param {Method} method @param {Writer} writer
 * @param {any} self @param {any[]} args @param {Keywords} keywords @param {string} name */
export function callMethod(method, writer, self, args, keywords, name) {
  for (const one of [self, ...args, ...keywords.values()]) if (one instanceof Text) writer.budget.characters(one.text.length);
  return method(writer, self, args, keywords, name);
}

/**
 * Returns a method of a value, bound to the value.
 *
 * @param {Writer} writer
 * @param {any} value
 * @param {string} name
 * @returns {Callable | undefined}
 */
export function methodOf(writer, value, name) {
  const methods =
    value instanceof Text ? TEXT_METHODS : value instanceof List ? LIST_METHODS : value instanceof Dict ? DICT_METHODS : undefined;
  const method = methods?.get(name);
  if (method && value instanceof Markup && ['replace', 'join', 'partition', 'rpartition', 'center', 'ljust', 'rjust'].includes(name))
    throw new TemplateError(`${name}() of a string marked as safe is not supported`);
  if (method) return new Callable(name, (args, keywords) => callMethod(method, writer, value, args, keywords, name));
  if ((methods || numberOf(value) !== undefined) && ABSENT.has(name) && !(value instanceof Dict && value.pairs.has(name)))
    throw new TemplateError(`${name}() of a ${typeOf(value)} is not supported`);
  return undefined;
}

/** @type {Record<string, string>} */
const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', "'": '&#39;', '"': '&#34;' };

/** Escapes a string for HTML. @param {Writer} writer @param {Text} text */
export function markupOf({ budget }, text) {
  if (text instanceof Markup) return text;
  budget.characters(text.text.length);
  const { text: html, sources } = escaped(budget, text, /[&<>'"]/g, (one) => ENTITIES[one]);
  return new Markup(html, sources);
}

/** Concatenates two strings. @param {Writer} writer @param {Text} a @param {Text} b */
export function added(writer, a, b) {
  writer.budget.limit(a.text.length + b.text.length); // checked now, because JavaScript engines join strings only when the result is read
  const isMarkup = a instanceof Markup || b instanceof Markup;
  const [left, right] = isMarkup ? [markupOf(writer, a), markupOf(writer, b)] : [a, b];
  return new (isMarkup ? Markup : Text)(left.text + right.text, left.sources + right.sources);
}
