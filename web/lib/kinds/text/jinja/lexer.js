// SPDX-License-Identifier: MIT
// @ts-check

/**
 * The lexer of chat templates. The lexer takes linear time, and produces the tokens that the parser of @huggingface/jinja expects. White
 * space is handled as in the transformers package, which sets trim_blocks and lstrip_blocks. The transformers package also has a
 * `generation` tag. This tag does not affect the text, so the lexer omits it.
 */

import { TemplateError, isSpace, trimEnd } from './values.js';

/** depth: the number of brackets around an operator. @typedef {{ type: string, value: string, depth: number }} Token */

/** Number of characters between two yields. */
const SLICE = 4096;
/**
 * Maximum number of tokens of a template. There is a limit because the parser does not yield until it has read all tokens. The longest
 * template of tests/js/chat-templates.json has 645 tokens.
 */
const MOST_TOKENS = 2 ** 15;

const NAME = /[\p{ID_Start}_]\p{ID_Continue}*/uy;
const NUMBER = /0[bB](?:_?[01])+|0[oO](?:_?[0-7])+|0[xX](?:_?[\da-fA-F])+|\d+(?:_\d+)*(?:\.\d+(?:_\d+)*)?(?:[eE][+-]?\d+(?:_\d+)*)?/y;
const INTEGER = /\d+/y;

/** The operators of expressions. Longer operators come first. @type {[string, string][]} */
const OPERATORS = [
  ['**', 'ExponentiationBinaryOperator'],
  ['//', 'MultiplicativeBinaryOperator'],
  ['<=', 'ComparisonBinaryOperator'],
  ['>=', 'ComparisonBinaryOperator'],
  ['==', 'ComparisonBinaryOperator'],
  ['!=', 'ComparisonBinaryOperator'],
  ['<', 'ComparisonBinaryOperator'],
  ['>', 'ComparisonBinaryOperator'],
  ['+', 'AdditiveBinaryOperator'],
  ['-', 'AdditiveBinaryOperator'],
  ['~', 'AdditiveBinaryOperator'],
  ['*', 'MultiplicativeBinaryOperator'],
  ['/', 'MultiplicativeBinaryOperator'],
  ['%', 'MultiplicativeBinaryOperator'],
  ['=', 'Equals'],
  ['(', 'OpenParen'],
  [')', 'CloseParen'],
  ['[', 'OpenSquareBracket'],
  [']', 'CloseSquareBracket'],
  ['{', 'OpenCurlyBracket'],
  ['}', 'CloseCurlyBracket'],
  [',', 'Comma'],
  ['.', 'Dot'],
  [':', 'Colon'],
  ['|', 'Pipe'],
];

/** @type {Record<string, string>} */
const ESCAPES = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f', v: '\v', a: '\x07', '\\': '\\', "'": "'", '"': '"', '\n': '' };

/**
 * @param {string} template
 * @returns {Generator<void, Token[], void>}
 */
export function* tokensOf(template) {
  const source = template.replace(/\r\n?/g, '\n').replace(/\n$/, '');
  /** @type {Token[]} */
  const tokens = [];
  let at = 0;
  let yielded = 0;
  /** Whether a line break followed the most recent tag. */
  let lineStarts = true;
  const isDue = () => at - yielded >= SLICE && Boolean((yielded = at));
  const put = (/** @type {string} */ type, /** @type {string} */ value, depth = 0) => {
    if (tokens.push({ type, value, depth }) > MOST_TOKENS) throw new TemplateError(`it has more than ${MOST_TOKENS} tokens`);
  };
  const text = (/** @type {string} */ value) => value && put('Text', value);
  /** Skips the white space that the end of a tag removes. @param {string} sign @param {boolean} trims */
  const endTag = (sign, trims) => {
    const from = at;
    if (sign === '-') while (at < source.length && isSpace(source.charCodeAt(at))) at++;
    else if (trims && sign !== '+' && source[at] === '\n') at++;
    lineStarts = at > from && source[at - 1] === '\n';
  };
  while (at < source.length) {
    if (isDue()) yield;
    const open = nextTag(source, at);
    const kind = source[open + 1];
    const sign = open < source.length && '-+'.includes(source[open + 2] ?? ' ') ? source[open + 2] : '';
    text(before(source.slice(at, open), open < source.length ? kind : '', sign, lineStarts));
    if (open >= source.length) break;
    at = open + 2 + sign.length;
    if (kind === '#') {
      const end = source.indexOf('#}', at);
      if (end < 0) throw new TemplateError('a comment has no end');
      const last = end > at ? source[end - 1] : '';
      at = end + 2;
      endTag('-+'.includes(last) ? last : '', true);
      continue;
    }
    const begin = tokens.length;
    put(kind === '%' ? 'OpenStatement' : 'OpenExpression', `{${kind}`);
    const close = kind === '%' ? '%}' : '}}';
    /** @type {string[]} */
    const brackets = [];
    for (let open = true; open; ) {
      while (at < source.length && isSpace(source.charCodeAt(at))) at++;
      if (at >= source.length) throw new TemplateError('a tag has no end');
      const signed = '-+'.includes(source[at]) && source.startsWith(close, at + 1) ? source[at] : '';
      if (brackets.length === 0 && source.startsWith(close, at + signed.length)) {
        at += close.length + signed.length;
        put(kind === '%' ? 'CloseStatement' : 'CloseExpression', close);
        endTag(signed, kind === '%');
        open = false;
      } else at = inside(source, at, put, brackets, tokens);
      if (isDue()) yield;
    }
    const name = kind === '%' && tokens.length === begin + 3 ? tokens[begin + 1].value : '';
    if (name === 'generation' || name === 'endgeneration') tokens.length = begin;
    else if (name === 'raw') {
      tokens.length = begin;
      const end = /\{%[-+]?\s*endraw\s*([-+]?)%\}/g;
      end.lastIndex = at;
      const found = end.exec(source);
      if (!found) throw new TemplateError('a raw block has no end');
      text(before(source.slice(at, found.index), '%', source[found.index + 2], lineStarts));
      at = end.lastIndex;
      endTag(found[1], true);
    }
  }
  return tokens;
}

/** Returns the position of the next tag, or the length of the source if there is none. @param {string} source @param {number} from */
function nextTag(source, from) {
  for (let at = source.indexOf('{', from); at >= 0; at = source.indexOf('{', at + 1)) if ('%{#'.includes(source[at + 1] ?? ' ')) return at;
  return source.length;
}

/**
 * Returns the text before a tag, without the white space that the tag removes.
 *
 * @param {string} text
 * @param {string} kind  second character of the tag; '' if no tag follows
 * @param {string} sign
 * @param {boolean} lineStarts  whether the text is at the beginning of a line
 */
function before(text, kind, sign, lineStarts) {
  if (kind && sign === '-') return trimEnd(text);
  if (kind !== '%' && kind !== '#') return text;
  if (sign === '+') return text;
  const line = text.lastIndexOf('\n') + 1;
  if (line === 0 && !lineStarts) return text;
  for (let i = line; i < text.length; i++) if (!isSpace(text.charCodeAt(i))) return text;
  return text.slice(0, line);
}

/**
 * Reads one token of a tag.
 *
 * @param {string} source
 * @param {number} at
 * @param {(type: string, value: string, depth?: number) => void} put
 * @param {string[]} brackets  the open brackets
 * @param {Token[]} tokens     the tokens before this one
 * @returns {number} position at which the next token may begin
 */
function inside(source, at, put, brackets, tokens) {
  const quote = source[at];
  if (quote === '"' || quote === "'") {
    let value = '';
    for (let from = ++at; ; at++) {
      const here = source[at];
      if (here === undefined) throw new TemplateError('a string has no end');
      if (here !== quote && here !== '\\') continue;
      value += source.slice(from, at);
      if (here === quote) break;
      const [text, length] = escape(source, at + 1);
      value += text;
      at += length;
      from = at + 1;
    }
    put('StringLiteral', value);
    return at + 1;
  }
  if (quote >= '0' && quote <= '9') {
    const form = tokens.at(-1)?.type === 'Dot' ? INTEGER : NUMBER;
    form.lastIndex = at;
    const [digits] = /** @type {RegExpExecArray} */ (form.exec(source));
    const value = Number(digits.replaceAll('_', ''));
    const isFloat = !/^0[box]/i.test(digits) && /[.e]/i.test(digits);
    put('NumericLiteral', isFloat ? String(value).replace(/^[^.e]+(?=e|$)/, '$&.0') : String(value));
    if (/^0\d*[1-9]/.test(digits) && !isFloat) throw new TemplateError(`the number ${digits.slice(0, 30)} begins with a zero`);
    if (isFloat ? !Number.isFinite(value) : !Number.isSafeInteger(value))
      throw new TemplateError(`the number ${digits.slice(0, 30)} is too large`);
    return at + digits.length;
  }
  NAME.lastIndex = at;
  const name = NAME.exec(source);
  if (name) {
    put('Identifier', name[0], brackets.length);
    return at + name[0].length;
  }
  const found = OPERATORS.find(([operator]) => source.startsWith(operator, at));
  if (!found) throw new TemplateError(`unexpected character ${JSON.stringify(String.fromCodePoint(Number(source.codePointAt(at))))}`);
  const [operator, type] = found;
  if ('([{'.includes(operator)) brackets.push(operator);
  else if (')]}'.includes(operator) && brackets.pop() !== '([{'[')]}'.indexOf(operator)])
    throw new TemplateError(`the bracket ${operator} was not opened`);
  put(type, operator, brackets.length);
  return at + operator.length;
}

/** Decodes an escape sequence, beginning after its backslash. Returns the decoded characters, and the length of the sequence without its
 * backslash.
 * @param {string} source @param {number} at @returns {[string, number]} */
function escape(source, at) {
  const letter = source[at];
  if (letter in ESCAPES) return [ESCAPES[letter], 1];
  const digits = { x: 2, u: 4, U: 8 }[letter];
  if (digits) {
    const hex = source.slice(at + 1, at + 1 + digits);
    if (hex.length < digits || /[^\da-f]/i.test(hex) || parseInt(hex, 16) > 0x10ffff)
      throw new TemplateError(`the escape \\${letter}${hex} is not valid`);
    return [String.fromCodePoint(parseInt(hex, 16)), 1 + digits];
  }
  if (letter === 'N') throw new TemplateError('escapes of the form \\N{...} are not supported');
  const octal = /^[0-7]{1,3}/.exec(source.slice(at, at + 3));
  return octal ? [String.fromCharCode(parseInt(octal[0], 8)), octal[0].length] : [`\\${letter}`, letter === undefined ? 0 : 1];
}
