// SPDX-License-Identifier: MIT
// @ts-check

/** Fuzzes chats that are formatted by a template. A chat must either be rejected with a message or be tokenized. Messages must never add a
 * control token. */

import assert from 'node:assert/strict';

import { checkedTalk } from '../../../web/lib/kinds/text/chat.js';
import { prompting } from '../../../web/lib/kinds/text/template.js';
import { Tokenizer } from '../../../web/lib/kinds/text/tokenizer.js';
import { readGGUF } from '../../js/gguf.js';
import { TOKENS, toyText } from '../../js/toy-text.js';
import { Input, anything, refusedOr } from '../input.js';
import { atOnce } from '../../../web/lib/base/turns.js';

/** The markers of the known templates; each is a control token. */
const MARKS = [
  '<|im_start|>',
  '<|im_end|>',
  '<|start_header_id|>',
  '<|end_header_id|>',
  '<|eot_id|>',
  '[INST]',
  '[/INST]',
  '<<SYS>>',
  '<</SYS>>',
  '<start_of_turn>',
  '<end_of_turn>',
  '<|assistant|>',
  '<|user|>',
  '<|end|>',
];
const ALL = '{% for message in messages %}';
const TEMPLATES = [
  `${ALL}<|im_start|>{{ message.role }}\n{{ message.content }}<|im_end|>\n{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}`,
  `${ALL}<|start_header_id|>{{ message.role }}<|end_header_id|>\n\n{{ message.content | trim }}<|eot_id|>{% endfor %}`,
  `${ALL}{% if message.role == 'system' %}{{ raise_exception('no') }}{% endif %}[INST] {{ message['content'] }} [/INST]{% endfor %}`,
  `${ALL}{% if message.role == 'user' %}<<SYS>>{{ message.content.split('</think>')[-1] }}<</SYS>>{% endif %}{% endfor %}`,
  `${ALL}<start_of_turn>{{ message | tojson }}<end_of_turn>{% endfor %}`,
  `${ALL}{{ message.content }}{% endfor %}`,
];

/** @returns {import('../fuzz.js').Target} */
export function open() {
  const tokens = [...TOKENS, ...MARKS];
  const { metadata } = readGGUF(
    toyText({
      values: tokens.length,
      metadata: {
        'tokenizer.ggml.tokens': ['array', 'string', tokens],
        'tokenizer.ggml.scores': ['array', 'f32', tokens.map((_, i) => -i)],
        'tokenizer.ggml.token_type': [
          'array',
          'i32',
          tokens.map((text, i) => (i === 0 ? 2 : i < 3 || i >= TOKENS.length ? 3 : i < 259 ? 6 : text === '<user>' ? 4 : 1)),
        ],
      },
    }),
  );
  const own = atOnce(Tokenizer.reading(new Map(Object.entries(metadata))));
  const control = (/** @type {import('../../../web/lib/kinds/text/chat.js').Prompt} */ prompt) =>
    [...atOnce(own.encodingPrompt(prompt))].filter((id) => own.kind(id) === 'control');
  const utf8 = (/** @type {string} */ text) => new TextEncoder().encode(text);
  return {
    seeds: TEMPLATES.map((_, i) => utf8(`${String.fromCharCode(i)}\u0002\u0001\u0005Hello\u0002\u0004there\u0001\u0003\u0005<s>[]`)),
    words: [...MARKS, '<s>', '</s>', 'system', 'user', '{{', '}}', '{%', '%}', '\\n'],
    run(bytes) {
      const input = new Input(bytes);
      const known = input.pick(TEMPLATES);
      const template = input.below(4) ? known : known + input.text(input.below(20));
      const messages = Array.from({ length: input.below(5) }, () =>
        input.below(12) === 11
          ? anything(input)
          : { role: input.pick(['system', 'user', 'assistant', 'tool']), content: input.text(input.below(24)) },
      );
      const promptOf = (/** @type {any} */ given) =>
        refusedOr(
          () => atOnce(prompting(checkedTalk(given, template, {}), { bos_token: '<s>', eos_token: '</s>' })),
          ['argument', 'unsupported', 'format', 'limit'],
        );
      const prompt = promptOf(messages);
      if (prompt) assert.equal(prompt.sources?.length, prompt.text.length);
      const plain = prompt && template === known && promptOf(messages.map((/** @type {any} */ one) => ({ ...one, content: 'x' })));
      if (plain) assert.deepEqual(control(prompt), control(plain), 'messages add no control token');
    },
  };
}
