// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Implements the Jinja filters and tests that templates use. These filters and tests behave as in Jinja 3.1 and the transformers package.
 * Any other filter or test throws an error that names the filter or test.
 */

import {
  Callable,
  Dict,
  Float,
  Iterator,
  List,
  Markup,
  Namespace,
  TemplateError,
  Text,
  Undefined,
  View,
  changed,
  compare,
  equal,
  joined,
  numberOf,
  truth,
  typeOf,
} from './values.js';
import { getItem } from './items.js';
import {
  TEXT_METHODS,
  argumentsOf,
  callMethod,
  intIn,
  itemPairs,
  itemsOf,
  justified,
  linesOf,
  markupOf,
  replaced,
  stripped,
  textIn,
} from './texts.js';
import { json, str } from './write.js';

/** @import { Method } from './texts.js' */
/** @import { Keywords } from './values.js' */
/** @import { Writer } from './write.js' */

/** @typedef {(machine: Writer, value: any, args: any[], keywords: Keywords, name: string) => any} Filter */

const NO_KEYWORDS = new Map();

/** Returns the attribute that a dotted name such as `function.name` selects from a value.
 * @param {Writer} machine @param {any} value @param {any} path */
function attributeOf(machine, value, path) {
  const parts =
    typeof path === 'number'
      ? [path]
      : textIn('attribute', path)
          .text.split('.')
          .map((part) => (/^\d+$/.test(part) ? Number(part) : Text.of(part)));
  return parts.reduce((inner, part) => getItem(machine, inner, part), value);
}

/** Returns the items of a value, and charges the budget for each item. @param {Writer} machine @param {any} value */
export function counted({ budget }, value) {
  const items = itemsOf(value, budget);
  budget.items(items.length);
  return items;
}

/** Converts a string to lower case for comparisons, unless `isSensitive` is true. Returns other values unchanged.
 * @param {any} value @param {any} isSensitive */
const caseless = (value, isSensitive) =>
  value instanceof Text && !truth(isSensitive ?? false) ? changed(value, (part) => part.toLowerCase()) : value;

/** @param {Writer} machine @param {any[]} items @param {(item: any) => any} keyOf @param {boolean} isReverse */
function sorted({ budget }, items, keyOf, isReverse) {
  const keyed = items.map((item) => ({ item, key: keyOf(item) }));
  keyed.sort((a, b) => (isReverse ? compare(b.key, a.key, budget) : compare(a.key, b.key, budget)));
  return keyed.map(({ item }) => item);
}

/** Parses an integer, like Python's int(). Returns NaN if the string is not valid. @param {string} text @param {number} base */
function wholeOf(text, base) {
  const [, sign, digits] = /^\s*([-+]?)(?:0[xob](?=\w))?(\w+)\s*$/i.exec(text.slice(0, 400)) ?? [];
  if (digits === undefined) return NaN;
  const plain = digits.replace(/(?<=\w)_(?=\w)/g, '').toLowerCase();
  const allowed = '0123456789abcdefghijklmnopqrstuvwxyz'.slice(0, base);
  if ([...plain].some((one) => !allowed.includes(one))) return NaN;
  return (sign === '-' ? -1 : 1) * parseInt(plain, base);
}

/** @param {string} text */
function floatOf(text) {
  const plain = text.slice(0, 400).trim();
  if (/^[-+]?(?:inf|infinity)$/i.test(plain)) return plain.startsWith('-') ? -Infinity : Infinity;
  return /^[-+]?(?:\d[\d_]*\.?\d*|\.\d+)(?:e[-+]?\d+)?$/i.test(plain) ? Number(plain.replaceAll('_', '')) : NaN;
}

/**
 * Rounds a number to `digits` digits after the decimal point. Ties are rounded to an even last digit.
 * @param {number} value
 * @param {number} digits
 */
function rounded(value, digits) {
  if (digits < 0 || digits > 20) throw new TemplateError(`round() to ${digits} digits is not supported`);
  const size = Math.abs(value);
  if (size >= 2 ** 52) return value;
  const isTie = /^50*$/.test(size.toFixed(100).split('.')[1].slice(digits));
  const near = Number(size.toFixed(digits));
  const even = isTie && Number(size.toFixed(digits).slice(-1)) % 2 === 1 ? Number((near - 10 ** -digits).toFixed(digits)) : near;
  return value < 0 || Object.is(value, -0) ? -even : even;
}

/**
 * Formats values like Python's `%` operator. Only %s, %d, %i and %% are supported, without widths.
 * @param {Writer} machine
 * @param {Text} form
 * @param {any[]} values
 */
export function formatted(machine, form, values) {
  const parts = [];
  let [done, next] = [0, 0];
  for (const found of form.text.matchAll(/%(.?)/gs)) {
    parts.push(form.slice(done, found.index));
    done = found.index + found[0].length;
    if (found[1] === '%') parts.push(form.slice(done - 1, done));
    else if (next >= values.length) throw new TemplateError('the text has more % than values');
    else if (found[1] === 's') parts.push(str(machine, values[next++]));
    else if ('di'.includes(found[1]) && numberOf(values[next]) !== undefined)
      parts.push(Text.of(String(Math.trunc(Number(numberOf(values[next++]))))));
    else throw new TemplateError(`the format ${found[0]} is not supported`);
  }
  if (next < values.length) throw new TemplateError('the text has fewer % than values');
  return joined([...parts, form.slice(done)]);
}

/** Returns a filter that applies a method of Python's str to any value. @type {(name: string) => [string, Filter]} */
const method = (name) => [
  name,
  (machine, value, args, keywords) =>
    callMethod(/** @type {Method} */ (TEXT_METHODS.get(name)), machine, str(machine, value), args, keywords, name),
];

/** Implements select(), reject(), selectattr() and rejectattr(). @type {(isWanted: boolean, isAttribute: boolean) => Filter} */
const selecting = (isWanted, isAttribute) => (machine, value, args, _keywords, name) => {
  const [path, [testName, ...others]] = isAttribute ? [args[0], args.slice(1)] : [undefined, args];
  if (isAttribute && path === undefined) throw new TemplateError(`${name}() takes the name of an attribute`);
  const test = testName === undefined ? (/** @type {any} */ one) => truth(one) : testNamed(textIn(name, testName).text);
  return new Iterator(
    counted(machine, value).filter((one) => test(isAttribute ? attributeOf(machine, one, path) : one, others, machine) === isWanted),
  );
};

/** Returns the filter that finds the smallest item (sign -1) or the largest item (sign 1). @type {(sign: number) => Filter} */
const extreme = (sign) => (machine, value, args, keywords, name) => {
  const [isSensitive, path] = argumentsOf(name, args, keywords, 'case_sensitive attribute');
  const keyOf = (/** @type {any} */ one) => caseless(path === undefined ? one : attributeOf(machine, one, path), isSensitive);
  const items = counted(machine, value);
  if (items.length === 0) return new Undefined(name);
  return items.reduce((best, one) => (sign * compare(keyOf(one), keyOf(best), machine.budget) > 0 ? one : best));
};

/** @type {Map<string, Filter>} */
export const FILTERS = new Map(
  /** @type {[string, Filter][]} */ ([
    method('lower'),
    method('upper'),
    method('capitalize'),
    [
      'title',
      (machine, value) => {
        const text = str(machine, value);
        machine.budget.items(text.text.length);
        /** @type {Text[]} */
        const parts = [];
        let begins = true;
        for (const one of text.characters()) {
          const divides = /[-\s({[<]/.test(one.text);
          parts.push(divides ? one : changed(one, (part) => (begins ? part.toUpperCase() : part.toLowerCase())));
          begins = divides;
        }
        return joined(parts);
      },
    ],
    [
      'trim',
      (machine, value, args, keywords, name) => {
        const [set] = argumentsOf(name, args, keywords, 'chars');
        const text = str(machine, value);
        machine.budget.characters(text.text.length);
        return stripped(text, set === undefined || set === null ? undefined : textIn(name, set).text, true, true);
      },
    ],
    ['string', (machine, value) => str(machine, value)],
    [
      'safe',
      (machine, value) => {
        const { text, sources } = str(machine, value);
        return new Markup(text, sources);
      },
    ],
    ...['escape', 'e'].map((name) => /** @type {[string, Filter]} */ ([name, (machine, value) => markupOf(machine, str(machine, value))])),
    [
      'replace',
      (machine, value, args, keywords, name) => {
        const [old, other, count] = argumentsOf(name, args, keywords, 'old new count');
        const [text, from, to] = [value, old, other].map((one) => str(machine, one));
        return replaced(machine, text, from, to, count === undefined || count === null ? -1 : intIn(name, count));
      },
    ],
    [
      'center',
      (machine, value, args, keywords, name) =>
        justified(machine, str(machine, value), args.length || keywords.size ? args : [80], keywords, name),
    ],
    [
      'indent',
      (machine, value, args, keywords, name) => {
        const [width = 4, first = false, blank = false] = argumentsOf(name, args, keywords, 'width first blank');
        const by = width instanceof Text ? width : Text.of(' '.repeat(Math.min(1e6, Math.max(0, intIn(name, width)))));
        const text = str(machine, value);
        const lines = linesOf(machine.budget, new Text(`${text.text}\n`, text.sources + String.fromCharCode(0)), false);
        machine.budget.characters(text.text.length + lines.length * by.text.length);
        const line = Text.of('\n');
        const parts = lines.flatMap((one, i) => {
          const indents = i === 0 ? truth(first) : truth(blank) || one.text !== '';
          return [...(i > 0 ? [line] : []), ...(indents ? [by] : []), one];
        });
        return joined(parts);
      },
    ],
    [
      'join',
      (machine, value, args, keywords, name) => {
        const [between = Text.of(''), path] = argumentsOf(name, args, keywords, 'd attribute');
        const by = str(machine, between);
        const items = counted(machine, value).map((one) =>
          str(machine, path === undefined || path === null ? one : attributeOf(machine, one, path)),
        );
        machine.budget.characters(items.reduce((sum, { text }) => sum + text.length + by.text.length, 0));
        return joined(items.flatMap((one, i) => (i > 0 ? [by, one] : [one])));
      },
    ],
    [
      'tojson',
      (machine, value, args, keywords, name) => {
        const [ascii = false, indent = null, separators = null, sort = false] = argumentsOf(
          name,
          args,
          keywords,
          'ensure_ascii indent separators sort_keys',
        );
        const step =
          indent === null ? undefined : indent instanceof Text ? indent.text : ' '.repeat(Math.min(1000, Math.max(0, intIn(name, indent))));
        if (separators !== null && !(separators instanceof List && separators.items.length === 2))
          throw new TemplateError('tojson takes two separators');
        const [comma, colon] =
          separators === null
            ? [step === undefined ? ', ' : ',', ': ']
            : separators.items.map((/** @type {any} */ one) => textIn(name, one).text);
        return json(machine, value, { ascii: truth(ascii), indent: step, comma, colon, sorted: truth(sort) });
      },
    ],
    [
      'format',
      (machine, value, args, keywords) => {
        if (keywords.size > 0) throw new TemplateError('format() with keywords is not supported');
        return formatted(machine, str(machine, value), args);
      },
    ],
    [
      'length',
      (machine, value) => {
        if (value instanceof Text) return (machine.budget.characters(value.text.length), value.length);
        if (value instanceof Undefined) return 0;
        if (value instanceof List || value instanceof View || value instanceof Dict)
          return value instanceof Dict ? value.pairs.size : value.items.length;
        throw new TemplateError(`a value of type ${typeOf(value)} has no length`);
      },
    ],
    [
      'default',
      (_machine, value, args, keywords, name) => {
        const [other = Text.of(''), isBoolean = false] = argumentsOf(name, args, keywords, 'default_value boolean');
        return value instanceof Undefined || (truth(isBoolean) && !truth(value)) ? other : value;
      },
    ],
    ['list', (machine, value) => new List(counted(machine, value).slice())],
    [
      'first',
      (machine, value, _args, _keywords, name) =>
        value instanceof Text
          ? value.text === ''
            ? new Undefined(name)
            : value.slice(0, String.fromCodePoint(Number(value.text.codePointAt(0))).length)
          : firstOf(counted(machine, value), name),
    ],
    [
      'last',
      (machine, value, _args, _keywords, name) => {
        if (value instanceof Iterator) throw new TemplateError('an iterator has no last item');
        return firstOf(counted(machine, value).slice(-1), name);
      },
    ],
    [
      'reverse',
      (machine, value) => {
        const items = counted(machine, value).slice().reverse();
        return value instanceof Text ? joined(items) : new Iterator(items);
      },
    ],
    [
      'items',
      (_machine, value) => {
        if (value instanceof Undefined) return new Iterator([]);
        if (!(value instanceof Dict)) throw new TemplateError(`a value of type ${typeOf(value)} has no items`);
        return new Iterator(itemPairs(value));
      },
    ],
    [
      'dictsort',
      (machine, value, args, keywords, name) => {
        const [isSensitive, by, isReverse = false] = argumentsOf(name, args, keywords, 'case_sensitive by reverse');
        if (!(value instanceof Dict)) throw new TemplateError(`dictsort() takes a dict, not ${typeOf(value)}`);
        const at = by === undefined || textIn(name, by).text === 'key' ? 0 : 1;
        return new List(sorted(machine, itemPairs(value), (pair) => caseless(pair.items[at], isSensitive), truth(isReverse)));
      },
    ],
    [
      'sort',
      (machine, value, args, keywords, name) => {
        const [isReverse = false, isSensitive, path] = argumentsOf(name, args, keywords, 'reverse case_sensitive attribute');
        const keyOf = (/** @type {any} */ one) =>
          caseless(path === undefined || path === null ? one : attributeOf(machine, one, path), isSensitive);
        return new List(sorted(machine, counted(machine, value), keyOf, truth(isReverse)));
      },
    ],
    [
      'unique',
      (machine, value, args, keywords, name) => {
        const [isSensitive, path] = argumentsOf(name, args, keywords, 'case_sensitive attribute');
        /** @type {any[]} */
        const keys = [];
        return new Iterator(
          counted(machine, value).filter((one) => {
            const key = caseless(path === undefined ? one : attributeOf(machine, one, path), isSensitive);
            return !keys.some((other) => equal(key, other, machine.budget)) && keys.push(key);
          }),
        );
      },
    ],
    ['min', extreme(-1)],
    ['max', extreme(1)],
    [
      'sum',
      (machine, value, args, keywords, name) => {
        const [path, start = 0] = argumentsOf(name, args, keywords, 'attribute start');
        const all = [
          start,
          ...counted(machine, value).map((one) => (path === undefined || path === null ? one : attributeOf(machine, one, path))),
        ];
        const numbers = all.map((one) => numberOf(one));
        if (numbers.includes(undefined)) throw new TemplateError('sum() takes numbers');
        const sum = /** @type {number[]} */ (numbers).reduce((a, b) => a + b, 0);
        return all.some((one) => one instanceof Float) ? new Float(sum) : sum;
      },
    ],
    [
      'map',
      (machine, value, args, keywords, name) => {
        const items = counted(machine, value);
        if (args.length === 0) {
          const [path, other] = ['attribute', 'default'].map((key) => keywords.get(key));
          if (path === undefined || keywords.size > (other === undefined ? 1 : 2))
            throw new TemplateError('map() takes a filter or an attribute');
          return new Iterator(
            items.map((one) => {
              const found = attributeOf(machine, one, path);
              return found instanceof Undefined && other !== undefined ? other : found;
            }),
          );
        }
        const [filter, ...others] = args;
        const { text } = textIn(name, filter);
        return new Iterator(items.map((one) => filterNamed(text)(machine, one, others, keywords, text)));
      },
    ],
    ['select', selecting(true, false)],
    ['reject', selecting(false, false)],
    ['selectattr', selecting(true, true)],
    ['rejectattr', selecting(false, true)],
    [
      'abs',
      (_machine, value) => {
        const number = numberOf(value);
        if (number === undefined) throw new TemplateError(`abs takes a number, not ${typeOf(value)}`);
        return value instanceof Float ? new Float(Math.abs(number)) : Math.abs(number);
      },
    ],
    [
      'int',
      (_machine, value, args, keywords, name) => {
        const [other = 0, base = 10] = argumentsOf(name, args, keywords, 'default base');
        if (value instanceof Undefined) throw new TemplateError(`${value.name} is undefined`);
        const number = value instanceof Text ? wholeOf(value.text, intIn(name, base)) : numberOf(value);
        const found = Number.isNaN(number) && value instanceof Text ? floatOf(value.text) : number;
        if (found === undefined || !Number.isFinite(found)) return other;
        const whole = Math.trunc(found);
        if (!Number.isSafeInteger(whole)) throw new TemplateError(`the number ${found} is too large`);
        return whole + 0;
      },
    ],
    [
      'float',
      (_machine, value, args, keywords, name) => {
        const [other = new Float(0)] = argumentsOf(name, args, keywords, 'default');
        const number = value instanceof Text ? floatOf(value.text) : numberOf(value);
        return number === undefined || Number.isNaN(number) ? other : new Float(number);
      },
    ],
    [
      'round',
      (_machine, value, args, keywords, name) => {
        const [digits = 0, how] = argumentsOf(name, args, keywords, 'precision method');
        const number = numberOf(value);
        if (number === undefined) throw new TemplateError(`round() takes a number, not ${typeOf(value)}`);
        const by = how === undefined ? 'common' : textIn(name, how).text;
        const scale = 10 ** intIn(name, digits);
        if (by === 'ceil' || by === 'floor') return new Float((Math[by](number * scale) + 0) / scale);
        const made = rounded(number, intIn(name, digits));
        return value instanceof Float ? new Float(made) : made;
      },
    ],
  ]),
);
FILTERS.set('count', /** @type {Filter} */ (FILTERS.get('length')));
FILTERS.set('d', /** @type {Filter} */ (FILTERS.get('default')));

/** @param {any[]} items @param {string} name */
const firstOf = ([first = new Undefined('')], name) => (first instanceof Undefined ? new Undefined(name) : first);

/** @param {string} name */
export function filterNamed(name) {
  const filter = FILTERS.get(name);
  if (!filter) throw new TemplateError(`the filter ${name} is not supported`);
  return filter;
}

/** @typedef {(value: any, args: any[], machine: Writer) => boolean} Test */

/** @type {(wanted: (order: number) => boolean) => Test} */
const ordered = (wanted) => (value, args, machine) => wanted(compare(value, args[0], machine.budget));

/** @type {Test} */
const isEqual = (value, args, machine) => equal(value, args[0], machine.budget);

/** @param {any} value */
const wholeIn = (value) => intIn('a test', value);

/** @type {Map<string, Test>} */
const TESTS = new Map(
  /** @type {[string, Test][]} */ ([
    ['defined', (value) => !(value instanceof Undefined)],
    ['undefined', (value) => value instanceof Undefined],
    ['none', (value) => value === null],
    ['boolean', (value) => typeof value === 'boolean'],
    ['true', (value) => value === true],
    ['false', (value) => value === false],
    ['integer', (value) => typeof value === 'number'],
    ['float', (value) => value instanceof Float],
    ['number', (value) => numberOf(value) !== undefined],
    ['string', (value) => value instanceof Text],
    ['mapping', (value) => value instanceof Dict],
    ['sequence', (value) => [Text, List, Dict, Undefined].some((kind) => value instanceof kind)],
    ['iterable', (value) => [Text, List, Dict, Undefined, Iterator, View].some((kind) => value instanceof kind)],
    ['callable', (value) => value instanceof Callable || value instanceof Undefined],
    ['odd', (value) => Math.abs(wholeIn(value) % 2) === 1],
    ['even', (value) => wholeIn(value) % 2 === 0],
    ['divisibleby', (value, args) => wholeIn(value) % wholeIn(args[0]) === 0],
    ['lower', (value, _args, machine) => TEXT_METHODS.get('islower')?.(machine, str(machine, value), [], NO_KEYWORDS, '')],
    ['upper', (value, _args, machine) => TEXT_METHODS.get('isupper')?.(machine, str(machine, value), [], NO_KEYWORDS, '')],
    ['filter', (value) => FILTERS.has(textIn('filter', value).text)],
    ['in', (value, args, machine) => contains(machine, args[0], value)],
    ['sameas', (value, [other]) => value === other || (value instanceof Text && other instanceof Text && value.text === other.text)],
    ...['eq', 'equalto', '=='].map((name) => /** @type {[string, Test]} */ ([name, isEqual])),
    ...['ne', '!='].map((name) => /** @type {[string, Test]} */ ([name, (value, args, machine) => !isEqual(value, args, machine)])),
    ...['lt', 'lessthan', '<'].map((name) => /** @type {[string, Test]} */ ([name, ordered((order) => order < 0)])),
    ...['gt', 'greaterthan', '>'].map((name) => /** @type {[string, Test]} */ ([name, ordered((order) => order > 0)])),
    ...['le', '<='].map((name) => /** @type {[string, Test]} */ ([name, ordered((order) => order <= 0)])),
    ...['ge', '>='].map((name) => /** @type {[string, Test]} */ ([name, ordered((order) => order >= 0)])),
  ]),
);

/** @param {string} name @returns {Test} */
export function testNamed(name) {
  const test = TESTS.get(name);
  if (!test) throw new TemplateError(`the test ${name} is not supported`);
  return test;
}

/** Implements the operator `in`. @param {Writer} machine @param {any} all @param {any} one */
export function contains(machine, all, one) {
  if (all instanceof Text) {
    const { text } = textIn('in', one);
    machine.budget.search(all.text.length, text.length);
    return all.text.includes(text);
  }
  if (all instanceof Dict) return one instanceof Text && all.pairs.has(one.text);
  if (all instanceof Namespace || all === null || numberOf(all) !== undefined)
    throw new TemplateError(`a value of type ${typeOf(all)} is not iterable`);
  return itemsOf(all, machine.budget).some((other) => equal(one, other, machine.budget));
}
