// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Tests models with several threads, which share one copy of the weights. The results must be the same as with one thread, and the threads
 * must end with their model.
 */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';

import { Core } from '../../web/lib/engine/core.js';
import { load as loadModel } from '../../web/lib/index.js';
import { llamaModel } from '../bench/language.js';
import { ROOT, busyDuring, isError, sleep, wasmModule } from './helpers.js';
import { wasmUrl } from './patch.js';
import { toyModel } from './toy.js';

const shape = { width: 192, blocks: 3, heads: 4, inner: 480, values: 1000, length: 512 };
const files = { q8_0: llamaModel(shape, 'q8_0'), q4_0: llamaModel(shape, 'q4_0') };
const prompt = 'abcdefgh'.repeat(20); // long enough that the engine computes several columns together

test('the tokens, nats and attention are the same for any number of threads', { timeout: 120000 }, async () => {
  for (const [type, file] of Object.entries(files)) {
    /** @type {any} */
    let expected;
    for (const threads of [1, 2, 3, 8]) {
      const model = await loadModel(file, { threads });
      assert.equal(model.threads, threads);
      const steps = [];
      for await (const { token, nats, maps } of model.generate(prompt, { seed: 4, temperature: 0.8, maxTokens: 40, maps: true }))
        steps.push([token, nats, maps]);
      const all = { steps, score: await model.score(prompt) };
      expected ??= all;
      assert.deepEqual(all, expected, `${threads} threads, ${type}`);
      model.close();
    }
  }
});

test('threads stop with the model, and do not keep a process alive', { timeout: 60000 }, async () => {
  const model = await loadModel(files.q8_0, { threads: 4 });
  for await (const _ of model.generate('a', { maxTokens: 200 })) break;
  model.close();
  let busy = Infinity;
  for (let attempt = 0; attempt < 10 && busy > 200 * 0.12; attempt++) {
    await sleep(50);
    busy = await busyDuring(200);
  }
  assert.ok(busy < 200 * 0.12, `${busy.toFixed(0)} ms of work in 200 ms`);
  const program = `const { load } = await import(${JSON.stringify(`${ROOT}web/lib/index.js`)});
    const model = await load(${JSON.stringify(`${ROOT}tests/golden/stories260K.gguf`)}, { threads: 3 });
    console.log(model.threads, (await model.generate('Once', { maxTokens: 3 }).text()).length > 0);`; // and never closed
  const { stdout, status } = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8', timeout: 30000 });
  assert.deepEqual([stdout, status], ['3 true\n', 0]);
});

test('without shared memory there is one thread', async () => {
  const pictures = await loadModel(toyModel(), { threads: 2 });
  assert.equal(pictures.threads, 1, 'for pictures, workers share the samples');
  pictures.close();
  const bytes = await readFile(`${ROOT}web/dist/nextpixel.wasm`);
  const alone = await loadModel(files.q8_0, { threads: 2, wasmUrl: wasmUrl(bytes) });
  assert.equal(alone.threads, 1, 'a build without threads');
  alone.close();
  for (const threads of [0, 17, 1.5, '2', null]) {
    await assert.rejects(loadModel(files.q8_0, { threads: /** @type {any} */ (threads) }), isError('argument', /threads must be/));
  }
});

test('the threaded builds export the functions of the other builds and import their memory', async () => {
  const names = (/** @type {WebAssembly.Module} */ module) =>
    WebAssembly.Module.exports(module)
      .map(({ name }) => name)
      .filter((name) => name !== 'memory')
      .sort();
  for (const name of ['nextpixel-threads', 'nextpixel-threads-relaxed', 'nextpixel-threads-pairs']) {
    const module = await WebAssembly.compile(await readFile(`${ROOT}web/dist/${name}.wasm`)).catch((error) => {
      // An older Node does not support the instructions of this build.
      if (name !== 'nextpixel-threads' && /opcode not available|invalid .*opcode/i.test(String(error))) return undefined;
      throw error;
    });
    if (!module) continue;
    assert.deepEqual(names(module), [...names(wasmModule), '__stack_pointer', 'nx_thread'].sort());
    assert.deepEqual(WebAssembly.Module.imports(module), [{ module: 'env', name: 'memory', kind: 'memory' }]);
    const core = new Core(module, files.q4_0);
    const [first, second] = core.stacks(2);
    assert.ok(second - first >= 65536);
    assert.equal(core.sessions, 0);
  }
});
