// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Builds the reference of the JavaScript API. TypeDoc reads the JSDoc comments of web/lib, and this module renders the result as HTML.
 */

import { readFile, readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

import { KINDS } from '../../lib/kinds/index.js';

const LIB = fileURLToPath(new URL('../../lib/', import.meta.url));

/** All modules, by name. index.js comes last, because it re-exports declarations of the other modules. */
const MODULES = (await readdir(LIB, { recursive: true }))
  .filter((name) => name.endsWith('.js'))
  .map((name) => name.slice(0, -3))
  .sort((a, b) => Number(a === 'index') - Number(b === 'index') || (a < b ? -1 : 1));

/** For each kind, its heading and the types of its verbs, options and results, in order of heading. @type {[string, string[]][]} */
const GROUPS_OF_KINDS = await Promise.all(
  KINDS.map(async ({ name }) => {
    const { TYPES, OPTIONS = {} } = await import(`${LIB}kinds/${name}/kind.js`);
    const options = Object.values(OPTIONS).map(([type]) => type);
    return /** @type {[string, string[]]} */ ([TYPES.heading, [TYPES.model, TYPES.info, ...options, ...TYPES.steps, ...TYPES.others]]);
  }),
);
GROUPS_OF_KINDS.sort(([a], [b]) => (a < b ? -1 : 1));

/**
 * The groups on the page, in order. Each kind.js lists the types of its kind. Exports of lib/index.js that are in no group come last.
 * @type {[string, string[]][]}
 */
const GROUPS = [
  [
    'Loading',
    [
      'load',
      'LoadOptions',
      'Source',
      'Progress',
      'Phase',
      'WorkerUrl',
      'acquire',
      'AcquireOptions',
      'Hold',
      'supported',
      'cache',
      'KeptFile',
    ],
  ],
  ['A model', ['Model', 'ModelOf', 'Kind', 'ModelInfo', 'BasicInfo', 'InfosOfKinds', 'AttentionMap', 'Label']],
  ...GROUPS_OF_KINDS,
  ['Errors', ['NextPixelError', 'ErrorCode']],
  [
    'The element',
    [
      'NextPixelElement',
      'ElementState',
      'Task',
      'NextPixelProgressEvent',
      'NextPixelReadyEvent',
      'NextPixelStepEvent',
      'NextPixelEndEvent',
      'NextPixelErrorEvent',
    ],
  ],
];

/** Class members to leave out, because only the browser calls them or the parent class declares them. */
const HIDDEN =
  /^(constructor|observedAttributes|(dis)?connectedCallback|connectedMoveCallback|attributeChangedCallback|name|stack|cause|stackTraceLimit|message)$/;

/**
 * @typedef {object} Tools
 * @property {any} typedoc
 * @property {any} ts          the TypeScript compiler that TypeDoc uses
 * @property {(markdown: string) => string} block   converts Markdown to HTML
 * @property {(markdown: string) => string} inline
 */

/**
 * Finds the module that declares each type that index.js re-exports. This is necessary because another module may declare a type with the
 * same name.
 * @returns {Promise<Map<string, string>>}
 */
async function declarations() {
  /** @type {Map<string, string>} */
  const places = new Map();
  for (const [module, base] of [
    ['index', ''],
    ['kinds/types', 'kinds/'],
  ]) {
    const text = await readFile(`${LIB}${module}.js`, 'utf8');
    for (const [, dots, from, name] of text.matchAll(/@typedef \{import\('(\.{1,2})\/([^']*)\.js'\)\.(\w+)(?:<K>)?\}/g))
      places.set(name, dots === '..' ? from : base + from);
  }
  return places;
}

/** @param {string} text */
const escape = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/**
 * @param {Tools} tools
 * @returns {Promise<{ html: string, contents: { id: string, text: string, level: number }[] }>}
 */
export async function reference({ typedoc, ts, block, inline }) {
  const { Application, Comment, Converter, ReflectionKind } = typedoc;
  const app = await Application.bootstrap({
    entryPoints: MODULES.map((name) => `${LIB}${name}.js`),
    tsconfig: fileURLToPath(new URL('./tsconfig.json', import.meta.url)),
    excludeInternal: true,
    excludePrivate: true,
    excludeExternals: true,
    skipErrorChecking: true,
    disableSources: true,
    readme: 'none',
    logLevel: 'Error',
    sort: ['source-order'],
    blockTags: [
      '@param',
      '@property',
      '@returns',
      '@template',
      '@typedef',
      '@implements',
      '@extends',
      '@throws',
      '@import',
      '@type',
      '@callback',
    ],
  });
  /** Types that are unions of string literals, with their literals. @type {Map<string, string[]>} */
  const spelled = new Map();
  // TypeDoc expects the description after @typedef, but in this project the description comes before @typedef.
  app.converter.on(Converter.EVENT_CREATE_DECLARATION, (/** @type {any} */ context, /** @type {any} */ reflection) => {
    const symbol = context.getSymbolFromReflection(reflection);
    const tag = symbol?.declarations?.find(ts.isJSDocTypedefTag);
    const text = ts.getTextOfJSDocComment(tag?.parent.comment);
    if (text && !reflection.comment?.hasVisibleComponent()) reflection.comment = new Comment([{ kind: 'text', text }]);
    // TypeDoc mistakes a minus sign at the start of a description for the dash after a name, and removes it. This restores the minus sign.
    const property = ts.getTextOfJSDocComment(symbol?.declarations?.find(ts.isJSDocPropertyTag)?.comment);
    if (/^-\S/.test(property ?? '')) reflection.comment = new Comment([{ kind: 'text', text: property }]);
    // Replaces `typeof NAMES[number]`, which readers cannot interpret, with the literals in the order of NAMES.
    const object =
      tag && reflection.type?.type === 'indexedAccess'
        ? context.checker.getTypeFromTypeNode(tag.typeExpression.type.objectType)
        : undefined;
    const whole = object && context.checker.getTypeFromTypeNode(tag.typeExpression.type);
    if (object)
      spelled.set(
        reflection.name,
        (whole?.types ?? context.checker.getTypeArguments(object)).map((/** @type {any} */ type) => context.checker.typeToString(type)),
      );
  });
  const project = await app.convert();
  if (!project) throw new Error('TypeDoc could not read web/lib');

  const declared = await declarations();
  /** @type {Map<string, any>} */
  const found = new Map();
  for (const module of MODULES) {
    for (const reflection of project.children.find((/** @type {any} */ { name }) => name === module)?.children ?? []) {
      const { name } = reflection;
      // If TypeDoc found the re-export before the type itself, it documents the re-export, which points to the type.
      const own =
        reflection.kind === ReflectionKind.Reference && declared.get(name) === module ? reflection.getTargetReflectionDeep() : reflection;
      const alias =
        own.kind === ReflectionKind.Reference ||
        (own.kind === ReflectionKind.TypeAlias && own.type.type === 'reference' && own.type.name === name);
      if (!alias && (declared.get(name) ?? module) === module && !found.has(name)) found.set(name, own);
    }
  }
  const exported = [
    ...new Set([
      ...project.children.find((/** @type {any} */ { name }) => name === 'index').children.map((/** @type {any} */ { name }) => name),
      ...declared.keys(),
    ]),
  ];
  const placed = GROUPS.flatMap(([, names]) => names);
  const lost = placed.filter((name) => !found.has(name));
  if (lost.length > 0) throw new Error(`web/manual/make/reference.js: these names no longer exist: ${lost.join(', ')}`);
  const more = exported.filter((/** @type {string} */ name) => !placed.includes(name));
  const groups = more.length > 0 ? [...GROUPS, /** @type {[string, string[]]} */ (['More', more])] : GROUPS;
  const shown = [...placed, ...more];

  /** Renders a type as text, with links for public names. @param {any} type @param {string} [self] */
  const typed = (type, self = '') => linked(plain(String(type)), self);
  /** @param {string} text @param {string} [self] */
  const linked = (text, self = '') =>
    text
      .split(/("[^"]*"|\b[A-Z]\w+)/)
      .map((piece) => (piece !== self && shown.includes(piece) ? `<a href="#${piece}">${piece}</a>` : escape(piece)))
      .join('');
  /** Joins the literals of a union in sorted order, so that unions can be compared. @param {string[]} texts */
  const sorted = (texts) => [...texts].sort().join(' | ');
  /** Removes details of a type that readers do not need. @param {string} text */
  const plain = (text) =>
    ([...spelled].find(([, texts]) => sorted(texts) === sorted(text.split(' | ')))?.[0] ?? text)
      .replace('{ toString: any }', '{ toString(): string }')
      .replace(/Dom<"(\w+)">/g, '$1')
      .replace(/(?<=Array)<ArrayBuffer(Like)?>/g, '');

  /** @param {any} comment */
  const said = (comment) =>
    (comment?.summary ?? [])
      .map((/** @type {any} */ part) => part.text)
      .join('')
      .trim();
  /** @param {any} comment @param {string} tag */
  const tagged = (comment, tag) =>
    (comment?.blockTags ?? [])
      .filter((/** @type {any} */ it) => it.tag === tag)
      .map((/** @type {any} */ it) => it.content.map((/** @type {any} */ part) => part.text).join(''))
      .join(' ')
      .trim();

  /** Renders rows with names, types and descriptions. @param {{ name: string, type: any, optional: boolean, comment: any }[]} rows */
  const list = (rows) =>
    rows.length === 0
      ? ''
      : `<dl class="members">\n${rows
          .map(
            ({ name, type, optional, comment }) =>
              `<div><dt><code>${escape(name)}${optional ? '?' : ''}</code> <code class="type">${typed(type)}</code></dt>` +
              `<dd>${inline(said(comment))}</dd></div>`,
          )
          .join('\n')}\n</dl>\n`;

  /** @param {any[]} [children] */
  const properties = (children = []) =>
    list(
      children.map((child) => {
        const { type = '', comment } = child.getSignature ?? child.signatures?.[0] ?? {}; // for an accessor, uses its getter
        return { name: child.name, type: child.type ?? type, optional: child.flags.isOptional, comment: child.comment ?? comment };
      }),
    );

  /** @param {any} signature @param {string} name @param {any} [comment]  comment of the declaration, used if the signature has none */
  function call(signature, name, comment) {
    signature.comment ??= comment;
    const parameters = (signature.parameters ?? [])
      .filter((/** @type {any} */ { name: word }) => word !== 'this')
      .map((/** @type {any} */ { name: word, type, flags, defaultValue, comment: what }) => ({
        name: word === '__namedParameters' ? 'options' : word,
        type,
        optional: flags.isOptional || defaultValue !== undefined,
        comment: what,
      }));
    const words = parameters.map((/** @type {any} */ { name: word, optional }) => `${escape(word)}${optional ? '?' : ''}`).join(', ');
    return { head: `${escape(name)}(${words})`, body: `${block(said(signature.comment))}${list(parameters)}${returned(signature)}` };
  }

  /** @param {any} signature */
  function returned({ type, comment }) {
    const what = tagged(comment, '@returns');
    if (String(type) === 'void') return '';
    return `<p class="returns">Returns <code class="type">${typed(type)}</code>${what ? `: ${inline(what)}` : ''}</p>\n`;
  }

  /**
   * Renders the properties of a class, then its methods.
   *
   * @param {string} name
   * @param {any[]} children
   * @param {(method: any) => string} before
   */
  function members(name, children, before) {
    const signaturesOf = (/** @type {any} */ child) => child.signatures ?? child.type?.declaration?.signatures ?? [];
    const methods = children.filter((child) => signaturesOf(child).length > 0);
    const calls = methods.flatMap((method) =>
      signaturesOf(method).map((/** @type {any} */ signature, /** @type {number} */ i) => {
        const { head, body: what } = call(signature, method.name.replace('[', '[Symbol.'), method.comment);
        const id = i === 0 ? ` id="${`${name}-${method.name}`.replace(/[^\w-]/g, '')}"` : '';
        return `<h4${id}><code>${before(method)}${head}</code></h4>\n${what}`;
      }),
    );
    return properties(children.filter((child) => !methods.includes(child))) + calls.join('');
  }

  /** @param {any} reflection */
  function body(reflection) {
    const { name, kind, comment, type, children, signatures } = reflection;
    if (signatures) return call(signatures[0], name).body;
    const text = block(said(comment));
    if (kind === ReflectionKind.TypeAlias || kind === ReflectionKind.Variable) {
      if (type.type === 'reflection' && kind === ReflectionKind.Variable)
        return text + members(name, type.declaration.children, () => `${name}.`);
      if (type.type === 'reflection') return text + properties(type.declaration.children);
      return `${text}<p><code class="type">${linked(spelled.get(name)?.join(' | ') ?? plain(String(type)), name)}</code></p>\n`;
    }
    if (kind === ReflectionKind.Interface) return text + properties(children);
    // Lists inherited members only if the parent class is a run or Answer, because these parent classes are not on this page.
    const own = (children ?? []).filter(
      (/** @type {any} */ child) =>
        (!child.inheritedFrom || /^(\w*Run|Answer)\./.test(child.inheritedFrom.name)) && !HIDDEN.test(child.name),
    );
    return text + members(name, own, (method) => (method.flags.isStatic ? `${name}.` : ''));
  }

  /** @type {{ id: string, text: string, level: number }[]} */
  const contents = [];
  const html = groups
    .map(([title, names]) => {
      const id = title.toLowerCase().replaceAll(' ', '-');
      contents.push({ id, text: title, level: 2 });
      return `<h2 id="${id}">${title}</h2>\n${names
        .map((name) => {
          const reflection = found.get(name);
          const head = reflection.signatures ? call(reflection.signatures[0], name).head : name;
          contents.push({ id: name, text: `<code>${name}${reflection.signatures ? '()' : ''}</code>`, level: 3 });
          return `<section class="entry">\n<h3 id="${name}"><code>${head}</code></h3>\n${body(reflection)}</section>\n`;
        })
        .join('')}`;
    })
    .join('');
  return { html, contents };
}
