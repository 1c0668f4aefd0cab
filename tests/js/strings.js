// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Parses the scripts of a page to find the strings that visitors read, both with and without the tag phrase`...`.
 *
 *     node tests/js/strings.js web/pages/NAME/*.js           lists the strings without the tag
 *     node tests/js/strings.js --mark web/pages/NAME/*.js    adds the tag to these strings, and imports phrase; check the result
 */

import { readFile, writeFile } from 'node:fs/promises';
import { dirname, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

import { parse } from 'acorn';

/** @typedef {{ file: string, line: number, text: string, start: number, end: number }} Found */
/**
 * @typedef {{ said: Found[], plain: Found[], literals: Set<string> }} Strings  said: strings with the tag phrase; plain: strings that
 *   people read, but without the tag; literals: all strings
 */

/** Attributes and properties whose values are shown or read aloud. */
const READ = new Set([
  'aria-label',
  'aria-description',
  'aria-roledescription',
  'aria-valuetext',
  'ariaLabel',
  'title',
  'alt',
  'placeholder',
  'label',
  'textContent',
  'innerText',
  'unit',
  'verb',
  'next',
]);
/** Functions whose first argument is shown or read aloud. */
const SPEAK = new Set(['announce', 'createButton', 'createTextNode', 'fillText', 'say', 'tell']);
/** Attributes and properties whose values are neither shown nor read aloud. */
const UNREAD = new Set([
  'class',
  'className',
  'd',
  'style',
  'transform',
  'viewBox',
  'font',
  'points',
  'by',
  'url',
  'rel',
  'query',
  'selector',
  'accept',
]);
/** Matches two words with a space between them, as in a sentence, but not a list of classes or a CSS rule. */
const SENTENCE = /^["“(]?[A-Z][\w’'-]*[,:;]? [\w“(]|\p{L}{2,}[,;]? \p{L}{2,}.*[.?!…:]$|^\p{Ll}+( \p{Ll}+){2,}$/u;
const LETTERS = /\p{L}{2,}/u;
/** Functions whose arguments are selectors, data, or messages for developers. (Errors that visitors see are made with fault().) */
const SILENT =
  /^(querySelector(All)?|closest|matches|locator|matchMedia|addEventListener|getPropertyValue|fetch|URL|RegExp|split|join|replaceAll?|includes|startsWith|endsWith|setProperty|Error|TypeError|RangeError)$/;

/** Returns the name of the called function. @param {any} callee @returns {string} */
const nameOf = (callee) => callee.name ?? callee.property?.name ?? '';

/** @param {any} node a TemplateLiteral */
const keyOf = (node) => node.quasis.map((/** @type {any} */ { value }) => value.cooked).join('{}');

/**
 * @param {string} source
 * @param {string} file  name of the script, for error messages
 * @returns {Strings}
 */
export function stringsOf(source, file) {
  /** @type {Strings} */
  const found = { said: [], plain: [], literals: new Set() };
  /**
   * @param {any} node
   * @param {{ read?: boolean, unread?: boolean }} place
   * @returns {void}
   */
  function walk(node, place) {
    if (!node || typeof node.type !== 'string') return;
    const at = (/** @type {string} */ text) => ({ file, line: node.loc.start.line, text, start: node.start, end: node.end });
    if (node.type === 'ImportDeclaration' || node.type === 'ExportAllDeclaration' || node.type === 'ImportExpression') return;
    if (node.type === 'TaggedTemplateExpression' && nameOf(node.tag) === 'phrase') {
      found.said.push(at(keyOf(node.quasi)));
      for (const value of node.quasi.expressions) walk(value, {});
      return;
    }
    const text =
      node.type === 'Literal' && typeof node.value === 'string' ? node.value : node.type === 'TemplateLiteral' ? keyOf(node) : undefined;
    if (text !== undefined) {
      found.literals.add(text);
      const read = text.replaceAll('{}', place.read ? '' : '1');
      if (!place.unread && LETTERS.test(read) && (place.read || SENTENCE.test(read))) found.plain.push(at(text));
      for (const value of node.expressions ?? []) walk(value, place.read ? place : {});
      return;
    }
    if (node.type === 'CallExpression' || node.type === 'NewExpression') {
      const name = nameOf(node.callee);
      walk(node.callee, place);
      node.arguments.forEach((/** @type {any} */ argument, /** @type {number} */ i) => {
        const children = /^(make|makeSvg|element)$/.test(name) && i >= 2;
        const read =
          children ||
          (SPEAK.has(name) && i === 0) ||
          (name === 'setAttribute' && i === 1 && READ.has(node.arguments[0].value)) ||
          /^(append|prepend|replaceChildren|before|after|replaceWith)$/.test(name);
        walk(argument, {
          read,
          unread: SILENT.test(name) || name === 'phrase' || (name === 'setAttribute' && (i === 0 || UNREAD.has(node.arguments[0].value))),
        });
      });
      return;
    }
    if (node.type === 'Property') {
      const key = String(node.key.name ?? node.key.value);
      walk(node.value, { read: READ.has(key), unread: UNREAD.has(key) });
      return;
    }
    if (node.type === 'AssignmentExpression') {
      const key = nameOf(node.left);
      walk(node.left, {});
      walk(node.right, { read: READ.has(key), unread: UNREAD.has(key) });
      return;
    }
    if (node.type === 'MemberExpression' && node.computed) return (walk(node.object, {}), walk(node.property, { unread: true }));
    if (node.type === 'BinaryExpression' && /^[!=]=/.test(node.operator))
      return (walk(node.left, { unread: true }), walk(node.right, { unread: true }));
    if (node.type === 'SwitchCase') {
      node.consequent.forEach((/** @type {any} */ child) => walk(child, {}));
      return;
    }
    const passes = ['ConditionalExpression', 'LogicalExpression', 'SpreadElement', 'ArrayExpression', 'BinaryExpression'].includes(
      node.type,
    );
    for (const [key, value] of Object.entries(node)) {
      if (key === 'loc') continue;
      const next = passes && key !== 'test' ? place : {};
      for (const child of [value].flat()) if (child && typeof child === 'object') walk(child, next);
    }
  }
  walk(parse(source, { ecmaVersion: 'latest', sourceType: 'module', locations: true }), {});
  return found;
}

/**
 * @param {string} source
 * @param {string} file
 * @returns {string} the script with an import of phrase, from the shell if the script imports from the shell
 */
function importing(source, file) {
  const shell = /import \{\s+([^}]*?),?\s+\} from '((?:\.\.\/)+(?:shell\/)?index\.js)';/.exec(source);
  if (shell) {
    const names = [...shell[1].split(/,\s+/), 'phrase'].sort((a, b) => (a < b ? -1 : 1));
    return names.filter((name) => name === 'phrase').length > 1
      ? source
      : source.replace(
          shell[0],
          shell[0].includes('\n')
            ? `import {\n  ${names.join(', ')},\n} from '${shell[2]}';`
            : `import { ${names.join(', ')} } from '${shell[2]}';`,
        );
  }
  if (/import \{ .*\bphrase\b.* \} from/.test(source)) return source;
  const way = relative(dirname(resolve(file)), fileURLToPath(new URL('../../web/shell/page/phrase.js', import.meta.url)));
  const line = `import { phrase } from '${way.startsWith('.') ? way : `./${way}`}';\n`;
  const last = [...source.matchAll(/^import .*\n/gm)].at(-1) ?? /^\/\/ @ts-check\n/m.exec(source);
  const at = last ? last.index + last[0].length : 0;
  return source.slice(0, at) + line + source.slice(at);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const mark = process.argv.includes('--mark');
  for (const file of process.argv.slice(2).filter((name) => name.endsWith('.js'))) {
    let source = await readFile(file, 'utf8');
    const { plain } = stringsOf(source, file);
    for (const { line, text } of plain) console.log(`${file}:${line}: ${text}`);
    if (!mark || plain.length === 0) continue;
    for (const { start, end } of plain.sort((a, b) => b.start - a.start)) {
      const text = source.slice(start, end);
      source = `${source.slice(0, start)}phrase${text.startsWith('`') ? text : `\`${text.slice(1, -1).replaceAll("\\'", "'")}\``}${source.slice(end)}`;
    }
    await writeFile(file, importing(source, file));
  }
}
