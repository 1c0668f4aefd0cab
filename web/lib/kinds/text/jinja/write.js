// SPDX-License-Identifier: MIT
// @ts-check

/** Converts values to strings, like Python's str(), repr() and json.dumps(). */

import { Dict, Float, List, TEMPLATE, TemplateError, Text, Undefined, floatText, joined, typeOf } from './values.js';

/** @import { Budget } from './budget.js' */
/** @import { Pair } from './values.js' */

/** Maximum depth of nested values, as in Python. */
const DEEPEST = 500;

/** The parts of the interpreter that this file uses. `wrotePython`: whether the output of the template contains a dict from
 * the page, written in Python's notation.
 * @typedef {{ budget: Budget, wrotePython: boolean }} Writer */

/** @param {Writer} writer @param {any} value @returns {Text} */
export function str(writer, value) {
  if (value instanceof Text) return value;
  if (value instanceof Undefined) return Text.of('');
  return repr(writer, value);
}

/** @param {Writer} writer @param {any} value @param {number} [depth] @returns {Text} */
function repr(writer, value, depth = 0) {
  writer.budget.items(2);
  if (depth > DEEPEST) throw new TemplateError('a value is nested too deeply');
  if (value === null) return Text.of('None');
  if (typeof value === 'boolean') return Text.of(value ? 'True' : 'False');
  if (typeof value === 'number') return Text.of(String(value));
  if (value instanceof Float) return Text.of(floatText(value.value));
  if (value instanceof Undefined) return Text.of('Undefined');
  if (value instanceof Text) return quoted(writer, value);
  const { source } = value;
  if (value instanceof List && value.kind !== 'range') {
    const [open, close] = value.kind === 'list' ? ['[', ']'] : ['(', value.items.length === 1 ? ',)' : ')'];
    return within(
      open,
      value.items.map((one) => repr(writer, one, depth + 1)),
      ', ',
      close,
      source,
    );
  }
  if (value instanceof Dict) {
    if (source !== TEMPLATE) writer.wrotePython = true;
    const pairs = [...value.pairs.values()].map(([key, one]) =>
      joined([quoted(writer, key), Text.of(': ', source), repr(writer, one, depth + 1)]),
    );
    return within('{', pairs, ', ', '}', source);
  }
  throw new TemplateError(`a value of type ${typeOf(value)} cannot be written as text`);
}

/** @param {string} open @param {Text[]} parts @param {string} between @param {string} close @param {number} source */
function within(open, parts, between, close, source) {
  const comma = Text.of(between, source);
  return joined([Text.of(open, source), ...parts.flatMap((part, i) => (i > 0 ? [comma, part] : [part])), Text.of(close, source)]);
}

/** Escapes the characters of a string that match a regular expression.
 * @param {Budget} budget @param {Text} text @param {RegExp} which @param {(part: string) => string} how */
export function escaped(budget, text, which, how) {
  const parts = [];
  let done = 0;
  for (const found of text.text.matchAll(which)) {
    budget.items();
    const written = how(found[0]);
    parts.push(text.slice(done, found.index), new Text(written, text.sources[found.index].repeat(written.length)));
    done = found.index + found[0].length;
  }
  return done === 0 ? text : joined([...parts, text.slice(done)]);
}

/** @type {Record<string, string>} */
const SHORT = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '\\': '\\\\' };

/** @param {Writer} writer @param {Text} text */
function quoted({ budget }, text) {
  budget.characters(text.text.length);
  const quote = text.text.includes("'") && !text.text.includes('"') ? '"' : "'";
  const inner = escaped(budget, text, /[\\']|(?! )[\p{C}\p{Z}]/gu, (one) => {
    if (one === "'") return quote === "'" ? "\\'" : "'";
    const code = Number(one.codePointAt(0));
    const hex = code.toString(16);
    return (
      SHORT[one] ??
      (code < 0x100 ? `\\x${hex.padStart(2, '0')}` : code < 0x10000 ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`)
    );
  });
  const mark = Text.of(quote, text.text === '' ? TEMPLATE : text.sources.charCodeAt(0));
  return joined([mark, inner, mark]);
}

/** @typedef {{ ascii: boolean, indent: string | undefined, comma: string, colon: string, sorted: boolean }} JsonForm */

/**
 * @param {Writer} writer
 * @param {any} value
 * @param {JsonForm} form
 * @param {number} [depth]
 * @returns {Text}
 */
export function json(writer, value, form, depth = 0) {
  writer.budget.items(2);
  if (depth > DEEPEST) throw new TemplateError('a value is nested too deeply');
  if (value === null) return Text.of('null');
  if (typeof value === 'boolean' || typeof value === 'number') return Text.of(String(value));
  if (value instanceof Float)
    return Text.of(
      Number.isFinite(value.value)
        ? floatText(value.value)
        : ({ nan: 'NaN', inf: 'Infinity', '-inf': '-Infinity' }[floatText(value.value)] ?? ''),
    );
  if (value instanceof Text) return jsonText(writer, value, form);
  const isDict = value instanceof Dict;
  if (!isDict && !(value instanceof List && value.kind !== 'range'))
    throw new TemplateError(`a value of type ${typeOf(value)} is not JSON`);
  const { source } = value;
  /** @type {Pair[]} */
  const pairs = isDict ? [...value.pairs.values()] : [];
  if (form.sorted) pairs.sort(([{ text: a }], [{ text: b }]) => (a < b ? -1 : 1));
  const parts = isDict
    ? pairs.map(([key, one]) => joined([jsonText(writer, key, form), Text.of(form.colon, source), json(writer, one, form, depth + 1)]))
    : /** @type {List} */ (value).items.map((one) => json(writer, one, form, depth + 1));
  const [open, close] = isDict ? '{}' : '[]';
  if (parts.length === 0) return Text.of(open + close, source);
  if (form.indent === undefined) return within(open, parts, form.comma, close, source);
  const line = `\n${form.indent.repeat(depth)}`;
  writer.budget.characters(line.length * parts.length);
  return within(`${open}${line}${form.indent}`, parts, `${form.comma}${line}${form.indent}`, `${line}${close}`, source);
}

/** @param {Writer} writer @param {Text} text @param {JsonForm} form */
function jsonText({ budget }, text, { ascii }) {
  budget.characters(text.text.length);
  const which = ascii ? /["\\\0-\x1f]|[^\0-\x7e]/g : /["\\\0-\x1f]/g;
  const inner = escaped(budget, text, which, (one) =>
    one > '\x7e' ? `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}` : JSON.stringify(one).slice(1, -1),
  );
  const mark = Text.of('"', text.text === '' ? TEMPLATE : text.sources.charCodeAt(0));
  return joined([mark, inner, mark]);
}
