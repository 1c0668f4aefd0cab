// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Generates files from the tables of settings, verbs and kinds, and from the facts at the top of each page.html. ./build.sh js also runs
 * this script, and a test checks that the files are up to date.
 *
 *     node web/tools/options.js
 *
 *     web/lib/options.js                     types of the options
 *     web/lib/kinds/types.js                 types of the kinds
 *     web/lib/kinds/list.js, look-list.js    lists of the kinds, and of the code that displays each kind
 *     web/lib/verbs/list.js                  list of the verbs
 *     web/lib/element/properties.js          types of the element's properties
 *     web/jsx/attributes.d.ts                types of the element's attributes
 *     web/lib/engine/fields.js               the settings that the worker needs
 *     web/shell/model/pages-of-kinds.js      the pages that show files of each kind
 *     web/front/papers-of-pages.js           the papers that have a page
 *     web/front/tiles/list.js                the tiles of the front page
 */

import { spawnSync } from 'node:child_process';
import { readFile, readdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

import { ROWS } from '../lib/settings.js';
import { ATTRIBUTES } from '../lib/element/attributes.js';
import { TASKS } from '../lib/element/tasks.js';
import { COURSES, FACTS, WITH_TILES } from '../front/courses.js';

const WEB = fileURLToPath(new URL('..', import.meta.url));

/** @import { Ends } from '../lib/kinds/ends.js' */

/**
 * The kinds. Each entry has the name of the kind's folder and the exports of its kind.js.
 *
 * @type {{ name: string, kind: import('../lib/kinds/index.js').Kind, TYPES: { heading: string, model: string, info: string, steps: string[], others: string[], ends?: Ends }, OPTIONS?: Record<string, [string, string]>, PAGES: Record<string, [says: string, tries: string]> }[]}
 */
const FOLDERS = await Promise.all(
  (await readdir(`${WEB}lib/kinds`, { withFileTypes: true }))
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort()
    .map(async (name) => ({ name, ...(await import(`../lib/kinds/${name}/kind.js`)) })),
);

/** The types of options for runs, collected from the folders of the kinds. @type {[string, string, string][]} */
const KINDS = FOLDERS.flatMap(({ OPTIONS = {} }) => Object.entries(OPTIONS).map(([of, [type, about]]) => [type, of, about]));

/**
 * Kinds that come first in the generated types. If a call on a model of unknown kind matches several signatures, TypeScript uses the first
 * one.
 */
const FIRST = ['text', 'picture', 'sound'];

/**
 * Returns the comments of the entries in an object literal, by entry name.
 * @param {string} text  source text of a module
 */
export const commentsOf = (text) =>
  new Map(
    [...text.matchAll(/^ {2}\/\*\* ((?:(?!\*\/)[^])*) \*\/\n {2}'?([\w-]+)'?: \{/gm)].map(
      ([, comment, name]) => /** @type {[string, string]} */ ([name, comment.replace(/\n\s*\*\s*/g, ' ')]),
    ),
  );

/**
 * Wraps text into lines.
 *
 * @param {string} text
 * @param {string} first  prefix of the first line
 * @param {string} next  prefix of the other lines
 */
function wrapped(text, first, next) {
  const lines = [first.trimEnd()];
  for (const word of text.split(' ')) {
    if (lines[lines.length - 1].length + word.length > 140) lines.push(next.trimEnd());
    lines[lines.length - 1] += ` ${word}`;
  }
  return lines.join('\n');
}

/**
 * Returns a function that looks up the comment of an attribute. The function returns '' if there is no comment.
 *
 * @returns {Promise<(name: string, property: string) => string>}
 */
async function commentReader() {
  const folders = await Promise.all(
    ['settings.js', 'element/attributes.js', ...(await readdir(`${WEB}lib/verbs`)).map((name) => `verbs/${name}`)].map((name) =>
      readFile(`${WEB}lib/${name}`, 'utf8'),
    ),
  );
  const comments = new Map(folders.flatMap((text) => [...commentsOf(text)]));
  return (name, property) => (comments.get(name) ?? comments.get(property) ?? '').replace(/^\{.*?\} /, '');
}

/**
 * Returns the element's attributes, for the table in the manual.
 *
 * @returns {Promise<{ name: string, said: string, initial: string }[]>} initial: the default value, '' if there is none
 */
export async function attributeList() {
  const commentOf = await commentReader();
  return Object.entries(ATTRIBUTES).map(([name, { property, words }]) => {
    const text = commentOf(name, property);
    const [, said, initial = ''] = /^(.*?)[.;,]?(?: (?:Default:?|absent:) (.*?))?\.?$/.exec(text) ?? [];
    return { name, said: words ? `${said}: ${words.map((word) => `\`${word}\``).join(', ')}` : said, initial };
  });
}

/**
 * Returns the nx-end event's fields for all kinds. If several kinds have the same field, they must define it in the same way.
 * @returns {Ends}
 */
function endsOfKinds() {
  /** @type {Ends} */
  const ends = {};
  for (const { name, TYPES } of FOLDERS)
    for (const [property, row] of Object.entries(TYPES.ends ?? {})) {
      if (String((ends[property] ??= row)) !== String(row))
        throw new Error(`${property} of ${name} differs from that of another kind: see TYPES.ends`);
    }
  return ends;
}

/**
 * Generates web/lib/kinds/types.js: for each kind, the types of its models, runs, results and options. index.js exports all these types.
 * The type of `load<'sound'>()` also comes from this file.
 */
async function kindTypes() {
  const kinds = await Promise.all(
    FOLDERS.map(async ({ name, kind, TYPES, OPTIONS = {} }) => {
      /** The module that declares each type, as a class or a typedef. @type {Map<string, string>} */
      const places = new Map();
      const methods = new Set();
      for (const folder of [`kinds/${name}`, 'media']) {
        for (const file of (await readdir(`${WEB}lib/${folder}`)).filter((one) => one.endsWith('.js')).map((one) => `${folder}/${one}`)) {
          const text = await readFile(`${WEB}lib/${file}`, 'utf8');
          for (const [, type] of [
            ...text.matchAll(/^export class (\w+)/gm),
            ...text.matchAll(/@typedef \{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\} (\w+)/g),
          ])
            if (!places.has(type)) places.set(type, file);
          if (places.get(TYPES.model) === file)
            for (const [, method] of text.matchAll(/^ {2}(?:async |get )?(resume|tokenizer)\(/gm)) methods.add(method);
        }
      }
      const at = (/** @type {string} */ type) => {
        if (!places.has(type))
          throw new Error(`neither web/lib/kinds/${name} nor web/lib/media declares the type ${type}: see TYPES of its kind.js`);
        return `/** @typedef {import('${places
          .get(type)
          ?.replace(/^kinds/, '.')
          .replace(/^media/, '../media')}').${type}} ${type} */`;
      };
      return {
        name,
        model: TYPES.model,
        info: TYPES.info,
        verbs: [...Object.keys(kind.verbs), ...methods]
          .sort()
          .map((verb) => `'${verb}'`)
          .join(' | '),
        steps: TYPES.steps,
        types: [
          ...[TYPES.model, TYPES.info, ...TYPES.steps, ...TYPES.others].map(at),
          ...Object.values(OPTIONS).map(([type]) => `/** @typedef {import('../options.js').${type}} ${type} */`),
        ],
      };
    }),
  );
  const place = (/** @type {{ name: string }} */ { name }) => (FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length);
  const inOrder = [...kinds].sort((a, b) => place(a) - place(b));
  return `// SPDX-License-Identifier: MIT
// Generated by node web/tools/options.js from web/lib/kinds/*/kind.js: edit kind.js, not this file.
// @ts-check

/** The types of the models, runs and results of each kind. */

/** @import { BasicInfo } from '../engine/protocol.js' */

${kinds.flatMap(({ types }) => types).join('\n')}

/**
 * The model class of each kind.
 *
 * @typedef {object} ModelsOfKinds
${kinds.map(({ name, model }) => ` * @property {${model}} ${name}\n`).join('')} */

/**
 * The type of \`info\` for a model of each kind.
 *
 * @typedef {object} InfosOfKinds
${kinds.map(({ name, info }) => ` * @property {BasicInfo & { kind: '${name}' } & ${info}} ${name}\n`).join('')} */

/**
 * The type of \`info\` for a model of any kind; \`if (info.kind === 'text')\` narrows this type to the type for a text model.
 *
 * @typedef {InfosOfKinds[keyof InfosOfKinds]} ModelInfo
 */

/**
 * The properties of \`info\` for all kinds together. Code that already knows the kind can read them without narrowing the type.
 *
 * @typedef {BasicInfo & { kind: keyof InfosOfKinds } & ${kinds.map(({ info }) => info).join(' & ')}} AnyInfo
 */

/**
 * The names of the methods that models of each kind have.
 *
 * @typedef {object} VerbsOfKinds
${kinds.map(({ name, verbs }) => ` * @property {${verbs}} ${name}\n`).join('')} */

/**
 * The methods of all kinds, for a model whose kind is unknown. If several kinds have the same method, the arguments select the kind.
 *
 * @typedef {${inOrder.map(({ name, model }) => `Pick<${model}, VerbsOfKinds['${name}']>`).join(' & ')}} AllVerbs
 */

/**
 * The result in an nx-end event. It has the properties of the model's kind; all others are undefined.
 *
 * @typedef {object} EndOfKinds
${Object.entries(endsOfKinds())
  .map(([name, [type, about]]) => ` * @property {${type}} [${name}]  ${about}\n`)
  .join('')} */

/** A step of any kind of run, or a complete result. @typedef {${kinds.flatMap(({ steps }) => steps).join(' | ')}} AnyStep */

export {};
`;
}

/**
 * Generates two lists: the kinds, in the order in which load() checks a file against them, and the looks (the element's display code for
 * each kind).
 *
 * @returns {[string, string][]}
 */
function kindLists() {
  let left = FOLDERS.map(({ kind }) => kind);
  /** @type {string[]} */
  const inOrder = [];
  while (left.length > 0) {
    const next = left.find(
      ({ name, last }) => (!last || left.every((one) => one.last)) && !left.some(({ over = [] }) => over.includes(name)),
    );
    if (!next) throw new Error(`the order of ${left.map(({ name }) => name).join(', ')} is circular: each must come before another one`);
    inOrder.push(next.name);
    left = left.filter((one) => one !== next);
  }
  const head = `// SPDX-License-Identifier: MIT
// Generated by node web/tools/options.js from web/lib/kinds/*/kind.js: edit kind.js, not this file.
// @ts-check
`;
  const names = FOLDERS.map(({ name }) => name);
  return [
    [
      'lib/kinds/list.js',
      `${head}
${names.map((name) => `import { kind as ${name} } from './${name}/kind.js';\n`).join('')}
/** @import { Kind } from './index.js' */

/** The kinds in the order in which a file is checked against them: the first one that fits is used. @type {Kind[]} */
export const KINDS = [${inOrder.join(', ')}];
`,
    ],
    [
      'lib/kinds/look-list.js',
      `${head}
${names.map((name) => `import { look as ${name} } from './${name}/look.js';\n`).join('')}
/** @import { Look } from './looks.js' */

/** The looks of models, by \`info.kind\`. @type {Record<string, Look>} */
export const LOOKS = { ${names.join(', ')} };
`,
    ],
  ];
}

/** Generates the list of verbs from the files in web/lib/verbs that export `draws`. */
async function verbList() {
  /** @type {string[]} */
  const files = [];
  for (const name of (await readdir(`${WEB}lib/verbs`)).sort())
    if (/^export const draws = /m.test(await readFile(`${WEB}lib/verbs/${name}`, 'utf8'))) files.push(name);
  const inCamels = (/** @type {string} */ name) => name.replace('.js', '').replace(/-(.)/g, (_, letter) => letter.toUpperCase());
  return `// SPDX-License-Identifier: MIT
// Generated from the files of web/lib/verbs by node web/tools/options.js.
// @ts-check

${files.map((name) => `export * as ${inCamels(name)} from './${name}';\n`).join('')}`;
}

/** Generates pages-of-kinds.js from the constant PAGES of each kind. */
function pagesOfKinds() {
  const quoted = (/** @type {string} */ text) => text.replace(/[`\\$]/g, '\\$&');
  const rows = FOLDERS.flatMap(({ name, PAGES }) =>
    Object.entries(PAGES).map(
      ([deed, [says, tries]]) => `  [
    '${name}',
    '${deed}',
    (name) => phrase\`${quoted(says).replace('{}', '${name}')}\`,
    () => phrase\`${quoted(tries)}\`,
  ],
`,
    ),
  );
  return `// SPDX-License-Identifier: MIT
// Generated by node web/tools/options.js from web/lib/kinds/*/kind.js: edit kind.js, not this file.
// @ts-check
import { phrase } from '../page/phrase.js';

/**
 * The pages that show the models of each kind. A row fits a model if it has the model's kind, and if \`deed\` is one of the model's
 * verbs or the name of the kind. The first row that fits applies. \`says\` returns a sentence that names the model and the page.
 * \`tries\` returns a suggestion for the visitor.
 *
 * @type {[kind: string, deed: string, says: (name: string) => string, tries: () => string][]}
 */
export const PAGES = [
${rows.join('')}];
`;
}

/**
 * Returns the source code of an object, with one line for each property that is not undefined.
 *
 * @param {object} object
 * @param {string} indent
 */
function literalOf(object, indent) {
  /** @param {unknown} value @returns {string} */
  const codeOf = (value) =>
    typeof value === 'string'
      ? `'${value.replace(/[\\']/g, '\\$&')}'`
      : typeof value === 'object' && value
        ? `{ ${Object.entries(value)
            .map(([name, one]) => `${name}: ${codeOf(one)}`)
            .join(', ')} }`
        : String(value);
  return `{\n${Object.entries(object)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${indent}  ${name}: ${codeOf(value)},\n`)
    .join('')}${indent}}`;
}

/**
 * Parses the fact `pictures`, which describes the pictures on a card: "digits.gguf seed=1 samples=6 temperature=0.9 label=Noto 2018". The
 * value of a setting may contain spaces.
 * @param {string} [text]
 */
function picturesOf(text) {
  if (text === undefined) return undefined;
  const [file, ...settings] = text.split(/ (?=\w+=)/);
  const valueOf = (/** @type {string} */ value) => (value === 'yes' ? true : Number.isNaN(Number(value)) ? value : Number(value));
  return { file, ...Object.fromEntries(settings.map((one) => one.split('=')).map(([name, value]) => [name, valueOf(value)])) };
}

/** Generates the list of the papers that have a page, in the order of the courses. */
function papersOfPages() {
  const rows = COURSES.flatMap(({ steps }) => steps).map(({ page }) => {
    const { title, paper = '', by, year, credit, says, pictures, colourful } = FACTS.get(page) ?? {};
    const [, url, name] = /^(\S+) (.+)$/.exec(paper) ?? [];
    for (const [key, value] of Object.entries({ title, paper: name, by, year, says }))
      if (!value) throw new Error(`web/pages/${page}/page.html has no ${key}`);
    const row = { year: Number(year), by, title: name, url, system: title, page, credit, says };
    return `  ${literalOf({ ...row, pictures: pictures && picturesOf(pictures), colourful: colourful && true }, '  ')},\n`;
  });
  return `// SPDX-License-Identifier: MIT
// Generated by node web/tools/options.js from web/pages/*/page.html: edit page.html, not this file.
// @ts-check

/** @import { Paper } from './papers.js' */

/** The papers that have a page, in the order of the courses. @type {Paper[]} */
export const PAPERS_OF_PAGES = [
${rows.join('')}];
`;
}

/** Generates the list of tiles. */
function tileList() {
  const nameOf = (/** @type {string} */ page) => page.replace(/-(.)/g, (_, letter) => letter.toUpperCase());
  const entryOf = (/** @type {string} */ page) => (nameOf(page) === page ? page : `'${page}': ${nameOf(page)}`);
  return `// SPDX-License-Identifier: MIT
// Generated by node web/tools/options.js from web/pages/*/page.html: edit page.html, not this file.
// @ts-check
${[...WITH_TILES]
  .sort()
  .map((page) => `import { tile as ${nameOf(page)} } from '../../pages/${page}/tile.js';\n`)
  .join('')}/** @import { Tile } from './stage.js' */

/** The tiles by the names of their pages, in the order of the front page. @type {Record<string, Tile>} */
export const TILES = { ${WITH_TILES.map(entryOf).join(', ')} };
`;
}

/** Returns the contents of all generated files, by path relative to web/. @returns {Promise<Map<string, string>>} */
export async function typeFiles() {
  const settings = commentsOf(await readFile(`${WEB}lib/settings.js`, 'utf8'));
  const types = KINDS.map(([type, of, about]) => {
    const properties = ROWS.filter(([, row]) => row.of.split(' ').includes(of)).map(([name, row]) => {
      const [, own, said = ''] = /^(?:\{(.*?)\} )?(.*)$/.exec(settings.get(name) ?? '') ?? [];
      if (said === '') throw new Error(`the setting ${name} has no comment`);
      return wrapped(said, ` * @property {${own ?? (row.flag ? 'boolean' : 'number')}} [${name}] `, ' *   ');
    });
    return `/**\n${wrapped(about, ' *', ' *')}\n *\n * @typedef {object} ${type}\n${properties.join('\n')}\n */\n`;
  });
  const options = `// SPDX-License-Identifier: MIT
// Generated by node web/tools/options.js from web/lib/settings.js and web/lib/kinds/*/kind.js. Edit the sources, not this file.
// @ts-check

/** The options of runs. */

/** @import { Label } from './base/checks.js' */
/** @import { Constraint } from './kinds/text/constraint.js' */
/** @import { SavedState } from './kinds/text/saved-state.js' */
/** @import { SearchStep } from './kinds/text/translation-run.js' */

${types.join('\n')}
export {};
`;
  const commentOf = await commentReader();
  const attributes = Object.entries(ATTRIBUTES).map(([name, { property, whole, number, initial, flag }]) => {
    const said = commentOf(name, property);
    if (said === '') throw new Error(`the attribute ${name} has no comment`);
    const sentence = `${said[0].toUpperCase()}${said.slice(1).replace(/\.?$/, '.')}`;
    const isNumber = whole || number;
    const words =
      name === 'task'
        ? TASKS.map(({ task }) => `'${task}'`).join(' | ')
        : name === 'cache'
          ? "'default' | 'no-store'"
          : name === 'loading'
            ? "'lazy' | 'play'"
            : undefined;
    return {
      jsx: `${wrapped(sentence, '  /**', '   *')} */\n  ${/^\w+$/.test(name) ? name : `'${name}'`}?: ${words ?? (flag ? "boolean | ''" : isNumber ? 'number | string' : 'string')};\n`,
      property: wrapped(
        sentence,
        ` * @property {${name === 'task' || name === 'loading' ? words : flag ? 'boolean' : !isNumber ? 'string' : initial === undefined ? 'number | undefined' : 'number'}} ${property} `,
        ' *   ',
      ),
    };
  });
  const jsx = `// SPDX-License-Identifier: MIT
// Generated by node web/tools/options.js from settings.js, verbs/ and element/attributes.js in web/lib. Edit the sources, not this file.

/** The attributes of <next-pixel> in JSX. */
export interface NextPixelAttributes {
${attributes.map((one) => one.jsx).join('')}}
`;
  const properties = `// SPDX-License-Identifier: MIT
// Generated by node web/tools/options.js from settings.js, verbs/ and element/attributes.js in web/lib. Edit the sources, not this file.
// @ts-check

/**
 * The properties of the element that reflect its attributes. Reading a property returns the value in effect; setting it never throws.
 *
 * @typedef {object} ElementProperties
${attributes.map((one) => one.property).join('\n')}
 */

export {};
`;
  const fields = ROWS.filter(([, { field }]) => field).map(
    ([name, { field, initial, off = initial, on = 1 }]) => `  ['${name}', '${field}', ${Number(off ?? 0)}, ${on}],\n`,
  );
  const table = `// SPDX-License-Identifier: MIT
// Generated by node web/tools/options.js from web/lib/settings.js: edit settings.js, not this file.
// @ts-check

/** The settings that are fields of nx_settings: name, field, default value, and the value that \`true\` stands for. */

/** @type {[name: string, field: string, off: number, on: number][]} */
export const FIELDS = [
${fields.join('')}];
`;
  return new Map([
    ['lib/options.js', options],
    ['lib/kinds/types.js', await kindTypes()],
    ...kindLists(),
    ['lib/verbs/list.js', await verbList()],
    ['shell/model/pages-of-kinds.js', pagesOfKinds()],
    ['front/papers-of-pages.js', papersOfPages()],
    ['front/tiles/list.js', tileList()],
    ['lib/engine/fields.js', table],
    ['jsx/attributes.d.ts', jsx],
    ['lib/element/properties.js', properties],
  ]);
}

/**
 * Writes the files that have changed. If there is a new kind or verb, runs the script again, because the first run did not load the
 * attributes of the new kind or verb.
 */
export async function makeTypes() {
  let changed = false;
  for (const [path, text] of await typeFiles()) {
    if ((await readFile(WEB + path, 'utf8').catch(() => '')) === text) continue;
    await writeFile(WEB + path, text);
    changed ||= path === 'lib/kinds/list.js' || path === 'lib/verbs/list.js';
  }
  if (changed) spawnSync(process.execPath, [fileURLToPath(import.meta.url)], { stdio: 'inherit' });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await makeTypes();
