// SPDX-License-Identifier: MIT
// @ts-check

/** Generates parts of the manual's tables: the tensor types, the supported files of other projects, and the scripts in web/dist. */

import { readFile, readdir } from 'node:fs/promises';

import { tensorTypes } from '../../tools/abi.js';
import { RUNS } from '../../lib/gguf/sniff.js';
import { names } from '../../lib/kinds/text/tokenizer/pre.js';
import { MODELS as TOKENIZERS } from '../../lib/kinds/text/tokenizer/vocabulary.js';

const ROOT = new URL('../../../', import.meta.url);
const source = (/** @type {string} */ path) => readFile(new URL(path, ROOT), 'utf8');
const tensorRows = async () => tensorTypes(await source('src/tensor_types.h'));

/** Returns Markdown table rows for the tensor types in src/tensor_types.h. */
export async function types() {
  return (await tensorRows())
    .map(
      ({ name, code, values, bytes, reason }) =>
        `| \`${name}\` | ${code} | ${values} | ${bytes} | ${Number(((8 * bytes) / values).toFixed(4))} | ${reason ? `no: ${reason}` : 'yes'} |`,
    )
    .join('\n');
}

/** Returns Markdown table rows for the supported architectures and tokenizers, and for unsupported files. */
export async function runs() {
  const types = (await tensorRows()).filter(({ reason }) => !reason).map(({ name }) => name);
  const [, most] = /#define GGUF_MAX_BYTES \w+ \/\* (.*?) \*\//.exec(await source('src/gguf.h')) ?? [];
  const code = (/** @type {string[]} */ list) => list.map((name) => `\`${name}\``).join(', ');
  /** @type {[string, string][]} */
  const rows = [
    [
      'File formats',
      `GGUF versions 2 and 3, little-endian, up to ${most}. A model that llama.cpp has split into several files also runs (pass a list of all files, or the address of the first file)`,
    ],
    ['Architectures', code(RUNS)],
    ['Tensor types', code(types)],
    ['Tokenizers', code(TOKENIZERS)],
    [
      'Pre-tokenizers of byte-pair encodings (`tokenizer.ggml.pre`)',
      `${code(names())}. With other pre-tokenizers, a model runs, but reads and returns only token ids`,
    ],
    [
      'Chat (`model.chat()`)',
      'all files with a chat template (`tokenizer.chat_template`), which the library executes; for other files, the page passes a template',
    ],
    [
      'Not supported',
      'mixtures of experts, adapters (LoRA), embedding models and image projectors: each is rejected with a message that names its type',
    ],
  ];
  return rows.map(([what, which]) => `| ${what} | ${which} |`).join('\n');
}

/**
 * Returns a comma-separated list, in Markdown, of the scripts in web/dist that do not occur in `text`. The scripts of the demo's pages are
 * left out.
 * @param {string} text
 */
export async function otherScripts(text) {
  const files = (await readdir(new URL('web/dist', ROOT))).filter((name) => name.endsWith('.js') && !name.startsWith('page-'));
  return files
    .filter((name) => !text.includes(`\`${name}\``))
    .sort()
    .map((name) => `\`${name}\``)
    .join(', ');
}
