// SPDX-License-Identifier: MIT
// Reads the files and folders given with --data. Other programs may have written them, so several encodings and file names are accepted.
// @ts-check
import { readFileSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';

/** @import { DataSet } from './held-out.js' */

/** Byte order marks. @type {[number[], string][]} */
const MARKS = [
  [[0xff, 0xfe], 'utf-16le'],
  [[0xfe, 0xff], 'utf-16be'],
];

/**
 * Reads a text in UTF-8, or in UTF-16 with a byte order mark. Line ends become \n, as in the texts that training reads. A text in any other
 * encoding causes an error, because the model would otherwise be measured on replacement characters.
 *
 * @param {string} file
 * @returns {string}
 */
export function readText(file) {
  const bytes = readFileSync(file);
  const [, encoding] = MARKS.find(([mark]) => mark.every((byte, i) => bytes[i] === byte)) ?? [[], 'utf-8'];
  let text;
  try {
    text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    throw new Error(`${file} is not text in ${encoding.toUpperCase()}: save it as UTF-8`);
  }
  if (text.includes('\0')) throw new Error(`${file} is not text in ${encoding.toUpperCase()}, because it has zero bytes: save it as UTF-8`);
  return text.replace(/\r\n?/g, '\n');
}

/** Reads a JSON file. @param {string} file @returns {any} */
export const readJson = (file) => JSON.parse(readText(file));

/**
 * Lists the WAV files of a folder and its subfolders, sorted, without hidden files.
 *
 * @param {string} data  a WAV file, or a folder
 * @returns {string[]} at least one path
 */
export function recordings(data) {
  if (!statSync(data).isDirectory()) return [data];
  const names = /** @type {string[]} */ (readdirSync(data, { recursive: true })).filter(
    (name) => /\.wave?$/i.test(name) && !name.split(path.sep).some((part) => /^(\.|__MACOSX$|@eaDir$)/.test(part)),
  );
  if (names.length === 0) throw new Error(`${data} holds no WAV file`);
  return names.sort().map((name) => path.join(data, name));
}

/** Known data sets of audio recordings, with their held-out parts. @type {DataSet[]} */
export const RECORDINGS = [
  { dataset: /\bSpoken Digit\b/, data: 'build/fsdd-test', make: 'python3 weights/train/held_out.py fsdd build/fsdd-test' },
];
