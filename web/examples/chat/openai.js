// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Gives a chat model the interface of OpenAI's chat.completions.create, with streaming, tools, response_format and logprobs. chat() rejects
 * options that it does not support.
 */

/** OpenAI's option names, with the corresponding option names of chat(). @type {Record<string, string>} */
const NAMES = {
  max_tokens: 'maxTokens',
  max_completion_tokens: 'maxTokens',
  temperature: 'temperature',
  top_p: 'topP',
  seed: 'seed',
  stop: 'stop',
  frequency_penalty: 'frequencyPenalty',
  presence_penalty: 'presencePenalty',
  logit_bias: 'logitBias',
  top_logprobs: 'alternatives',
};
/** The reasons why an answer ended, with the names that OpenAI uses for them. @type {Record<string, string>} */
const REASONS = { end: 'stop', stop: 'stop', length: 'length', abort: 'stop' };

/** The strings with which different models begin a tool call: Qwen and Hermes, Llama, Mistral. */
const OPENINGS = ['<tool_call>', '{"', '[{'];

/** Converts a message to the form that chat() expects, by joining its parts. @param {any} message */
function messageOf({ role, content, ...others }) {
  const isText = (/** @type {any} */ part) => part?.type === 'text';
  if (Array.isArray(content) && !content.every(isText)) throw new Error('Only parts of the type text can be read: this model sees no pictures and hears no sound');
  return {
    role: role === 'developer' ? 'system' : role,
    content: Array.isArray(content) ? content.map(({ text }) => text).join('') : content,
    ...others,
  };
}

/**
 * Returns the tool calls in an answer.
 *
 * @param {string} text
 * @param {any[]} tools
 * @param {string} id  id of the answer
 * @returns {object[] | undefined} undefined if the answer is plain text
 */
function callsIn(text, tools, id) {
  const tagged = [...text.matchAll(/<tool_call>([^]*?)(?:<\/tool_call>|$)/g)].map(([, inner]) => inner);
  try {
    const found = (tagged.length > 0 ? tagged : [text]).flatMap((one) => JSON.parse(one));
    const names = tools.map((tool) => tool.function.name);
    if (found.length === 0 || !found.every(({ name }) => names.includes(name))) return undefined;
    return found.map(({ name, arguments: args, parameters = {} }, index) => ({
      index,
      id: `call_${id}_${index}`,
      type: 'function',
      function: { name, arguments: typeof args === 'string' ? args : JSON.stringify(args ?? parameters) },
    }));
  } catch {
    return undefined;
  }
}

/** Returns whether a string may be the beginning of a tool call. @param {string} text */
const mayCall = (text) => OPENINGS.some((opening) => opening.startsWith(text.trimStart()) || text.trimStart().startsWith(opening));

/**
 * @param {any} model  a model from load() that has the verb `chat`
 * @param {{ signal?: AbortSignal, template?: string, grammar?: (schema?: object) => Promise<object> }} [options]  grammar: creates a
 *   constraint from a JSON schema, for response_format (such as jsonGrammar in grammar.js)
 */
export function openai(model, { signal, template, grammar } = {}) {
  /** @param {any} format @returns {Promise<object | undefined>} */
  const constraintOf = async (format) => {
    if (!format || format.type === 'text') return undefined;
    if (format.type !== 'json_schema' && format.type !== 'json_object') throw new Error(`response_format has no type ${format.type}`);
    if (!grammar) throw new Error('response_format needs openai(model, { grammar: jsonGrammar })');
    return grammar(format.json_schema?.schema);
  };

  /** @param {any} request @returns {Promise<any>} */
  const create = async ({
    messages,
    stream = false,
    stream_options: { include_usage: isCounted = false } = {},
    logprobs: wanted = false,
    model: name = model.info.name,
    tools: given = [],
    tool_choice: choice = 'auto',
    response_format: format,
    ...others
  }) => {
    if (choice !== 'auto' && choice !== 'none') throw new Error(`tool_choice must be auto or none, not ${JSON.stringify(choice)}`);
    const tools = choice === 'none' ? [] : given;
    const constraint = await constraintOf(format);
    const options = Object.fromEntries(Object.entries(others).map(([key, value]) => [NAMES[key] ?? key, value]));
    const run = model.chat(messages.map(messageOf), { ...options, signal, template, ...(tools.length > 0 && { tools }), ...(constraint && { constraint }) });
    const id = `chatcmpl-${run.seed}`;
    const created = Math.floor(Date.now() / 1000);
    const head = (/** @type {string} */ object) => ({ id, object, created, model: name });
    const probability = (/** @type {any} */ { text, token, nats, alternatives = [] }) => ({
      // a log probability is the negative of the nats
      token: text,
      logprob: -nats,
      bytes: [...model.tokenizer.bytes(token)],
      top_logprobs: alternatives.map((/** @type {any} */ one) => ({ token: one.text, logprob: -one.nats })),
    });
    const logprobsOf = (/** @type {any[]} */ steps) => (wanted ? { content: steps.map(probability) } : null);
    const usageOf = (/** @type {number} */ tokens) => ({
      prompt_tokens: run.promptLength,
      completion_tokens: tokens,
      total_tokens: run.promptLength + tokens,
    });

    const chunks = async function* () {
      const chunk = (/** @type {object} */ delta, /** @type {object | null} */ logprobs = null, /** @type {string | null} */ reason = null) => ({
        ...head('chat.completion.chunk'),
        choices: [{ index: 0, delta, logprobs, finish_reason: reason }],
      });
      yield chunk({ role: 'assistant', content: '' });
      let [held, tokens, isHeld] = ['', 0, tools.length > 0];
      /** @type {any[]} */
      let steps = [];
      for await (const step of run) {
        tokens++;
        held += step.text;
        steps.push(step);
        isHeld &&= mayCall(held);
        if (isHeld) continue;
        yield chunk({ content: held }, logprobsOf(steps));
        [held, steps] = ['', []];
      }
      const calls = isHeld ? callsIn(held, tools, String(run.seed)) : undefined;
      if (calls) yield chunk({ tool_calls: calls }, logprobsOf(steps));
      else if (held) yield chunk({ content: held }, logprobsOf(steps));
      yield chunk({}, null, calls ? 'tool_calls' : REASONS[run.finish]);
      if (isCounted) yield { ...head('chat.completion.chunk'), choices: [], usage: usageOf(tokens) };
    };
    if (stream) return chunks();

    const steps = [];
    for await (const step of run) steps.push(step);
    const text = steps.map((one) => one.text).join('');
    const calls = tools.length > 0 ? callsIn(text, tools, String(run.seed)) : undefined;
    const message = calls ? { role: 'assistant', content: null, tool_calls: calls } : { role: 'assistant', content: text };
    return {
      ...head('chat.completion'),
      usage: usageOf(steps.length),
      choices: [{ index: 0, message, logprobs: logprobsOf(steps), finish_reason: calls ? 'tool_calls' : REASONS[run.finish] }],
    };
  };
  return { chat: { completions: { create } } };
}
