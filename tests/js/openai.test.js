// SPDX-License-Identifier: MIT
// @ts-check

/** Checks that the example with OpenAI's chat completions API returns the same text as a run of chat(). */

import assert from 'node:assert/strict';
import { after, test } from 'node:test';

import { openai } from '../../web/examples/chat/openai.js';
import { GOLDEN, isError, load } from './helpers.js';

const model = await load(`${GOLDEN}stories260K.gguf`);
after(() => model.close());
model.info.chatTemplate ||= '{% for message in messages %}{{ message.content }} {% endfor %}';
const { chat } = openai(model);
const messages = [{ role: 'user', content: 'Once upon a time' }];

test('a completion has the same text, probabilities and token counts as the run', async () => {
  const options = { seed: 4, temperature: 0.7, maxTokens: 12, topP: 0.9 };
  const run = model.chat(messages, options);
  const text = await run.text();
  const answer = await chat.completions.create({
    messages,
    seed: 4,
    temperature: 0.7,
    max_tokens: 12,
    top_p: 0.9,
    logprobs: true,
    top_logprobs: 3,
  });
  assert.equal(answer.choices[0].message.content, text);
  assert.equal(answer.choices[0].finish_reason, 'length');
  assert.deepEqual(answer.usage, { prompt_tokens: run.promptLength, completion_tokens: 12, total_tokens: run.promptLength + 12 });
  for (const { logprob, top_logprobs: tops } of answer.choices[0].logprobs.content) {
    assert.ok(logprob <= 0 && tops.length === 3 && tops[0].logprob >= tops[1].logprob);
  }
  const parts = [];
  for await (const {
    object,
    choices: [{ delta, finish_reason: reason }],
  } of await chat.completions.create({ messages, stream: true, seed: 4, temperature: 0.7, max_tokens: 12, top_p: 0.9 })) {
    assert.equal(object, 'chat.completion.chunk');
    parts.push(delta.content ?? `(${reason})`);
  }
  assert.equal(parts.join(''), `${text}(length)`);
  const stopped = await chat.completions.create({ messages, seed: 4, stop: text.slice(3, 6), temperature: 0.7, top_p: 0.9 });
  assert.equal(stopped.choices[0].finish_reason, 'stop');
  await assert.rejects(chat.completions.create({ messages, response_format: { type: 'json_object' } }), /response_format needs/);
  await assert.rejects(chat.completions.create({ messages, best_of: 2 }), isError('argument', /no option best_of/));
});

/** Returns a constraint that makes a run write this text and then end. @param {string} text */
const writing = (text) => {
  const ids = [...model.tokenizer.encode(text), Number(model.tokenizer.end)];
  return {
    next(/** @type {Uint32Array} */ drawn) {
      const mask = new Uint32Array(Math.ceil(model.tokenizer.size / 32));
      const id = ids[drawn.length];
      mask[id >>> 5] |= 1 << (id & 31);
      return mask;
    },
  };
};

test('the option grammar turns response_format into a constraint', async () => {
  /** @type {any[]} */
  const seen = [];
  const { chat: own } = openai(model, { grammar: async (schema) => (seen.push(schema), writing('{"a":1}')) });
  const schema = { type: 'object' };
  for (const format of [{ type: 'json_schema', json_schema: { name: 'x', schema } }, { type: 'json_object' }]) {
    const answer = await own.completions.create({ messages, response_format: format });
    assert.deepEqual(JSON.parse(answer.choices[0].message.content), { a: 1 });
    assert.equal(answer.choices[0].finish_reason, 'stop');
  }
  assert.deepEqual(seen, [schema, undefined]);
  assert.ok(await own.completions.create({ messages, response_format: { type: 'text' }, max_tokens: 1 }));
  await assert.rejects(own.completions.create({ messages, response_format: { type: 'xml' } }), /no type xml/);
});

test('a tool call is told apart from text, streamed or not', async () => {
  const tools = [{ type: 'function', function: { name: 'look', parameters: {} } }];
  const template = '{{ tools | tojson if tools }}{% for message in messages %}{{ message.content }} {% endfor %}';
  const shown = async (/** @type {string} */ text, /** @type {object} */ more = {}) => {
    const { chat: own } = openai(model, { template, grammar: async () => writing(text) });
    const request = { messages, tools, response_format: { type: 'json_object' }, ...more };
    const whole = await own.completions.create(request);
    const [{ message, finish_reason: reason }] = whole.choices;
    let content = '';
    /** @type {any} */
    let calls;
    let counted;
    for await (const { choices, usage } of await own.completions.create({
      ...request,
      stream: true,
      stream_options: { include_usage: true },
    })) {
      content += choices[0]?.delta.content ?? '';
      calls ??= choices[0]?.delta.tool_calls;
      counted = usage;
    }
    assert.equal(content, message.content ?? '');
    assert.deepEqual(
      calls?.map((/** @type {any} */ one) => one.function),
      message.tool_calls?.map((/** @type {any} */ one) => one.function),
    );
    assert.deepEqual(counted, whole.usage);
    return message.tool_calls
      ? [reason, ...message.tool_calls.map((/** @type {any} */ one) => [one.function.name, one.function.arguments])]
      : message.content;
  };
  const call = ['tool_calls', ['look', '{"a":1}']];
  assert.deepEqual(await shown('<tool_call>{"name": "look", "arguments": {"a": 1}}</tool_call>'), call);
  assert.deepEqual(await shown('{"name": "look", "parameters": {"a": 1}}'), call);
  assert.deepEqual(await shown('[{"name": "look", "arguments": "{\\"a\\":1}"}]'), call);
  for (const text of ['{"name": "other", "arguments": {}}', '{"name"', 'Hello {', '[]'])
    assert.equal(String(await shown(text)).trim(), text);
  assert.equal(String(await shown('{"name": "look"}', { tool_choice: 'none' })).trim(), '{"name": "look"}');
  await assert.rejects(shown('a', { tool_choice: 'required' }), /tool_choice must be/);
  const { chat: own } = openai(model, { template });
  const parts = [
    { type: 'text', text: 'Once ' },
    { type: 'text', text: 'upon' },
  ];
  assert.ok(
    await own.completions.create({
      messages: [
        { role: 'developer', content: 'x' },
        { role: 'user', content: parts },
      ],
      max_tokens: 1,
    }),
  );
  await assert.rejects(own.completions.create({ messages: [{ role: 'user', content: [{ type: 'image_url' }] }] }), /sees no pictures/);
});
