// SPDX-License-Identifier: MIT
// @ts-check

/** Checks that load() and every verb of every kind refuse unknown options, suggest the most similar option, and list the valid ones. */

import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { after, test } from 'node:test';

import { acquire, load, tokenizer } from '../../web/lib/index.js';
import { engineOf } from '../../web/lib/model/engine.js';
import { KINDS } from '../../web/lib/kinds/index.js';
import { ALL, argumentsOf, optionsOf } from '../../web/lib/verbs/table.js';
import { SETTINGS } from '../../web/lib/settings.js';
import { rowsOf } from '../kinds/js.js';
import { EVERY, longer } from '../more.js';
import { GOLDEN, ROOT, isError } from './helpers.js';

const ROWS = rowsOf('options');
const NAMES = Object.values(ROWS).flatMap(({ files }) => files);
/** @type {Record<string, any>} */
const models = Object.fromEntries(await Promise.all(NAMES.map(async (name) => [name, await load(`${GOLDEN}${name}.gguf`)])));
after(() => Object.values(models).forEach((model) => model.close()));

/** Returns the first model that has this verb. @param {string} verb */
function modelOf(verb) {
  const model = Object.values(models).find((one) => engineOf(one).verbs.includes(verb));
  assert.ok(model, `one of these models must have ${verb}()`);
  return model;
}

/** The names of the options of every verb of every kind of model. */
const OPTIONS = [
  ...new Set(KINDS.flatMap(({ name, verbs }) => Object.keys(verbs).flatMap((verb) => optionsOf(/** @type {any} */ (verb), name)))),
];

/**
 * Calls a verb with these options. The other arguments of the verb are valid and are not tested here.
 *
 * @param {any} model
 * @param {import('../../web/lib/verbs/table.js').VerbName} verb
 * @param {unknown} options
 */
const ask = async (model, verb, options) => model[verb](...Array(argumentsOf(verb, model.info.kind)).fill(''), options);

/** @param {any} model @param {string} name name of the model's file */
async function sweep(model, name) {
  for (const verb of /** @type {import('../../web/lib/verbs/table.js').VerbName[]} */ (engineOf(model).verbs)) {
    const own = optionsOf(verb, model.info.kind);
    for (const other of ['nothing_like_it', ...OPTIONS.filter((one) => !own.includes(one))]) {
      await assert.rejects(
        ask(model, verb, { [other]: 1 }),
        (/** @type {any} */ error) =>
          error.code === 'argument' &&
          error.message.startsWith(`${verb}() has no option ${other}`) &&
          error.message.endsWith(` It has ${own.join(', ')}`),
        `${name}: ${verb}({ ${other} })`,
      );
    }
    for (const wrong of [
      new AbortController().signal,
      new Date(),
      new URL('http://x/'),
      Promise.resolve({}),
      new Error('x'),
      new ArrayBuffer(8),
      new Map(),
      [],
      'x',
      1,
      null,
    ]) {
      await assert.rejects(ask(model, verb, wrong), isError('argument', /^options must be an object/), `${name}: ${verb}(${wrong})`);
    }
    await ask(model, verb, { nothing_like_it: undefined }).catch((/** @type {Error} */ error) =>
      assert.doesNotMatch(error.message, /has no option/),
    );
  }
}

longer('every shipped file: each verb refuses the options of other kinds, and options that are not objects', async () => {
  const names = (await readdir(`${ROOT}weights`)).filter((name) => name.endsWith('.gguf'));
  assert.ok(names.length > 20);
  const seen = new Set();
  for (const name of names) {
    const model = await load(`${ROOT}weights/${name}`);
    try {
      // Tests one file for each combination of kind and verbs; npm run test:all tests every file.
      const alike = `${model.info.kind} ${model.info.verbs}`;
      if (seen.has(alike) && !EVERY) continue;
      seen.add(alike);
      await sweep(model, name);
    } finally {
      model.close();
    }
  }
});

for (const [verb] of ALL) {
  test(`${verb}() refuses an unknown option and suggests the most similar one`, async () => {
    const model = modelOf(verb);
    const own = optionsOf(verb, model.info.kind);
    for (const option of own) {
      for (const name of [option.replace(/[A-Z]/g, (c) => `_${c.toLowerCase()}`), option.toUpperCase(), `${option}s`]) {
        if (own.includes(name)) continue;
        await assert.rejects(
          ask(model, verb, { [name]: 1 }),
          isError('argument', new RegExp(`${verb}\\(\\) has no option ${name}: \\w+\\? It has `)),
        );
      }
    }
  });
}

test('for option names of other libraries, the error suggests the names in this library', async () => {
  const model = models.stories260K;
  for (const [name, ours] of [
    ['top_k', 'topK'],
    ['topk', 'topK'],
    ['top_p', 'topP'],
    ['repetition_penalty', 'repetitionPenalty'],
    ['logit_bias', 'logitBias'],
    ['stop_sequences', 'stop'],
    ['Temperature', 'temperature'],
    ['max_tokens', 'maxTokens'],
    ['max_new_tokens', 'maxTokens'],
    ['temprature', 'temperature'],
    ['minp', 'minP'],
    ['random_seed', 'seed'],
  ]) {
    assert.throws(
      () => model.generate('a', /** @type {any} */ ({ [name]: 1 })),
      isError('argument', new RegExp(`${name}: ${ours}\\? It has`)),
    );
  }
  assert.throws(
    () => model.generate('a', /** @type {any} */ ({ grammar: 'x' })),
    isError('argument', /has no option grammar\. It has .*temperature/),
  );
  assert.throws(
    () => model.resume(model.generate('a', { maxTokens: 1 }).save(), /** @type {any} */ ({ max_tokens: 1 })),
    isError('argument', /resume\(\) has no option max_tokens: maxTokens\?/),
  );
});

test('load(), acquire(), tokenizer() and the methods of runs refuse unknown options too', async () => {
  const any = (/** @type {unknown} */ value) => /** @type {any} */ (value);
  const file = `${GOLDEN}sagan-tiny.gguf`;
  await assert.rejects(load(file, any({ onprogress() {} })), isError('argument', /load\(\) has no option onprogress: onProgress\?/));
  await assert.rejects(load(file, any({ cache: 'no' })), isError('argument', /cache must be true or false/));
  await assert.rejects(load(file, any({ signal: { throwIfAborted() {} } })), isError('argument', /AbortSignal/));
  await assert.rejects(acquire(file, any({ worker_s: 1 })), isError('argument', /worker/));
  await assert.rejects(tokenizer(`${GOLDEN}stories260K.gguf`, any({ signals: 1 })), isError('argument', /signal\?/));
  await assert.rejects(
    models['sagan-tiny'].generate({}).pictures(any({ sample: 1 })),
    isError('argument', /pictures\(\) has no option sample/),
  );
  await assert.rejects(
    any(models['wavenet-tiny'].generate(any({ seconds: 0.01 }))).wav(any({ rate: 1 })),
    isError('argument', /no option rate/),
  );
  assert.throws(() => models.stories260K.tokenizer.encode('a', any({ specials: true })), isError('argument', /special\?/));
  await assert.rejects(tokenizer(ROOT), isError('network', /is a folder/));
});

test('every flag must be true or false, in every call that has it', async () => {
  for (const [verb] of ALL) {
    const model = modelOf(verb);
    const count = argumentsOf(verb, model.info.kind);
    const flags = optionsOf(verb, model.info.kind).filter((name) => {
      const setting = /** @type {Record<string, object>} */ (SETTINGS)[name];
      return name === 'maps' || name === 'marginals' || (setting && 'flag' in setting);
    });
    for (const flag of flags) {
      for (const value of ['no', 'false', 0, 1, null, {}]) {
        const { inputs = {}, besides = {} } = ROWS[model.info.kind];
        const before = inputs[verb]?.(model.info) ?? ['a'].slice(0, count);
        await assert.rejects(
          async () => model[verb](...before, { ...besides[verb], [flag]: value }),
          isError('argument', new RegExp(`${flag} must be true or false`)),
          `${verb} ${flag}`,
        );
      }
    }
  }
});
