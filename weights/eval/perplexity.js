// SPDX-License-Identifier: MIT
// Measures the nats per token and the perplexity of language models on a text, and compares each model file with the first one. The models
// run in the wasm engine.
//
//   node weights/eval/perplexity.js FILE.gguf ... --text TEXT[.xz] [--last BYTES] [--skip BYTES] [--wasm FILE] [--json]
//
// --last BYTES scores only the last BYTES bytes of the text; --skip BYTES leaves out the first BYTES bytes. The text is scored in chunks of
// one context each (kinds/text/text.js).
// @ts-check
import { spawnSync } from 'node:child_process';
import { readFileSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { load } from '../../web/lib/index.js';
import { scorePieces } from './kinds/text/text.js';

/** @import { AnyModel } from '../../web/lib/model/of-kind.js' */

/** @param {string} file */
export function readText(file) {
  if (!file.endsWith('.xz')) return readFileSync(file);
  const { status, stdout, error } = spawnSync('xz', ['-dc', file], { maxBuffer: 2 ** 30 });
  if (status !== 0) throw new Error(`cannot read ${file}${error ? `: ${error.message}` : ''}`);
  return stdout;
}

async function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      text: { type: 'string' },
      last: { type: 'string' },
      skip: { type: 'string' },
      wasm: { type: 'string' },
      json: { type: 'boolean' },
    },
  });
  if (!values.text || positionals.length === 0) throw new Error('node weights/eval/perplexity.js FILE.gguf ... --text TEXT [--last BYTES]');
  const all = readText(values.text);
  const bytes = values.last ? all.subarray(-Number(values.last)) : all.subarray(Number(values.skip ?? 0));
  const text = new TextDecoder().decode(bytes);
  /** @type {{ file: string, bytes: number, tokens: number, nats: number, perplexity: number, more: number }[]} */
  const rows = [];
  for (const file of positionals) {
    const model = /** @type {AnyModel} */ (
      await load(path.resolve(file), values.wasm === undefined ? {} : { wasmUrl: path.resolve(values.wasm) })
    );
    const found = await scorePieces(model, await model.tokenizer.encodeLong(text));
    model.close();
    const perplexity = Math.exp(found.nats),
      first = rows[0]?.perplexity ?? perplexity;
    rows.push({ file: path.basename(file), bytes: model.info.bytes, ...found, perplexity, more: perplexity / first - 1 });
  }
  if (values.json) return void console.log(JSON.stringify(rows, null, 2));
  console.log(`${rows[0].tokens} tokens of ${bytes.length} bytes`);
  for (const { file, bytes: size, nats: mean, perplexity, more } of rows) {
    console.log(
      `${file.padEnd(28)} ${String(size).padStart(10)} bytes  ${mean.toFixed(5)} nats a token  perplexity ${perplexity.toFixed(4)}  ${(100 * more).toFixed(2).padStart(6)} %`,
    );
  }
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) await main();
