// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Generates two files. web/lib/engine/abi.js contains the structs and constants of the C headers for JavaScript.
 * web/lib/gguf/tensor-types.js contains the table in src/tensor_types.h. ./build.sh js also runs this script, and a test checks that both
 * files are up to date.
 *
 *     node web/tools/abi.js
 */

import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FILE = `${ROOT}web/lib/engine/abi.js`;
const TYPES_FILE = `${ROOT}web/lib/gguf/tensor-types.js`;

/** The constants of include/nextpixel.h that the library uses. */
const CONSTANTS = [
  'NX_ABI_VERSION',
  'NX_ALIGN',
  'NX_MAX_SAMPLES',
  'NX_MAX_LENGTH',
  'NX_PORTS',
  'NX_MAX_BIASES',
  'NX_MOST_BIAS',
  'NX_NAME_BYTES',
  'NX_NONE',
  'NX_ENDED',
  'NX_CUT',
];

/** The enum constants of include/nextpixel.h that the library uses. */
const STATUSES = ['NX_MORE', 'NX_E_ARGUMENT'];

/** @param {string} text  C source */
const withoutComments = (text) => text.replace(/\/\*[^]*?\*\//g, '');

/**
 * Returns the value of a constant. The definition of a constant may refer to another constant.
 *
 * @param {string} code
 * @param {string} name
 * @returns {number}
 */
function constant(code, name) {
  const [, text] = new RegExp(`(?:#define ${name}\\s+|\\b${name} = )(-?[\\w.]+)`).exec(code) ?? [];
  if (text === undefined) throw new Error(`the headers do not define ${name}`);
  return /^NX_/.test(text) ? constant(code, text) : Number(text.startsWith('0x') ? text.replace(/u$/, '') : text.replace(/[uf]$/, ''));
}

/**
 * Returns the fields of a struct in order. Each field has 32 bits and the type 'f' (float) or 'u' (anything else). Arrays and nested
 * structs are expanded.
 *
 * @param {string} body
 * @param {(name: string) => number} valueOf  returns the value of a macro
 * @param {Record<string, Record<string, string>>} known  structs that were defined before this one
 * @returns {Record<string, string>}
 */
function fieldsOf(body, valueOf, known) {
  /** @type {Record<string, string>} */
  const fields = {};
  for (const [, type, declarators] of body.matchAll(/(?:const\s+)?(\w+)\s+([^;]+);/g)) {
    for (const declarator of declarators.split(',')) {
      const [, star, name, count] = /^\s*(\**)\s*(\w+)(?:\[(\w+)\])?\s*$/.exec(declarator) ?? [];
      if (name === undefined) throw new Error(`cannot read "${type}${declarator}"`);
      const many =
        count === undefined
          ? [name]
          : Array.from({ length: /^\d/.test(count) ? Number(count) : valueOf(count) }, (_, i) => `${name}[${i}]`);
      for (const one of many) {
        if (!star && known[type]) for (const [inner, kind] of Object.entries(known[type])) fields[`${one}.${inner}`] = kind;
        else if (star || /^(uint32_t|int32_t|size_t)$/.test(type)) fields[one] = 'u';
        else if (type === 'float') fields[one] = 'f';
        else throw new Error(`${type} ${one} does not have 32 bits`);
      }
    }
  }
  return fields;
}

/**
 * Returns the contents of web/lib/engine/abi.js.
 *
 * @param {string} header  text of include/nextpixel.h
 */
export function abi(header) {
  const code = withoutComments(header);
  const valueOf = (/** @type {string} */ name) => constant(code, name);
  /** @type {Record<string, Record<string, string>>} */
  const structs = {};
  for (const [, body, name] of code.matchAll(/typedef struct \{([^}]*)\} (nx_\w+);/g)) {
    if (!/\bchar \w+\[/.test(body)) structs[name] = fieldsOf(body, valueOf, structs);
  }
  const lines = Object.entries(structs).map(
    ([name, fields]) =>
      `  ${name}: /* @__PURE__ */ Object.freeze({\n${wrapped(Object.entries(fields).map(([field, kind]) => `${/^\w+$/.test(field) ? field : `'${field}'`}: '${kind}',`))}  }),\n`,
  );
  return `// SPDX-License-Identifier: MIT
// Generated from include/nextpixel.h by node web/tools/abi.js. Edit that header, not this file.
// @ts-check

/** The structs of the C headers in wasm32 memory: 32-bit fields in order, without padding. u: uint32_t, size_t or a pointer; f: float. */
export const STRUCTS = /* @__PURE__ */ Object.freeze({
${lines.join('')}});

${[...CONSTANTS, ...STATUSES].map((name) => `export const ${name} = ${valueOf(name)};\n`).join('')}
/** Number of 32-bit words of an nx_candidate, and the indices of two of its fields. */
export const CANDIDATE_WORDS = ${Object.keys(structs.nx_candidate).length};
export const CANDIDATE_NATS = ${Object.keys(structs.nx_candidate).indexOf('nats')};
export const CANDIDATE_SCORE = ${Object.keys(structs.nx_candidate).indexOf('score')};
`;
}

/** @param {string[]} words  words to break into lines of about 140 characters */
function wrapped(words) {
  const lines = [''];
  for (const word of words) {
    if (lines[lines.length - 1].length + word.length > 134) lines.push('');
    lines[lines.length - 1] += ` ${word}`;
  }
  return lines.map((line) => `   ${line}\n`).join('');
}

/** Returns the expected contents of web/lib/engine/abi.js. */
export async function abiFile() {
  return abi(await readFile(`${ROOT}include/nextpixel.h`, 'utf8'));
}

/**
 * Reads the table of src/tensor_types.h.
 *
 * @param {string} header  text of the file
 * @returns {{ name: string, code: number, values: number, bytes: number, reason?: string }[]} the rows, ordered by code. reason: why the
 *   engine cannot read the type
 */
export function tensorTypes(header) {
  const rows = [...header.matchAll(/^ {4}(READ|NOT_READ)\((\w+), +(\d+), +(\d+), +(\d+), (?:"([^"]*)"|[^"]*?)\)/gm)].map(
    ([, , name, code, values, bytes, reason]) => ({ name, code: Number(code), values: Number(values), bytes: Number(bytes), reason }),
  );
  if (rows.length !== [...header.matchAll(/^ {4}(NOT_)?READ\(/gm)].length)
    throw new Error('src/tensor_types.h has a row that this script cannot parse');
  return rows.sort((a, b) => a.code - b.code);
}

/** Returns the expected contents of web/lib/gguf/tensor-types.js. */
export async function tensorTypesFile() {
  const rows = tensorTypes(await readFile(`${ROOT}src/tensor_types.h`, 'utf8'));
  return `// SPDX-License-Identifier: MIT
// Generated from src/tensor_types.h by node web/tools/abi.js. Edit that header, not this file.
// @ts-check

/**
 * Types of tensors by their code in a file: name, values per block, bytes per block.
 *
 * @type {Record<number, [name: string, values: number, bytes: number]>}
 */
export const TENSOR_TYPES = {
${rows.map(({ name, code, values, bytes }) => `  ${code}: ['${name}', ${values}, ${bytes}],\n`).join('')}};
`;
}

/** Writes each of the two files if its contents have changed. */
export async function makeAbi() {
  for (const [file, made] of [
    [FILE, await abiFile()],
    [TYPES_FILE, await tensorTypesFile()],
  ]) {
    if ((await readFile(file, 'utf8').catch(() => '')) !== made) await writeFile(file, made);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await makeAbi();
