// SPDX-License-Identifier: MIT
import { load } from './node_modules/nextpixel/web/dist/nextpixel.js';

import { jsonGrammar } from './grammar.js';
import { openai } from './openai.js';

const SCHEMA = {
  type: 'object',
  additionalProperties: false,
  required: ['name', 'age', 'kind'],
  properties: { name: { type: 'string', maxLength: 12 }, age: { type: 'integer', minimum: 0, maximum: 30 }, kind: { enum: ['cat', 'dog'] } },
};
const form = document.querySelector('form');
const output = document.querySelector('output');

const model = await load('model.gguf');
// For a model without a chat template, this template passes the conversation on as plain text.
const template = model.info.chatTemplate || '{% for message in messages %}{{ message.content }} {% endfor %}';
const client = openai(model, { template, grammar: jsonGrammar });

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const isJson = event.submitter?.name === 'json';
  output.textContent = '';
  try {
    const stream = await client.chat.completions.create({
      messages: [{ role: 'user', content: form.elements.question.value }],
      stream: true,
      seed: 1,
      max_tokens: 100,
      ...(isJson && { response_format: { type: 'json_schema', json_schema: { name: 'pet', schema: SCHEMA } } }),
    });
    for await (const { choices } of stream) output.textContent += choices[0].delta.content ?? '';
    document.documentElement.dataset.done = isJson ? 'json' : 'text';
  } catch (error) {
    output.textContent = error.message;
  }
});
document.documentElement.dataset.done = 'loaded';
