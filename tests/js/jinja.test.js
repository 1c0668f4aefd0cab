// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Tests chat templates:
 *
 * - Each template must give the same output as in Jinja, or be refused.
 * - Rendering must stay within a budget of time and memory.
 * - Only the template may write control tokens; the messages must not.
 */

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';

import { atOnce } from '../../web/lib/base/turns.js';
import { checkedTalk, promptOf } from '../../web/lib/kinds/text/chat.js';
import { FILTERS } from '../../web/lib/kinds/text/jinja/filters.js';
import { tokensOf } from '../../web/lib/kinds/text/jinja/lexer.js';
import { TEXT_METHODS } from '../../web/lib/kinds/text/jinja/texts.js';
import { prompting } from '../../web/lib/kinds/text/template.js';
import { Tokenizer } from '../../web/lib/kinds/text/tokenizer.js';
import { readGGUF } from './gguf.js';
import { cost, isError, load, sleep } from './helpers.js';
import { EVERY, longer } from '../more.js';
import { TOKENS, toyText } from './toy-text.js';

/** @import { Message, NextPixelError } from '../../web/lib/index.js' */

const NAMES = { bos_token: '<s>', eos_token: '</s>' };
const HELLO = [{ role: 'user', content: 'Hello' }];

/** @param {string} template @param {Message[]} [messages] @param {Record<string, unknown>} [values] */
const prompt = (template, messages = HELLO, values = {}) => atOnce(prompting({ messages, template, values, render: undefined }, NAMES));

test('an expression gives the same text as Jinja, or is refused', async () => {
  /** @type {{ messages: Message[], cases: [string, string | null][] }} */
  const { messages, cases } = JSON.parse(await readFile(new URL('jinja.json', import.meta.url), 'utf8'));
  assert.ok(cases.length > 2000);
  /** @type {string[]} */
  const refused = [];
  for (const [template, expected] of cases) {
    /** @type {string | null} */
    let text = null;
    try {
      text = prompt(template, messages).text;
    } catch (error) {
      const { code, message } = /** @type {NextPixelError} */ (error);
      assert.ok(code === 'unsupported' || code === 'argument', `${template}: ${error}`);
      if (expected !== null) refused.push(`${template}: ${message}`);
      continue;
    }
    assert.equal(text, expected, template);
  }
  assert.ok(refused.length < 0.04 * cases.length, refused.join('\n'));
  for (const one of refused)
    assert.match(one, /cannot be run \(.*(support|large|too|Unexpected|Expected|expected|Unknown|written as text|allowed|takes)/);
});

/** @param {number} n */
const loops = (n) =>
  `{% set l = [1,2,3,4,5,6,7,8,9,10] %}${Array.from({ length: n }, (_, i) => `{% for x${i} in l %}`).join('')}${'{% endfor %}'.repeat(n)}`;
/** @param {string} how */
const growing = (how, first = "'ab'") =>
  `{% set n = namespace(s=${first}) %}{% for i in range(99) %}{% set n.s = ${how} %}{% endfor %}{{ n.s }}`;
const deep = 2e4;
/** @param {string} what @param {number} [times] */
const again = (what, times = 999) => `{% for i in range(${times}) %}{% set x = ${what} %}{% endfor %}`;

/** @param {string[]} names  `npm test` uses every eighth name, test:all uses all */
const some = (names) => names.filter((_, i) => EVERY || i % 8 === 0);

/** Templates that would take hours, use up the memory, or slow down a parser. @type {Record<string, string>} */
const HOSTILE = {
  'nested loops': loops(12),
  'loops that write': loops(8).replace('{% endfor %}', 'abc{% endfor %}'),
  'two calls in each call': '{% macro f(n) %}{% if n > 0 %}{{ f(n-1) }}{{ f(n-1) }}{% endif %}{% endmacro %}{{ f(60) }}',
  'a call of itself': '{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}',
  'calls of callers': `{% macro f() %}{{ caller() }}{{ caller() }}{% endmacro %}${'{% call f() %}'.repeat(60)}x${'{% endcall %}'.repeat(60)}`,
  'a text twice': growing('n.s + n.s'),
  'a text twice by ~': growing('n.s ~ n.s'),
  'a list twice': growing('n.s + n.s', '[1]'),
  'lists in lists': growing('[n.s, n.s]', '[1]'),
  'equal lists in lists': `{% set a = namespace(s=[1], t=[1]) %}{% for i in range(99) %}{% set a.s = [a.s, a.s] %}{% set a.t = [a.t, a.t] %}{% endfor %}{{ a.s == a.t }}`,
  'JSON of lists in lists': growing('[n.s, n.s]', '[1]').replace('{{ n.s }}', '{{ n.s | tojson }}'),
  'replace with more': growing("n.s.replace('a', 'aaaa')"),
  'replace of nothing': growing("n.s | replace('', 'bb')"),
  'a text times a number': "{{ 'a' * 10000000000 }}",
  'a list times a number': '{{ [1] * 1000000000 }}',
  'a long range': '{{ range(10 ** 9) | list }}',
  'ranges in ranges': '{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}',
  powers: '{{ 9 ** 9 ** 9 }}',
  'a wide text': "{{ 'a'.ljust(10 ** 12) }}{{ 'a' | center(10 ** 12) }}",
  'a deep indent': "{{ ('a\\n' * 100000) | indent(999999) }}",
  'a long search': "{% set a = 'a' * 4000000 %}{% set b = 'b' ~ 'a' * 2000000 %}{{ b in a }}",
  'many pieces': "{{ ('a' * 4000000).split('a') | length }}{{ ('\\n' * 4000000).splitlines() | length }}",
  'a list in itself': '{% set l = range(99999) | list %}{% for i in l %}{{ i in l }}{% endfor %}',
  'unique items': '{{ range(99999) | unique | list | length }}',
  'texts that nothing reads': "{% for i in range(99999) %}{% set x = 'x' * 10000 %}{% endfor %}",
  'characters one by one': "{% set s = 'e\\U0001F600' * 100000 %}{% for i in range(99999) %}{{ s[i] }}{% endfor %}",
  'white space in text': `a${' '.repeat(2e5)}b`,
  'white space in a tag': `{{ 1${' '.repeat(2e5)}}}`,
  'white space around tags': `${' '.repeat(1e5)}{%- if 1 -%}${' \n'.repeat(5e4)}{%- endif %}`,
  'white space before text that is not a tag': `${' '.repeat(900)}{% `.repeat(200),
  braces: '{'.repeat(2e5),
  'open tags': '{{'.repeat(1e5),
  'open comments': '{#'.repeat(1e5),
  'open raw blocks': `{% raw %}${'{% '.repeat(5e4)}`,
  'a text without an end': `{{ '${'a'.repeat(2e5)}`,
  brackets: `{{ ${'('.repeat(deep)}1${')'.repeat(deep)} }}`,
  'nested ifs': `${'{% if 1 %}'.repeat(5000)}${'{% endif %}'.repeat(5000)}`,
  'nested filters': `${'{% filter upper %}'.repeat(2000)}x${'{% endfilter %}'.repeat(2000)}`,
  'a long sum': `{{ 1${'+1'.repeat(deep)} }}`,
  'a long comparison': `{{ 1${'<2'.repeat(deep)} }}`,
  'many filters': `{{ 1${'|abs'.repeat(deep)} }}`,
  'many nots': `{{ ${'not '.repeat(deep)}1 }}`,
  'too long': 'a'.repeat(3e5),
  'a long format of dates': `{% set f = '%A%j' * 500000 %}${again('strftime_now(f)')}`,
  'dates without end': again("strftime_now('%A, %d %B %Y, day %j')", 9999),
  'items with a long common beginning': `{% set p = 'a' * 100000 %}{% set l = [p ~ 'a', p ~ 'b', p ~ 'c', p ~ 'd'] * 100 %}${again('l | sort')}`,
  'equal items with long texts': `{% set a = ['a' * 1000000] %}{% set b = ['a' * 999999 ~ 'a'] %}${again('a == b', 99999)}`,
  'a long text in a list of long texts': `{% set l = ['a' * 1000000] * 10000 %}{% set b = 'a' * 999999 ~ 'b' %}${again('l.count(b)', 99)}`,
  'a long separator': `{% set a = 'a' * 1000000 %}{% set b = 'a' * 30000 ~ 'b' %}${again('a.rpartition(b)', 99)}`,
  // Every method and filter, applied to a long text and to a long list.
  ...Object.fromEntries(
    some([...TEXT_METHODS.keys()]).flatMap((name) =>
      ['', 's'].map((given) => [`${name}(${given})`, `{% set s = 'ab' * 1000000 %}${again(`s.${name}(${given})`, 99999)}`]),
    ),
  ),
  ...Object.fromEntries(
    some([...FILTERS.keys()]).flatMap((name) =>
      ["'ab' * 500000", "('ab ' * 30000).split()"].map((value) => [
        `${value} | ${name}`,
        `{% set s = ${value} %}${again(`s | ${name} | list`, 99999)}`,
      ]),
    ),
  ),
};

/** Templates that use up the same budget as another template in this list. Only ./build.sh test-sweep runs them. */
const LIKE_ANOTHER = [
  'two calls in each call',
  'loops that write',
  'ranges in ranges',
  'a text twice by ~',
  'JSON of lists in lists',
  'replace of nothing',
  'dates without end',
];

longer('a hostile template ends within its budget, and the page stays responsive', () => {
  for (const [name, template] of Object.entries(HOSTILE)) {
    if (LIKE_ANOTHER.includes(name) && !EVERY) continue;
    const work = prompting({ messages: HELLO, template, values: {}, render: undefined }, NAMES);
    let [most, all] = [0, 0];
    for (let done = false; !done; ) {
      const took = cost(() => {
        try {
          done = work.next().done === true;
        } catch (error) {
          const { code } = /** @type {NextPixelError} */ (error);
          assert.ok(code === 'limit' || code === 'unsupported', `${name}: ${error}`);
          done = true;
        }
      });
      most = Math.max(most, took);
      all += took;
    }
    assert.ok(most < 700, `${name}: ${most} ms without a pause`);
    assert.ok(all < 6000, `${name}: ${all} ms`);
  }
});

/** Counts how often the generator yields while it makes the prompt of a chat. @param {Message[]} messages @param {Record<string, unknown>}
 * values */
function yieldsOf(messages, values) {
  const work = prompting({ messages, template: '{{ messages | length }}', values, render: undefined }, NAMES);
  for (let count = 0; ; count++) if (work.next().done) return count;
}

test('the arguments of a chat have a size limit, and large arguments are converted in chunks', async () => {
  const names = (/** @type {number} */ n) => Object.fromEntries(Array.from({ length: n }, (_, i) => [`v${i}`, i]));
  let twice = [1];
  for (let i = 0; i < 40; i++) twice = /** @type {any} */ ([twice, twice]);
  /** @type {[Record<string, unknown>, RegExp][]} */
  const refused = [
    [{ wide: names(1025) }, /has 1025 names, and may have 1024/],
    [{ list: Array(2 ** 17) }, /more than 131072 values/],
    [{ list: Array(2 ** 32 - 1) }, /more than 131072 values/],
    [{ floats: new Float32Array(2 ** 17) }, /more than 131072 values/],
    [{ twice }, /more than 131072 values/],
  ];
  for (const [values, words] of refused)
    await assert.rejects(promptOf({ messages: HELLO, template: 'a', values, render: undefined }, NAMES), isError('limit', words));
  assert.throws(() => checkedTalk(HELLO, 'a', { variables: names(1025) }), isError('limit', /has 1025 names/));
  /** @type {Record<string, unknown>} */
  const values = { wide: names(1024), list: Array(1e5).fill('a') };
  assert.equal((await promptOf({ messages: HELLO, template: '{{ list | length }}', values, render: undefined }, NAMES)).text, '100000');
  assert.ok(yieldsOf(HELLO, { list: Array(1e5).fill('a') }) > 1);
  assert.ok(yieldsOf(Array(2e4).fill(HELLO[0]), {}) > 1);
});

test('a template has a limited number of tokens, which are read in chunks', () => {
  for (const template of ['{{1}}'.repeat(11000), `{{ [${'1,'.repeat(17000)}] }}`, 'a{##}'.repeat(33000)])
    assert.throws(() => prompt(template), isError('unsupported', /more than 32768 tokens/));
  for (const template of ['{{1}}a'.repeat(8000), `{{ [${'1,'.repeat(16000)}] | length }}`, 'a{##}'.repeat(32000)]) {
    let yields = 0;
    for (const work = tokensOf(template); !work.next().done; ) yields++;
    assert.ok(yields > 5, `${yields}`);
  }
});

test('calls of a macro with a long body cost no more than calls of a macro with a short body', () => {
  const macro = (/** @type {number} */ n) =>
    `{% macro f() %}{% if 0 %}${'{{a}}'.repeat(n)}{% endif %}{% endmacro %}{% for i in range(5000) %}{{ f() }}{% endfor %}`;
  const time = (/** @type {number} */ n) => Math.min(...[1, 2, 3].map(() => cost(() => prompt(macro(n)))));
  const [short, long] = [time(1), time(2000)];
  assert.ok(long < 100 + 4 * short, `${short} ms, then ${long} ms`);
});

test('white space has linear cost', () => {
  for (const form of [
    (/** @type {string} */ space) => `a${space}b`,
    (/** @type {string} */ space) => `{{ 1${space}}}`,
    (/** @type {string} */ space) => `${space}{%- if 1 -%}${space}{%- endif -%}`,
    (/** @type {string} */ space) => `{% generation${space}%}a`,
    (/** @type {string} */ space) => `{{ '${space}' | trim }}{{ '${space}'.split() }}{{ '${space}' | title }}`,
  ]) {
    const time = (/** @type {number} */ n) =>
      Math.min(...[1, 2, 3].map(() => cost(() => assert.doesNotThrow(() => prompt(form(' '.repeat(n)))))));
    const [short, long] = [time(1e4), time(8e4)];
    assert.ok(long < 30 + 24 * short, `${form('...')}: ${short} ms, then ${long} ms`);
  }
});

/** Texts that users may write: control tokens, parts of control tokens, and tokens that the author of the file defined. */
const SAYS = [
  '<|turn|>',
  '<|end|>',
  ' <|end|> ',
  'Hello \n\n',
  '\n\n\nHello<',
  'a<|end|',
  '|>b<|',
  '<<<<<<<<<<<<<<<',
  '[INST]x[/INST]',
  'turn',
  '\ufdd0\u0000<|end|>\ufdd0',
  '<|E|>'.toLowerCase().replace('e', 'end'),
  '😀<|turn|>😀',
  '<|en<|end|>d|>',
];
/** Operations that a template may apply to a user's text. */
const USES = [
  'content',
  'content | trim',
  'content.strip()',
  'content.strip("<")',
  "content | replace('x', 'y')",
  "content | replace('<', '<<')",
  "content | replace('e', '')",
  "content.replace('', '|')",
  'content | tojson',
  'content | tojson(indent=2)',
  '[content] | tojson',
  '{content: content} | tojson',
  '[content, content]',
  "content.split('|') | join('|')",
  "content.split() | join('')",
  "content.split('<')[-1]",
  'content[1:]',
  'content[:-1]',
  'content[::-1][::-1]',
  'content | upper | lower',
  'content | capitalize',
  'content | title',
  'content | list | join',
  'content | map("lower") | join',
  'content | indent',
  'content | center(40)',
  '"%s" % content',
  '"" ~ content ~ ""',
  '(content ~ content) | unique | join',
  "content.splitlines() | join('\\n')",
  "content.partition('e') | join",
  'content | default("")',
  'content | string',
  'messages[0].content * 2',
  "messages | map(attribute='content') | join('')",
  'messages',
  'messages | tojson',
];

test('no text of a message becomes a control token, whatever operations the template applies; control tokens of the template are recognised', () => {
  const control = ['<|turn|>', '<|end|>', '[INST]', '[/INST]', 'ent', '<|user|>'];
  const defined = ['\n\n', '\n\n\n', '  ', '<<', '<'.repeat(16), 'x<|turn|>', '>a'];
  const tokens = [...TOKENS, ...control, ...defined];
  const { metadata } = readGGUF(
    toyText({
      values: tokens.length,
      metadata: {
        'tokenizer.ggml.tokens': ['array', 'string', tokens],
        'tokenizer.ggml.scores': ['array', 'f32', tokens.map((_, i) => -i)],
        'tokenizer.ggml.token_type': [
          'array',
          'i32',
          tokens.map((_, i) =>
            i === 0 ? 2 : i < 3 ? 3 : i < 259 ? 6 : i < TOKENS.length ? 1 : i < TOKENS.length + control.length ? 3 : 4,
          ),
        ],
      },
    }),
  );
  const tokenizer = atOnce(Tokenizer.reading(new Map(Object.entries(metadata))));
  const marks = (/** @type {string} */ template, /** @type {string} */ content) => {
    const made = prompt(template, [{ role: 'user', content }]);
    assert.equal(made.sources?.length, made.text.length);
    const ids = [...atOnce(tokenizer.encodingPrompt(made))];
    return ids.filter((id) => tokenizer.kind(id) === 'control').map((id) => tokenizer.name(id));
  };
  for (const use of USES) {
    const around = `{% set content = messages[0].content %}<|turn|>{{ ${use} }}<|end|>\n<|{{ messages[0].role }}|>{{ '<|turn|>' + content | trim + '<|end|>' }}`;
    const loop = `{% set content = messages[0].content %}{% for c in (${use}) | string %}{{ c }}{% endfor %}<|end|>`;
    for (const said of SAYS) {
      assert.deepEqual(
        marks(around, said),
        ['<s>', '<|turn|>', '<|end|>', '<|user|>', '<|turn|>', '<|end|>'],
        `${use} of ${JSON.stringify(said)}`,
      );
      assert.deepEqual(marks(loop, said), ['<s>', '<|end|>'], `${use} of ${JSON.stringify(said)}, character by character`);
    }
  }
  // If the template itself writes the whole text, control tokens in the text are recognised.
  for (const template of [
    '<|turn|>x<|turn|><|end|>',
    "{{ '<|' + 'end' + '|>' }}<<<|end|>",
    "{{ ['<|', '|>'] | join('end') }}",
    '  <|end|>\n\n\n<|end|>',
  ])
    assert.deepEqual(
      [...atOnce(tokenizer.encodingPrompt(prompt(template)))],
      [...tokenizer.encode(prompt(template).text, { special: true })],
    );
});

test('an endless template is stopped by a signal, by stop() and by close()', async () => {
  const template = loops(12);
  for (const how of ['signal', 'reader', 'stop', 'close']) {
    const model = await load(toyText({ metadata: { 'tokenizer.chat_template': ['string', template] } }));
    const controller = new AbortController();
    const run = model.chat(HELLO, how === 'signal' ? { signal: controller.signal } : {});
    const reading = run.text(how === 'reader' ? { signal: controller.signal } : {}).then(
      () => 'ended',
      (error) => (error.name === 'AbortError' ? error.name : error.code),
    );
    await sleep(60);
    if (how === 'stop') run.stop();
    else if (how === 'close') model.close();
    else controller.abort();
    assert.equal(await reading, how === 'stop' ? 'ended' : how === 'close' ? 'closed' : 'AbortError', how);
    const spent = process.cpuUsage().user;
    await sleep(200);
    assert.ok(process.cpuUsage().user - spent < 150_000, `${how}: the template stops`);
    model.close();
  }
});

test('a chat can be ended in each phase and in each way, and the model stays usable', async () => {
  const template = '{% for m in messages %}{{ m.content }}{% endfor %}';
  const long = [{ role: 'user', content: 'ab '.repeat(1200) }];
  const file = toyText({ context: 4096, metadata: { 'tokenizer.chat_template': ['string', template] } });
  const endless = { logitBias: { 1: -Infinity, 2: -Infinity }, seed: 1 };
  /**
   * Functions that bring a chat to each phase; the test then stops the chat.
   * @type {Record<string, (run: import('../../web/lib/index.js').TextRun, steps: AsyncIterator<unknown>) => Promise<unknown>>}
   */
  const phases = {
    'at once': async () => {},
    'while the interpreter is loaded': async () => Promise.resolve(),
    'while the template runs': async () => sleep(2),
    'before the prompt is read': async (run) => run.input,
    'while the prompt is read': async (run) => run.input.then(() => sleep(10)),
    'after the first token': async (_, steps) => steps.next(),
    later: async (_, steps) => {
      for (let i = 0; i < 5; i++) await steps.next();
    },
  };
  for (const [phase, until] of Object.entries(phases)) {
    for (const how of ['signal', 'stop', 'return', 'close']) {
      const name = `${phase}, by ${how}`;
      const model = await load(file.slice());
      const controller = new AbortController();
      const run = model.chat(long, { ...endless, ...(how === 'signal' && { signal: controller.signal }) });
      const steps = run[Symbol.asyncIterator]();
      const first = phase === 'after the first token' || phase === 'later' ? undefined : steps.next();
      first?.catch(() => {});
      await until(run, steps);
      if (how === 'stop') run.stop();
      else if (how === 'close') model.close();
      else if (how === 'signal') controller.abort();
      else run.stop(), await steps.return?.();
      const outcome = await (async () => {
        for (let next = first ?? steps.next(), i = 0; ; next = steps.next(), i++) {
          if ((await next).done) return 'done';
          assert.ok(i < 3, `${name}: continues after the end`);
        }
      })().catch((error) => (error.name === 'AbortError' ? error.name : error.code));
      assert.equal(outcome, how === 'signal' ? 'AbortError' : how === 'close' ? 'closed' : 'done', name);
      assert.equal(run.finish, 'abort', name);
      if (how !== 'close') {
        const next = model.chat(HELLO, { ...endless, maxTokens: 2 });
        await next.text();
        assert.equal(next.finish, 'length', name);
      }
      model.close();
    }
  }
});

const CALLS = [
  { role: 'user', content: 'Weather?' },
  {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'a', type: 'function', function: { name: 'look', arguments: '{"city": "Bonn"}' } }],
  },
  { role: 'tool', content: 'rain', tool_call_id: 'a' },
];

test('the arguments of a tool call may be an object or its JSON, as the template requires', () => {
  const each = (/** @type {string} */ use) =>
    `{% for m in messages %}{% for c in m.tool_calls or [] %}{{ c.function.name }}:${use};{% endfor %}{{ m.content or '' }}{% endfor %}`;
  const asObject = CALLS.map((one) =>
    one.tool_calls ? { ...one, tool_calls: [{ ...one.tool_calls[0], function: { name: 'look', arguments: { city: 'Bonn' } } }] } : one,
  );
  for (const [use, written] of [
    ['{{ c.function.arguments | tojson }}', '{"city": "Bonn"}'],
    ['{% for k, v in c.function.arguments.items() %}{{ k }}={{ v }}{% endfor %}', 'city=Bonn'],
    ["{{ 'args ' + c.function.arguments }}", 'args {"city": "Bonn"}'],
    ['{{ c.function.arguments }}', '{"city": "Bonn"}'],
    [
      '{% if c.function.arguments is string %}{{ c.function.arguments }}{% else %}{{ c.function.arguments | tojson }}{% endif %}',
      '{"city": "Bonn"}',
    ],
  ]) {
    for (const messages of [CALLS, asObject])
      assert.equal(prompt(each(use), /** @type {any} */ (messages)).text, `Weather?look:${written};rain`, use);
  }
  const broken = [{ role: 'assistant', tool_calls: [{ function: { name: 'look', arguments: '{"city": "Bo' } }] }];
  assert.equal(prompt(each('{{ c.function.arguments }}'), broken).text, 'look:{"city": "Bo;', 'incomplete JSON stays unchanged');
});

test('parts of a chat that do not reach the model are reported', async () => {
  const system = { role: 'system', content: 'Be brief.' };
  const user = { role: 'user', content: 'Hi' };
  const forgets = "{% for m in messages if m.role == 'user' %}[{{ m.content }}]{% endfor %}";
  const first =
    "{% if messages[0].role == 'system' %}{% set s = messages[0].content %}{% set rest = messages[1:] %}{% else %}{% set rest = messages %}{% endif %}{% for m in rest %}{% if loop.first %}{{ s }}{% endif %}{% if m.role != 'system' %}{{ m.content }}{% endif %}{% endfor %}";
  const dropped = (/** @type {string} */ template, /** @type {any[]} */ messages, values = {}) =>
    prompt(template, messages, values).dropped.map(({ part, index }) => (index === undefined ? part : `${part} ${index}`));
  assert.deepEqual(dropped(forgets, [system, user]), [], "the system message becomes the beginning of the user's message");
  assert.deepEqual(dropped(forgets, [system]), ['message 0']);
  assert.deepEqual(dropped(first, [system, user]), []);
  assert.deepEqual(dropped(first, [system]), ['message 0'], 'alone');
  assert.deepEqual(dropped(first, [system, system, user]), ['message 1'], 'the second one');
  assert.deepEqual(dropped(forgets, [user, { role: 'assistant', content: 'Yes' }, user]), ['message 1']);
  assert.deepEqual(dropped(forgets, [user, { role: 'assistant', content: ' ' }, user]), [], 'white space is not reported');
  assert.deepEqual(dropped(forgets, CALLS), ['tool_calls 1', 'message 2']);
  assert.deepEqual(dropped(forgets, [user], { tools: [{ type: 'function', function: { name: 'f' } }] }), ['tools']);
  assert.deepEqual(dropped(forgets, [user], { tools: [] }), []);
  assert.deepEqual(
    dropped('{{ tools | tojson }}{{ messages[0].content }}', [user], { tools: [{ type: 'function', function: { name: 'f' } }] }),
    [],
  );
  const model = await load(toyText({ metadata: { 'tokenizer.chat_template': ['string', forgets] } }));
  const run = model.chat([user, { role: 'tool', content: 'a' }], { maxTokens: 0 });
  assert.deepEqual(run.dropped, []);
  await run.input;
  assert.deepEqual(run.dropped, [
    { part: 'message', index: 1, role: 'tool', reason: 'Message 1 (tool) did not reach the model: its template leaves it out' },
  ]);
  model.close();
});

test("a chat with tools uses the file's template for tools", async () => {
  const model = await load(
    toyText({
      metadata: { 'tokenizer.chat_template': ['string', 'plain'], 'tokenizer.chat_template.tool_use': ['string', '{{ tools[0].name }}'] },
    }),
  );
  assert.equal(model.info.chatTemplate, 'plain');
  const text = async (/** @type {object} */ options) => {
    const run = model.chat(HELLO, { maxTokens: 0, ...options });
    return model.tokenizer.decode(await run.input);
  };
  assert.equal(await text({}), 'plain');
  assert.equal(await text({ tools: [] }), 'plain');
  assert.equal(await text({ tools: [{ name: 'abc' }] }), 'abc');
  assert.equal(await text({ tools: [{ name: 'abc' }], template: 'b' }), 'b');
  model.close();
  await assert.rejects(
    load(toyText()).then((none) => none.chat(HELLO)),
    isError('unsupported', /has no chat template/),
  );
});
