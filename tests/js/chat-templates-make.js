// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Makes tests/js/chat-templates.json. This file has chat templates from public model files, and chats that Jinja itself has rendered with
 * these templates. The settings of Jinja are those of the Python package `transformers`. The templates come from @huggingface/ollama-utils
 * 0.0.18 (MIT), which collects them from GGUF files.
 *
 *     npm pack @huggingface/ollama-utils@0.0.18          then unpack the package to FOLDER
 *     node tests/js/chat-templates-make.js FOLDER        needs python3 with jinja2
 */

import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';

import { transform } from 'esbuild';

/** For each family, the name of one model in @huggingface/ollama-utils. */
const FAMILIES = {
  Aya: 'aya-expanse:8b',
  Cogito: 'cogito:3b',
  'Command R': 'command-r:35b',
  'DeepSeek Coder': 'deepseek-coder:1.3b',
  'DeepSeek R1': 'deepseek-r1:8b',
  Dolphin: 'dolphin-phi:2.7b',
  EXAONE: 'exaone-deep:2.4b',
  'Falcon 2': 'falcon2:11b',
  'Gemma 2': 'gemma2:2b',
  'Gemma 3': 'gemma3:1b',
  'GLM 4': 'glm4:9b',
  'Granite 3': 'granite3.3:2b',
  Hermes: 'hermes3:70b',
  'InternLM 2': 'internlm2:1.8b',
  'Llama 2': 'llama2:7b',
  'Llama 3': 'llama3:8b',
  'Llama 3.2': 'llama3.2:3b',
  Mistral: 'mistral:7b-instruct-fp16',
  'Mistral Small': 'mistral-small:24b',
  Mixtral: 'mixtral:8x7b',
  Nemotron: 'nemotron-mini:4b',
  'OLMo 2': 'olmo2:7b',
  OpenChat: 'openchat:7b',
  'Phi 3': 'phi3:3.8b',
  'Phi 4': 'phi4-mini:3.8b',
  'Qwen 2': 'qwen2:0.5b',
  'Qwen 2.5': 'qwen2.5:0.5b',
  'Qwen 3': 'qwen3:0.6b',
  SmallThinker: 'smallthinker:3b',
  'SmolLM 2': 'smollm2:135m',
  'Stable Code': 'stable-code:3b',
  TinyLlama: 'tinyllama:1.1b',
  'Tulu 3': 'tulu3:70b',
  Yi: 'yi:6b',
};

const [SYSTEM, FIRST, ANSWER, SECOND] = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: ' How far is the moon? ' },
  { role: 'assistant', content: 'A light second.\n' },
  { role: 'user', content: 'And "the sun" <there>?' },
];
const TOOLS = [
  {
    type: 'function',
    function: {
      name: 'distance',
      description: 'The distance of a star',
      parameters: { type: 'object', properties: { star: { type: 'string', description: 'its "name"' } }, required: ['star'] },
    },
  },
];
const TALKS = [
  { messages: [FIRST], values: {} },
  { messages: [FIRST, ANSWER, SECOND], values: {} },
  { messages: [SYSTEM, FIRST, ANSWER, SECOND], values: {} },
  { messages: [SYSTEM, FIRST], values: { tools: TOOLS } },
  {
    messages: [FIRST, { role: 'assistant', content: '<think>\nLight needs a second.\n</think>\n\nFar.' }, SECOND],
    values: { enable_thinking: false },
  },
  {
    messages: [
      FIRST,
      { role: 'assistant', content: '', tool_calls: [{ type: 'function', function: { name: 'distance', arguments: { star: 'moon' } } }] },
      { role: 'tool', content: '1.3' },
    ],
    values: { tools: TOOLS },
  },
];

const RENDER = `
import json, sys
from jinja2.ext import loopcontrols
from jinja2.sandbox import ImmutableSandboxedEnvironment
def fail(reason): raise ValueError(reason)
environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[loopcontrols])
environment.filters['tojson'] = lambda x, ensure_ascii=False, indent=None, separators=None, sort_keys=False: json.dumps(x, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)
environment.globals.update(raise_exception=fail, strftime_now=lambda form: '26 Nov 2026')
def one(template, talk):
    try: return environment.from_string(template).render(messages=talk['messages'], add_generation_prompt=True, bos_token='<s>', eos_token='</s>', **talk['values'])
    except Exception as error: return None
given = json.load(sys.stdin)
print(json.dumps([[one(template, talk) for talk in given['talks']] for template in given['templates']]))
`;

const source = await readFile(`${process.argv[2]}/src/chat-template-automap.ts`, 'utf8');
const { code } = await transform(source, { loader: 'ts', format: 'esm' });
const { OLLAMA_CHAT_TEMPLATE_MAPPING: all } = await import(`data:text/javascript,${encodeURIComponent(code)}`);
const families = Object.entries(FAMILIES).map(([family, file]) => ({
  family,
  file,
  template: /** @type {string} */ (all.find((/** @type {any} */ one) => one.model === `library/${file}`).gguf),
}));
const input = JSON.stringify({ talks: TALKS, templates: families.map(({ template }) => template) });
/** @type {(string | null)[][]} */
const rendered = JSON.parse(execFileSync('python3', ['-c', RENDER], { input, encoding: 'utf8', maxBuffer: 2 ** 26 }));
const about =
  'Made by chat-templates-make.js. Templates: @huggingface/ollama-utils 0.0.18, Copyright (c) Hugging Face, MIT licence, as found in files of their makers. rendered: by Jinja, null where it refuses.';
await writeFile(
  new URL('chat-templates.json', import.meta.url),
  `${JSON.stringify({ about, talks: TALKS, families: families.map((one, i) => ({ ...one, rendered: rendered[i] })) }, null, 1)}\n`,
);
for (const [i, { family }] of families.entries())
  console.log(
    family.padEnd(16),
    rendered[i].map((text, k) => (text === null ? 'refused' : text.includes('Be brief.') || k !== 2 ? text.length : 'no system')).join(' '),
  );
