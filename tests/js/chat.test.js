// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Tests chat(), which inserts messages into the chat template of a model. The templates are those of public models. No part of a message
 * may be interpreted as part of the template.
 */

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';

import { checkedTalk, promptOf } from '../../web/lib/kinds/text/chat.js';
import { Tokenizer } from '../../web/lib/kinds/text/tokenizer.js';
import { readGGUF } from './gguf.js';
import { answersAtOnce } from './failing.js';
import { busyIn, isError, load, sleep } from './helpers.js';
import { alike, file, same } from './reused.js';
import { TOKENS, toyText } from './toy-text.js';
import { atOnce } from '../../web/lib/base/turns.js';

/** @import { Message } from '../../web/lib/index.js' */

const TALK = [
  { role: 'system', content: 'be kind' },
  { role: 'user', content: 'ab' },
  { role: 'assistant', content: 'c' },
  { role: 'user', content: 'abc' },
];
const CONTROL = [
  '<|im_start|>',
  '<|im_end|>',
  '<|start_header_id|>',
  '<|end_header_id|>',
  '<|eot_id|>',
  '<start_of_turn>',
  '<end_of_turn>',
  '<|user|>',
  '<|assistant|>',
  '<|system|>',
  '<|end|>',
];

/** @param {string} [template] */
const model = (template) => {
  const tokens = [...TOKENS, ...CONTROL];
  return load(
    toyText({
      context: 512,
      values: tokens.length,
      metadata: {
        'tokenizer.ggml.tokens': ['array', 'string', tokens],
        'tokenizer.ggml.scores': ['array', 'f32', tokens.map((_, i) => -i)],
        'tokenizer.ggml.token_type': [
          'array',
          'i32',
          tokens.map((text, i) => (i === 0 ? 2 : i < 3 || CONTROL.includes(text) ? 3 : i < 259 ? 6 : 1)),
        ],
        'tokenizer.ggml.add_space_prefix': ['bool', false],
        'tokenizer.chat_template': template === undefined ? undefined : ['string', template],
      },
    }),
  );
};

/**
 * Returns the model's input as text. Control tokens in this text are written as their names.
 * @param {string} template
 * @param {Message[]} messages
 * @param {object} [options]
 */
async function read(template, messages, options) {
  const own = await model(template);
  assert.equal(own.info.chatTemplate, template);
  const run = own.chat(messages, { maxTokens: 0, ...options });
  const ids = await run.input;
  const text = own.tokenizer.decode(ids, { special: true });
  assert.deepEqual([...ids], [...own.tokenizer.encode(text, { special: true })], 'the same tokens as if the chat were one text');
  assert.deepEqual([...run.ids], [...ids]);
  own.close();
  return text;
}

const CHATML =
  "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>' + '\\n' }}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}";

/**
 * The file chat-templates.json contains chats (`talks`) and templates of public models. For each template, `rendered` lists the texts that
 * Jinja renders from the chats; null means that the template refuses a chat.
 * @type {{ talks: { messages: any[], values: Record<string, any> }[], families: { family: string, template: string, rendered: (string |
 *   null)[] }[] }}
 */
const { talks, families } = JSON.parse(await readFile(new URL('chat-templates.json', import.meta.url), 'utf8'));

test('chats are rendered with the templates of more than twenty families as Jinja renders them', async () => {
  assert.ok(families.length > 20);
  const strftime_now = () => '26 Nov 2026';
  const names = { bos_token: '<s>', eos_token: '</s>' };
  for (const { family, template, rendered } of families) {
    for (const [
      i,
      {
        messages,
        values: { tools, ...variables },
      },
    ] of talks.entries()) {
      const talk = checkedTalk(messages, template, { tools, variables: { ...variables, strftime_now } });
      const text = await promptOf(talk, names).then(
        (prompt) => prompt.text,
        () => null,
      );
      const [system, first, ...rest] = messages;
      const lost = system.role === 'system' && !rendered[i]?.includes(system.content);
      if (!lost) assert.equal(text, rendered[i], `${family}, talk ${i}`);
      // If a template refuses or ignores system messages, the library adds the system message to the beginning of the user's message.
      else if (text !== null)
        assert.equal(
          text,
          (await promptOf({ ...talk, messages: [{ ...first, content: `${system.content}\n\n${first.content}` }, ...rest] }, names)).text,
          family,
        );
    }
  }
});

test('if a template refuses the messages and an option is also invalid, there is one error and no unhandled rejection', async () => {
  const model = await load(toyText());
  for (const template of ["{{ raise_exception('no') }}", '{{']) {
    assert.throws(() => model.chat([{ role: 'user', content: 'a' }], { template, topP: 7 }), isError('argument', /topP/));
    await sleep(30); // an unhandled rejection fails the test
  }
  model.close();
});

test('in the template of every family, the text of a message is never read as a control token', async () => {
  const marks = [
    ...new Set(
      families.flatMap(({ template }) =>
        [...template.matchAll(/<[|\uff5c][^<>'"{} ]+[|\uff5c]>|<\/?(?:start|end)_of_turn>|\[\/?[A-Z]+\]|<<?\/?SYS>>?/g)].map(
          ([mark]) => mark,
        ),
      ),
    ),
  ];
  assert.ok(marks.length > 30);
  const tokens = [...TOKENS, ...marks, '<|', '|>', '\u00a7'];
  const metadata = readGGUF(
    toyText({
      values: tokens.length,
      metadata: {
        'tokenizer.ggml.tokens': ['array', 'string', tokens],
        'tokenizer.ggml.scores': ['array', 'f32', tokens.map((_, i) => -i)],
        'tokenizer.ggml.token_type': [
          'array',
          'i32',
          tokens.map((_, i) => (i === 0 ? 2 : i < 3 || i >= TOKENS.length ? 3 : i < 259 ? 6 : 1)),
        ],
      },
    }),
  ).metadata;
  const tokenizer = atOnce(Tokenizer.reading(new Map(Object.entries(metadata))));
  const begun = marks.map((mark) => [mark.slice(0, -1), mark.slice(-1)]);
  const says = [
    marks.join(''),
    marks.join(' '),
    ` ${marks.slice().reverse().join('<')} `,
    '\u00a7\u00a7<|||>',
    '<<|im_start|>|im_start|>',
    `${marks[0].slice(1)}${marks[0]}`,
  ];
  for (const { family, template } of families) {
    const control = async (/** @type {string} */ one, /** @type {string} */ other) => {
      const talk = checkedTalk(
        [
          { role: 'user', content: one },
          { role: 'assistant', content: other },
          { role: 'user', content: one },
        ],
        template,
        {},
      );
      const prompt = await promptOf(talk, { bos_token: '<s>', eos_token: '</s>' });
      assert.ok(prompt.text.includes(one.trim()), 'the prompt contains the whole message');
      return [...atOnce(tokenizer.encodingPrompt(prompt))].filter((id) => tokenizer.kind(id) === 'control');
    };
    const plain = await control('x', 'y');
    for (const said of says) assert.deepEqual(await control(said, 'y'), plain, `${family}: ${said}`);
    for (const [start, end] of begun.slice(0, 5))
      assert.deepEqual(await control(`${end}x${start}`, `${end}y${start}`), plain, `${family}: ${start} ... ${end}`);
  }
  const joined = checkedTalk(
    [
      { role: 'user', content: '<|im_' },
      { role: 'user', content: 'end|>' },
    ],
    '{% for message in messages %}{{ message.content }}{% endfor %}',
    {},
  );
  const all = [...atOnce(tokenizer.encodingPrompt(await promptOf(joined, { bos_token: '', eos_token: '' })))];
  assert.deepEqual(
    all.filter((id) => tokenizer.kind(id) === 'control').map((id) => tokenizer.name(id)),
    ['<s>'],
    'two adjacent messages do not form a control token',
  );
});

test('a template gets all variables that it may use', async () => {
  assert.equal(
    await read(CHATML, TALK),
    '<s><|im_start|>system\nbe kind<|im_end|>\n<|im_start|>user\nab<|im_end|>\n<|im_start|>assistant\nc<|im_end|>\n<|im_start|>user\nabc<|im_end|>\n<|im_start|>assistant\n',
  );
  assert.equal(
    await read('{{ bos_token }}{{ messages[0].content | trim }}{{ eos_token }}', [{ role: 'user', content: ' ab ' }]),
    '<s>ab</s>',
  );
  assert.equal(
    await read('{{ tools[0].name }}{% if enable_thinking %}on{% else %}off{% endif %}{{ kind | upper }}', TALK, {
      tools: [{ name: 'f' }],
      variables: { enable_thinking: false, kind: 'ab' },
    }),
    '<s>foffAB',
  );
  const now = new Date();
  const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
  const date = await read("{{ strftime_now('%d %b %Y') }}", TALK);
  if (new Date().getDate() === now.getDate())
    assert.equal(date, `<s>${String(now.getDate()).padStart(2, '0')} ${months[now.getMonth()]} ${now.getFullYear()}`);
  assert.match(
    await read("{{ strftime_now('%A, %-d %B, %H:%M:%S %p %j %y %% %q') }}", TALK),
    /^<s>\w+day, \d{1,2} [A-Z]\w+, \d\d:\d\d:\d\d [AP]M \d{3} \d\d % %q$/,
  );
  assert.equal(await read('{% for i in range(2, 8, 3) %}{{ i }}{% endfor %}', TALK), '<s>25');
  assert.equal(await read('a\r\n{% if true %}\r\nb{% endif %}\r\n', TALK), '<s>a\nb', 'CRLF becomes LF');
  assert.equal(
    await read('{% if tools is not none %}c{% endif %}{% if tools is defined and documents is none %}b{% endif %}', TALK),
    '<s>b',
    'names that are not given are defined, and none',
  );
  assert.equal(
    await read(CHATML, TALK.slice(1, 2), { variables: { add_generation_prompt: false } }),
    '<s><|im_start|>user\nab<|im_end|>\n',
  );
});

test('a template that refuses, fails or never ends gives an error with a message', async () => {
  const own = await model(CHATML);
  for (const [template, code, words] of /** @type {[string, 'argument' | 'unsupported' | 'limit', RegExp][]} */ ([
    ["{{ raise_exception('Roles must alternate') }}", 'argument', /template of this model refuses the messages: Roles must alternate/],
    ['{% if %}', 'unsupported', /cannot be run .*pass another \{ template \}, or your own \{ render \}/],
    ['{{ nothing() }}', 'unsupported', /cannot be run/],
    ['{% for i in range(10 ** 9) %}{% endfor %}', 'unsupported', /range\(\) has/],
    ['{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}', 'limit', /stopped, because it takes more than/],
    ["{{ messages[0].content[0]['text'] + 'x' }}{{ none.x.y }}", 'unsupported', /cannot be run/],
  ])) {
    const run = own.chat(TALK, { template });
    await assert.rejects(run.text(), isError(code, words), template);
    assert.throws(() => run.save(), isError('state', /await run.input/));
  }
  await assert.rejects(
    own.chat([{ role: 'user', content: 'a'.repeat(600) }]).text(),
    isError('argument', /The chat has over 512 tokens, and this model sees 512: begin a new one/),
  );
  for (const [options, words] of /** @type {[any, RegExp][]} */ ([
    [{ tools: {} }, /tools must be a list/],
    [{ tools: [1] }, /tools must be a list/],
    [{ variables: [] }, /variables must be an object/],
    [{ enable_thinking: true }, /no option enable_thinking/],
  ])) {
    assert.throws(() => own.chat(TALK, options), isError('argument', words));
  }
  /** @type {any[]} */
  const round = [{}];
  round[0].function = round;
  assert.throws(() => own.chat(TALK, { variables: { messages: [] } }), isError('argument', /variables must not have messages/));
  await assert.rejects(own.chat(TALK, { tools: round }).text(), isError('argument', /must be plain objects: .*circular/));
  assert.throws(
    () => own.chat([{ role: 'user', content: /** @type {any} */ ([{ type: 'text', text: 'a' }]) }]),
    isError('argument', /its content is a list: join the texts/),
  );
  own.close();
});

test('every template accepts a system message', async () => {
  const refuses =
    "{% for message in messages %}{% if message.role == 'system' %}{{ raise_exception('no') }}{% endif %}[INST] {{ message.content }} [/INST]{% endfor %}";
  const forgets = "{% for message in messages if message.role == 'user' %}[INST] {{ message.content }} [/INST]{% endfor %}";
  for (const template of [refuses, forgets]) assert.equal(await read(template, TALK.slice(0, 2)), '<s>[INST] be kind\n\nab [/INST]');
  // A template with its own form for system messages keeps this form.
  for (const [how, written] of [
    ['tojson', '"say \\"yes\\""'],
    ['upper', 'SAY "YES"'],
    ['length', '9'],
  ]) {
    const template = `{% for message in messages %}[{{ message.content | ${how} }}]{% endfor %}`;
    const [first] = (await read(template, [{ role: 'system', content: 'say "yes"' }, TALK[1]])).split(']');
    assert.equal(first, `<s>[${written}`, how);
  }
});

test('only chat() fetches the template engine', async () => {
  const imports = await readFile(new URL('../../web/dist/texts.js', import.meta.url), 'utf8');
  assert.match(imports, /import\("\.\/template\.js"\)/);
  assert.doesNotMatch(imports, /endraw/);
  const made = await readFile(new URL('../../web/dist/template.js', import.meta.url), 'utf8');
  assert.match(made, /MIT License/);
});

test('the model stops at the end of its turn, and a chat can be saved', async () => {
  const own = await model(CHATML);
  const end = TOKENS.length + 1;
  const run = own.chat(TALK, { logitBias: { [end]: 1e9 }, maxTokens: 9 });
  assert.equal(await run.text(), '');
  assert.equal(run.finish, 'end');
  const talk = own.chat(TALK, { seed: 4, maxTokens: 9, logitBias: { [end]: -Infinity } });
  await talk.text();
  const rest = own.resume(JSON.parse(JSON.stringify(talk.save())), { at: 4, maxTokens: 5 });
  await rest.text();
  assert.deepEqual([...rest.ids], [...talk.ids]);
  own.close();
});

test('the page may pass its own template renderer', async () => {
  /** @type {any} */
  let seen;
  const render = (/** @type {string} */ template, /** @type {any} */ values) => {
    seen = { template, values };
    return `<|user|>${values.messages[0].content}<|end|>`;
  };
  assert.equal(await read('{{ something else }}', TALK.slice(1), { render }), '<s><|user|>ab<|end|>');
  assert.deepEqual(seen, {
    template: '{{ something else }}',
    values: { messages: TALK.slice(1), add_generation_prompt: true, bos_token: '<s>', eos_token: '</s>' },
  });
  const odd = await model('{{ something else }}');
  assert.equal(
    odd.tokenizer.decode(await odd.chat(TALK.slice(1, 2), { template: CHATML, maxTokens: 0 }).input, { special: true }),
    '<s><|im_start|>user\nab<|im_end|>\n<|im_start|>assistant\n',
  );
  odd.close();
  const none = await model();
  assert.equal(none.info.chatTemplate, '');
  assert.throws(() => none.chat(TALK), isError('unsupported', /has no chat template: pass \{ template \}/));
  for (const messages of /** @type {any[]} */ ([undefined, [], 'hello', {}, null]))
    assert.throws(() => none.chat(messages), isError('argument', /chat\(\) takes a list of messages/));
  for (const message of /** @type {any[]} */ ([
    undefined,
    'hello',
    { role: 'user' },
    { role: 7, content: 'x' },
    { role: 'user', content: [] },
    Object.create(null),
  ])) {
    assert.throws(() => none.chat([message]), isError('argument', /Message 0 of chat\(\) must be \{ role, content \}/));
  }
  none.close();
});

test('in a chat of five turns, each turn reads only the new text', async () => {
  const model = await load(file());
  /** @type {Message[]} */
  const talk = [{ role: 'system', content: 'abc' }];
  /** @type {number[]} */
  let before = [];
  for (let turn = 0; turn < 5; turn++) {
    talk.push({ role: 'user', content: 'ab '.repeat(turn + 1) });
    const asked = [...talk];
    const { ids, text, reused, prompt } = await same(model, (one) =>
      one.chat(asked, { seed: turn, maxTokens: 12, stop: turn === 2 ? 'a' : [] }),
    );
    assert.equal(reused, Math.min(prompt, Math.max(0, alike(before, ids))), `turn ${turn}`);
    if (turn > 0) assert.ok(reused > prompt / 3);
    before = ids;
    talk.push({ role: 'assistant', content: text });
  }
  model.close();
});

test('a chat longer than any context is refused immediately', async () => {
  const own = await model();
  const long = 'a b '.repeat(2e6);
  const ask = () => own.chat([{ role: 'user', content: long }], { template: 'x', render: () => long });
  const busy = await busyIn(() => assert.throws(ask, isError('argument', /has over \d+ tokens, and this model sees \d+/)));
  assert.ok(busy < 1000, `${busy} ms`);
  own.close();
});

test('an error in the option render reaches the caller; a promise or any other value that is not a string is refused', async () => {
  const own = await model();
  const ask = (/** @type {() => any} */ render) => own.chat([{ role: 'user', content: 'a' }], { template: 'x', maxTokens: 1, render });
  await answersAtOnce(async (render) => ask(render).text());
  const mine = new Error('mine');
  const fail = () => {
    throw mine;
  };
  assert.throws(
    () => ask(fail),
    (error) => error === mine,
  );
  for (const rendered of [Promise.resolve('a'), Promise.reject(mine), 5, undefined, null, {}])
    assert.throws(() => ask(() => rendered), isError('argument', /render must return a string synchronously/));
  own.close();
});
