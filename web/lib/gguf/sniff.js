// SPDX-License-Identifier: MIT
// @ts-check

/** Recognises the format of a file by its first bytes. This module is loaded only for a file with unexpected contents. */

import { NextPixelError } from '../base/error.js';
import { CODES } from '../engine/protocol.js';
import { statusError } from '../engine/status-error.js';
import { HEADER_BYTES, MAX_KEYS, MAX_TENSORS, fixedHeader } from './walk.js';

/** @import { ErrorCode } from '../engine/protocol.js' */

/** The first bytes of formats that people load by mistake. @type {[string | number[], string][]} */
const SIGNATURES = [
  ['version https://git-lfs', 'a Git LFS pointer: fetch the real file with "git lfs pull"'],
  [[0x89, 0x50, 0x4e, 0x47], 'a PNG image'],
  [[0xff, 0xd8, 0xff], 'a JPEG image'],
  ['RIFF', 'a WebP image or a sound'],
  ['PK', 'a zip archive or a PyTorch checkpoint: export it as GGUF first'],
  [[0x1f, 0x8b], 'a gzip archive: unpack it first'],
  [[0x28, 0xb5, 0x2f, 0xfd], 'a Zstandard archive: unpack it first'],
  [[0x00, 0x61, 0x73, 0x6d], 'a WebAssembly module'],
  [[0x80, 0x02], 'a Python pickle: export the model as GGUF first'],
  ['%PDF', 'a PDF document'],
  ['ggml', 'a weight file of an old format: export the model as GGUF version 3'],
  ['ggjt', 'a weight file of an old format: export the model as GGUF version 3'],
];

/**
 * Returns a sentence about the format of a file that cannot be opened, or '' if the format is unknown. An error message ends with this
 * sentence.
 *
 * @param {Uint8Array} bytes
 * @returns {string}
 */
export function looksLike(bytes) {
  if (bytes.length === 0) return 'It is empty.';
  const head = String.fromCharCode(...bytes.subarray(0, 512));
  if (head.startsWith('GGUF')) {
    // The version is a small little-endian number; in a big-endian file its nonzero byte is the last one.
    return bytes.length >= 8 && bytes[4] === 0 && bytes[7] !== 0 ? 'It looks like a big-endian GGUF file.' : '';
  }
  for (const [start, what] of SIGNATURES) {
    const text = typeof start === 'string' ? start : String.fromCharCode(...start);
    if (head.startsWith(text)) return `It looks like ${what}.`;
  }
  const text = head.trimStart();
  if (/^<(!doctype html|html|head|body)/i.test(text)) {
    return 'It looks like a web page: the server sends a page, perhaps "not found", instead of the file.';
  }
  if (text.startsWith('<?xml') || text.startsWith('<svg')) return 'It looks like an XML document.';
  if (/^[{[]/.test(text)) return 'It looks like JSON.';
  // A safetensors file begins with a 64-bit length followed by JSON.
  if (head.slice(8, 10) === '{"') return 'It looks like a safetensors file: export the model as GGUF first.';
  if (/^[\t\n\r\x20-\x7e]*$/.test(head)) return 'It looks like a text file.';
  return '';
}

/**
 * Returns the error for a file that cannot be opened.
 *
 * @param {number} status  a negative status of the C library
 * @param {Uint8Array} bytes  the file, or at least its first bytes
 * @param {{ name?: string, reason: string }} problem
 */
export function refusal(status, bytes, problem) {
  const error = statusError(status, 'Opening the weight file', problem);
  const hint = error.code === 'format' ? looksLike(bytes) : '';
  return hint ? new NextPixelError(error.code, `${error.message} ${hint}`, { status }) : error;
}

/**
 * Returns the error that the C library would report for the header of a file. Returns undefined if the header is valid, or if too few bytes
 * have arrived to tell.
 *
 * @param {Uint8Array} start  the first bytes
 * @param {boolean} [whole]  whether `start` has all bytes of the file
 * @returns {NextPixelError | undefined}
 */
export function headerProblem(start, whole = false) {
  /** @param {ErrorCode} code  @param {string} reason */
  const refused = (code, reason) => refusal(-1 - CODES.indexOf(code), start, { reason });
  const magic = String.fromCharCode(...start.subarray(0, 4));
  if (!'GGUF'.startsWith(magic) || (whole && start.length < 4)) return refused('format', 'not a GGUF file');
  if (start.length < HEADER_BYTES) return undefined;
  const { version, tensors, keys } = fixedHeader(start);
  if (version === 0x03000000 || version === 0x02000000) return refused('unsupported', 'a big-endian GGUF file');
  if (version !== 2 && version !== 3) return refused('unsupported', 'the GGUF version is neither 2 nor 3');
  if (keys > MAX_KEYS) return refused('limit', `more than ${MAX_KEYS} metadata keys`);
  if (tensors > MAX_TENSORS) return refused('limit', `more than ${MAX_TENSORS} tensors`);
  return undefined;
}

/** The architectures of src/models/llama.c and gpt2.c, which run published language models. */
export const RUNS = [
  'llama',
  'qwen2',
  'qwen3',
  'gemma',
  'gemma2',
  'gemma3',
  'olmo2',
  'exaone',
  'exaone4',
  'smollm3',
  'granite',
  'phi3',
  'ernie4_5',
  'gpt2',
];

/**
 * Returns the error for a file that cannot be loaded. For an unsupported architecture, the message lists the supported ones.
 *
 * @param {any} error
 */
export function advised(error) {
  if (error.code !== 'unsupported' || !/architecture that|not read|a mixture|a variant/.test(error.message)) return error;
  return new NextPixelError(
    error.code,
    `${error.message} The supported language models are ${RUNS.join(', ')}; suitable files have up to 2 billion weights in ` +
      'Q8_0, Q4_0 or Q4_K_M. The chapter "Which file?" of the manual (web/manual/which-file.html) has a table',
    { status: error.status, cause: error.cause },
  );
}

/** Returns the error for a file that is too large to load. */
export function sizeProblem() {
  return refusal(-1 - CODES.indexOf('limit'), new Uint8Array(0), { reason: 'the file is larger than 3.75 GiB' });
}
