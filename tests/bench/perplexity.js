// SPDX-License-Identifier: MIT
// Measures language models on a text, through the wasm: nats per token and perplexity, each file beside the first one.
//
//   node tests/bench/perplexity.js FILE.gguf ... --text TEXT[.xz] [--last BYTES] [--skip BYTES] [--wasm FILE] [--json]
//
// --last takes the end of the text. The text is cut into pieces of as many tokens as the model knows positions; each begins with the
// id that begins a text, so that the first tokens of a piece are guessed from little, the same for every file.
// @ts-check
import { spawnSync } from 'node:child_process';
import { readFileSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { Core } from '../../web/lib/core.js';
import { tokenizer } from '../../web/lib/index.js';

const ROOT = new URL('../../', import.meta.url);

/**
 * @param {Core} core
 * @param {Uint32Array} ids
 * @returns {{ nats: number, tokens: number }} the mean of all tokens, and their number
 */
export function nats(core, ids) {
  const begin = Number(core.metadata.get('tokenizer.ggml.bos_token_id') ?? 1), most = core.positions - 1;
  let sum = 0;
  for (let from = 0; from < ids.length; from += most) {
    const piece = Uint32Array.from([begin, ...ids.slice(from, from + most)]);
    const session = core.openSession({ seed: 1n, temperature: 1, topK: 0, topP: 1, samples: 1 });
    core.put(session, piece, true).forEach((one, i) => { if (i) sum += one; });
    core.closeSession(session);
  }
  return { nats: sum / ids.length, tokens: ids.length };
}

/** @param {string} file */
function readText(file) {
  if (!file.endsWith('.xz')) return readFileSync(file);
  const { status, stdout, error } = spawnSync('xz', ['-dc', file], { maxBuffer: 2 ** 30 });
  if (status !== 0) throw new Error(`cannot read ${file}${error ? `: ${error.message}` : ''}`);
  return stdout;
}

async function main() {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: {
    text: { type: 'string' }, last: { type: 'string' }, skip: { type: 'string' }, wasm: { type: 'string' }, json: { type: 'boolean' },
  } });
  if (!values.text || positionals.length === 0) throw new Error('node tests/bench/perplexity.js FILE.gguf ... --text TEXT [--last BYTES]');
  const wasm = values.wasm ?? fileURLToPath(new URL('web/dist/nextpixel.wasm', ROOT));
  const module = await WebAssembly.compile(readFileSync(wasm));
  const all = readText(values.text);
  const bytes = values.last ? all.subarray(-Number(values.last)) : all.subarray(Number(values.skip ?? 0));
  const text = new TextDecoder().decode(bytes);
  /** @type {{ file: string, bytes: number, tokens: number, nats: number, perplexity: number, more: number }[]} */
  const rows = [];
  for (const file of positionals) {
    const core = new Core(module, readFileSync(file));
    const found = nats(core, (await tokenizer(path.resolve(file))).encode(text));
    const perplexity = Math.exp(found.nats), first = rows[0]?.perplexity ?? perplexity;
    rows.push({ file: path.basename(file), bytes: core.fileBytes, ...found, perplexity, more: perplexity / first - 1 });
  }
  if (values.json) return void console.log(JSON.stringify(rows, null, 2));
  console.log(`${rows[0].tokens} tokens of ${bytes.length} bytes`);
  for (const { file, bytes: size, nats: mean, perplexity, more } of rows) {
    console.log(`${file.padEnd(28)} ${String(size).padStart(10)} bytes  ${mean.toFixed(5)} nats a token  perplexity ${perplexity.toFixed(4)}  ${(100 * more).toFixed(2).padStart(6)} %`);
  }
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) await main();
