// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Counts the hand-written files that mention a system, such as captions or chat, but are outside the system's own folders. If the system
 * changes, these files may have to change, too.
 *
 *     node web/tools/mentions.js [--list] [SYSTEM ...]
 *
 * The script counts text files in git that are not generated, including tests, weights and prose. --list prints the names of these files.
 * Without a SYSTEM, the script counts all of SYSTEMS. A system's own files are those in web/lib/kinds/NAME/ and tests/kinds/NAME/, and the
 * tests and fuzz targets that are named after one of the system's files.
 */

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/**
 * @typedef {{ name: string, words: RegExp, own: RegExp }} System  words: names, types and verbs of the system; own: folders and files of the system
 */

/** @type {System[]} */
export const SYSTEMS = [
  {
    name: 'captions', // captions of pictures; HTML <caption> elements and their styles do not count
    words: /(?<![-\w<\/])captions?\b(?! \{)|\bCaption[A-Z]\w+|show[-_]attend[-_]tell/,
    own: /kinds\/caption\/|pages\/captions\/|show_attend_tell|captions?[\w-]*\./,
  },
  {
    name: 'parser',
    words: /\bParse(Options)?\b|\bHead(Model|Info)\b|kinds\/head\b|parents-en|model\.parse\(|'parse'|models[/.]tree\b/,
    own: /kinds\/head\/|pages\/structure\/|models\/tree|parse\.|parents|structure\./,
  },
  {
    name: 'Jukebox',
    words: /[Jj]ukebox|\bCode(Model|Run|Step|Options|Level|Info)\b|kinds\/code\b/,
    own: /kinds\/code\/|[jJ]ukebox|codes\.test/,
  },
  {
    name: 'chorales',
    words: /[Cc]horales?\b|\bNote(Model|Run|Step|Options|Score|Info)\b|kinds\/note\b/,
    own: /kinds\/note\/|chorale|notes\.test|music|targets\/midi\./,
  },
  {
    name: 'chat',
    words: /\bchats?\b(?!-)|\bChat[A-Z]\w+|kinds\/text\/chat\b/,
    own: /kinds\/text\/|element\/talk|verbs\/chat|pages\/chat\/|examples\/chat\/|chat[\w-]*\.|conversation|shelf|(jinja|openai|saved-state)\.test|targets\/template\./,
  },
  {
    name: 'SNAIL',
    words: /\bSNAIL\b|\bsnail\b|\bclassify\b|\bSign(Model|Info)\b|\bClassif(ication|yOptions)\b|kinds\/sign\b/,
    own: /kinds\/sign\/|snail|classify|omniglot/,
  },
];

/** Generated folders and files, and data files. */
const MADE =
  /^(web\/(dist|types|single|pictures)\/|web\/manual\/[\w-]+\.(html|json)|web\/front\/tiles\/record\.json|tests\/bench\/page-bytes\.json|tests\/golden\/|package-lock\.json|.*\.(gguf|wasm|png|svg|woff2?|bin|npz|csv)$)/;

/** Matches the comment at the top of a generated file. */
export const GENERATED = /^(\/\/|#|\/\*) ?(Generated|Made) (from|by|of)\b/m;

/** Returns the texts of the hand-written files, by path. @returns {Map<string, string>} */
export function handWritten() {
  const names = execFileSync('git', ['ls-files', '-z'], { cwd: ROOT, encoding: 'utf8', maxBuffer: 2 ** 26 })
    .split('\0')
    .filter(Boolean);
  /** @type {Map<string, string>} */
  const texts = new Map();
  for (const name of names.filter((one) => !MADE.test(one))) {
    const text = readFileSync(ROOT + name, 'utf8');
    if (!text.includes('\0') && !GENERATED.test(text.slice(0, 400))) texts.set(name, text);
  }
  return texts;
}

/** Returns the files that mention a system. @param {System} system @param {Map<string, string>} texts */
export const mentions = ({ words, own }, texts) =>
  [...texts].filter(([name, text]) => !own.test(name) && words.test(text)).map(([name]) => name);

/** The parts of the repository that are counted separately. @type {[string, RegExp][]} */
const PARTS = [
  ['web/lib', /^web\/lib\//],
  ['pages, shell', /^web\/(pages|shell|front)\//],
  ['src', /^(src|include)\//],
  ['tests', /^tests\//],
  ['weights', /^weights\/.*\.(py|js|sh)$/],
  ['prose', /\.md$/],
];

/**
 * Returns the systems and options in a command line.
 *
 * @param {string[]} args
 * @returns {{ list: boolean, systems: System[] }}
 */
export function asked(args) {
  const { values, positionals } = parseArgs({ args, options: { list: { type: 'boolean', default: false } }, allowPositionals: true });
  const unknown = positionals.find((one) => !SYSTEMS.some(({ name }) => name === one));
  if (unknown !== undefined)
    throw new Error(`there is no system ${unknown}: name ${SYSTEMS.map(({ name }) => name).join(', ')}, or none to count all`);
  return { list: values.list, systems: SYSTEMS.filter(({ name }) => positionals.length === 0 || positionals.includes(name)) };
}

/** @param {string[]} args */
function main(args) {
  const { list, systems } = asked(args);
  const texts = handWritten();
  console.log(['system'.padEnd(10), 'files'.padStart(5), ...PARTS.map(([part]) => part.padStart(13))].join(''));
  for (const system of systems) {
    const files = mentions(system, texts);
    const counts = PARTS.map(([, part]) => String(files.filter((file) => part.test(file)).length).padStart(13));
    console.log([system.name.padEnd(10), String(files.length).padStart(5), ...counts].join(''));
    if (list) console.log(files.map((file) => `  ${file}`).join('\n'));
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    main(process.argv.slice(2));
  } catch (error) {
    console.error(`mentions.js: ${/** @type {Error} */ (error).message}`);
    process.exitCode = 2;
  }
}
