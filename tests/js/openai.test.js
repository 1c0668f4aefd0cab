// SPDX-License-Identifier: MIT
// @ts-check

/** The example in the shape of OpenAI's chat completions returns the same as a run of chat(). */

import assert from 'node:assert/strict';
import { after, test } from 'node:test';

import { openai } from '../embed/openai.js';
import { GOLDEN, isError, load } from './helpers.js';

const model = await load(`${GOLDEN}stories260K.gguf`);
after(() => model.close());
model.info.chatTemplate ||= '{% for message in messages %}{{ message.content }} {% endfor %}';
const { chat } = openai(model);
const messages = [{ role: 'user', content: 'Once upon a time' }];

test('a completion is the text of the run, with its probabilities and counts', async () => {
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
  await assert.rejects(
    chat.completions.create({ messages, response_format: { type: 'json_object' } }),
    isError('argument', /no option response_format/),
  );
});
