// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Measures a chat of several turns. The model has the shape of SmolLM2-135M and random weights. The chat runs twice. The first run reuses
 * the cached session of earlier turns; the second run loads a new model for each turn. For each turn, the script prints how many tokens
 * were read and how long this took, and checks that both runs generate the same tokens. Then the script saves the chat with its state,
 * loads the model again, and continues the saved chat with the reloaded model.
 *
 *     node tests/bench/chat.js [--turns 5] [--tokens 32] [--question 30] [--write FILE.gguf]
 *
 * With --write, the script only saves the weights to a file. The chat page can open this file. Every word of the vocabulary is a single
 * token in every context, as nearly all words are in real models.
 */

import { writeFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

import { load } from '../../web/lib/index.js';
import { F32, Q8_0, writeGGUF } from '../js/gguf.js';
import { floats, normal, q8_0 } from './random.js';

/** @import { Message } from '../../web/lib/index.js' */

/** A chat template similar to SmolLM2's template. */
const TEMPLATE =
  "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>' + '\\n' }}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}";

const SMOLLM2 = { width: 576, blocks: 30, heads: 9, kvHeads: 3, inner: 1536, values: 49152, length: 8192 };

/** The random numbers repeat with this period. */
const POOL = 1 << 20;

/** Returns word i of the vocabulary. Each word has 7 characters. @param {number} i */
const word = (i) => `w${String(i).padStart(5, '0')} `;

/**
 * Makes a weight file of the given shape in Q8_0.
 *
 * @param {{ width: number, blocks: number, heads: number, kvHeads?: number, inner: number, values: number, length: number }} [shape]
 */
export function chatModel({ width, blocks, heads, kvHeads = heads, inner, values, length } = SMOLLM2) {
  const pool = q8_0(floats(normal(1), POOL, 0.04));
  /** @type {Record<string, import('../js/gguf.js').Tensor>} */
  const tensors = {};
  /** @param {string} name @param {number} rows @param {number} cols */
  const matrix = (name, rows, cols) => {
    const data = new Uint8Array(((rows * cols) / 32) * 34);
    for (let at = 0; at < data.length; at += pool.length) data.set(pool.subarray(0, data.length - at), at);
    tensors[`${name}.weight`] = { shape: [rows, cols], type: Q8_0, data };
  };
  /** @param {string} name */
  const norm = (name) => {
    tensors[`${name}.weight`] = { shape: [width], type: F32, data: new Float32Array(width).fill(1) };
  };
  const kv = (width / heads) * kvHeads;
  matrix('token_embd', values, width);
  for (let i = 0; i < blocks; i++) {
    norm(`blk.${i}.attn_norm`);
    norm(`blk.${i}.ffn_norm`);
    for (const [name, rows, cols] of /** @type {[string, number, number][]} */ ([
      ['attn_q', width, width],
      ['attn_k', kv, width],
      ['attn_v', kv, width],
      ['attn_output', width, width],
      ['ffn_gate', inner, width],
      ['ffn_up', inner, width],
      ['ffn_down', width, inner],
    ]))
      matrix(`blk.${i}.${name}`, rows, cols);
  }
  norm('output_norm');
  const control = ['<unk>', '<s>', '</s>', '<|im_start|>', '<|im_end|>'];
  const bytes = Array.from({ length: 256 }, (_, i) => `<0x${i.toString(16).toUpperCase().padStart(2, '0')}>`);
  const tokens = [...control, ...bytes, ...Array.from({ length: values - control.length - bytes.length }, (_, i) => word(i))];
  return writeGGUF({
    metadata: {
      'general.architecture': ['string', 'llama'],
      'general.name': ['string', `random weights, width ${width}, ${blocks} blocks`],
      'llama.context_length': ['u32', length],
      'llama.embedding_length': ['u32', width],
      'llama.block_count': ['u32', blocks],
      'llama.feed_forward_length': ['u32', inner],
      'llama.attention.head_count': ['u32', heads],
      'llama.attention.head_count_kv': ['u32', kvHeads],
      'llama.attention.layer_norm_rms_epsilon': ['f32', 1e-5],
      'llama.rope.freq_base': ['f32', 1e5],
      'tokenizer.ggml.model': ['string', 'llama'],
      'tokenizer.ggml.tokens': ['array', 'string', tokens],
      'tokenizer.ggml.scores': ['array', 'f32', tokens.map((_, i) => -i)],
      'tokenizer.ggml.token_type': [
        'array',
        'i32',
        tokens.map((_, i) => (i === 0 ? 2 : i < control.length ? 3 : i < control.length + 256 ? 6 : 4)),
      ],
      'tokenizer.ggml.bos_token_id': ['u32', 1],
      'tokenizer.ggml.eos_token_id': ['u32', 4],
      'tokenizer.ggml.add_bos_token': ['bool', false],
      'tokenizer.ggml.add_space_prefix': ['bool', false],
      'tokenizer.chat_template': ['string', TEMPLATE],
    },
    tensors,
  });
}

/** Returns a question of this many words, different for each turn. @param {number} turn @param {number} words */
export const question = (turn, words) => Array.from({ length: words }, (_, i) => word((turn * 7919 + i * 104729) % 40000)).join('');

async function main() {
  const { values } = parseArgs({
    options: {
      turns: { type: 'string', default: '5' },
      tokens: { type: 'string', default: '32' },
      question: { type: 'string', default: '30' },
      write: { type: 'string' },
    },
  });
  const bytes = chatModel();
  if (values.write) {
    await writeFile(values.write, bytes);
    return;
  }
  const [turns, maxTokens, words] = [Number(values.turns), Number(values.tokens), Number(values.question)];
  const open = () => load(bytes.slice(), { cache: false });
  /** @param {Awaited<ReturnType<typeof open>>} model @param {Message[]} talk @param {number} seed */
  const answer = async (model, talk, seed) => {
    const before = process.cpuUsage();
    /** @type {NodeJS.CpuUsage | undefined} */
    let first;
    let text = '';
    const run = model.chat(talk, { seed, maxTokens, logitBias: { 4: -Infinity } });
    for await (const step of run) {
      first ??= process.cpuUsage(before);
      text += step.text;
    }
    const spent = /** @type {NodeJS.CpuUsage} */ (first);
    return { run, text, ids: run.ids.join(), prompt: run.promptLength, reused: run.reused, seconds: (spent.user + spent.system) / 1e6 };
  };
  const model = await open();
  await model.generate([5, 6, 7], { maxTokens: 8 }).text(); // warm-up: V8 compiles the code
  /** @type {Message[]} */
  const talk = [];
  /** @type {Awaited<ReturnType<typeof answer>> | undefined} */
  let last;
  console.log('Processor seconds to the first token of each turn');
  console.log('turn  prompt  read  seconds  read of all  seconds  same');
  for (let turn = 1; turn <= turns; turn++) {
    talk.push({ role: 'user', content: question(turn, words) });
    const with_ = await answer(model, talk, turn);
    const alone = await open();
    await alone.generate([5, 6, 7], { maxTokens: 8 }).text();
    const without = await answer(alone, talk, turn);
    alone.close();
    console.log(
      [
        turn,
        with_.prompt,
        with_.prompt - with_.reused,
        with_.seconds.toFixed(2),
        without.prompt - without.reused,
        without.seconds.toFixed(2),
        with_.ids === without.ids ? 'yes' : 'NO',
      ]
        .map((cell, i) => String(cell).padStart([4, 6, 4, 7, 11, 7, 4][i]))
        .join('  '),
    );
    if (with_.ids !== without.ids) process.exitCode = 1;
    talk.push({ role: 'assistant', content: with_.text });
    last = with_;
  }
  if (last) {
    const saved = structuredClone(await last.run.save({ state: true }));
    model.close();
    const tomorrow = await open();
    await tomorrow.generate([5, 6, 7], { maxTokens: 8 }).text();
    tomorrow.resume(saved);
    talk.push({ role: 'user', content: question(turns + 1, words) });
    const { prompt, reused, seconds } = await answer(tomorrow, talk, turns + 1);
    console.log(
      `saved with its state: ${saved.ids.length} tokens, ${(saved.state.bytes.length / 1e6).toFixed(1)} MB; another model reads ${prompt - reused} of ${prompt} tokens of the next turn, ${seconds.toFixed(2)} s`,
    );
    tomorrow.close();
  }
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) await main();
