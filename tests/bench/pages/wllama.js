// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Runs wllama, which is llama.cpp compiled to wasm, with one thread. The defaults of wllama are not its fastest settings, because a
 * half-precision cache and flash attention are slow in wasm. The benchmark uses a single-precision cache and no flash attention. wllama
 * takes prompts as text. In this benchmark, each letter of a prompt is a token, and a begin token comes first. wllama itself measures the
 * times. These times exclude the messages between wllama's threads.
 */

import { bytesOf, turn, WARM_UP } from './common.js';

/** @param {{ peers: string, model: string, shape: import('../models.js').Shape }} options */
export async function start({ peers, model, shape }) {
  const { Wllama, LoggerWithoutDebug } = await import(`${peers}/@wllama/wllama/esm/index.min.js`);
  const wllama = new Wllama(
    { default: `${peers}/@wllama/wllama/esm/wasm/wllama.wasm` },
    { suppressNativeLog: true, logger: LoggerWithoutDebug },
  );
  await wllama.loadModel([new Blob([await bytesOf(model)])], {
    n_ctx: shape.side ** 2,
    n_threads: 1,
    n_gpu_layers: 0,
    n_parallel: 1,
    warmup: false,
    jinja: false,
    cache_type_k: 'f32',
    cache_type_v: 'f32',
    flash_attn: false,
  });
  /** @param {number} length  number of prompt tokens @param {number} count @param {string} [letters] @param {boolean} [cached] */
  const generate = async (length, count, letters = 'abcdefghij', cached = true) => {
    const prompt = Array.from({ length: length - 1 }, (_, i) => letters[(i * 7) % 10]).join('');
    const { timings } = await wllama.createCompletion({
      prompt,
      max_tokens: count,
      temperature: 0,
      top_k: 1,
      samplers: ['top_k'],
      ignore_eos: true,
      cache_prompt: cached,
      seed: 1,
      timings_per_token: true,
      stream: false,
    });
    if (timings?.predicted_n !== count) throw new Error(`wllama drew ${timings?.predicted_n} tokens instead of ${count}`);
    if (!cached && timings.prompt_n !== length) throw new Error(`wllama read ${timings.prompt_n} tokens instead of ${length}`);
    return cached ? timings.predicted_ms : timings.prompt_ms;
  };
  let prompts = 0;
  await generate(2, WARM_UP);
  return {
    /** @param {{ position: number, steps: number }} place */
    async time({ position, steps }) {
      const from = position - steps / 2;
      await generate(from, 1); // reads the prompt, so the next call finds the prompt in the cache
      // One more token is generated, because the first token comes from the pass over the prompt.
      return turn(steps, () => generate(from, steps + 1));
    },
    /** Returns the milliseconds from the start of a prompt with this many tokens to the first generated token. Each prompt starts with a
     * different letter, so no prompt is in the cache. */
    prompt: (/** @type {{ length: number }} */ { length }) =>
      turn(1, () => generate(length, 1, `${'klmnopqrstuvwxyz'[prompts++ % 16]}bcdefghij`, false)),
  };
}
