// SPDX-License-Identifier: MIT
// @ts-check

/** An example: a model of talks in the shape of OpenAI's chat.completions.create, streamed too. Options that have no like here are refused by chat(). */

/** Names of OpenAI and of chat(). @type {Record<string, string>} */
const NAMES = {
  max_tokens: 'maxTokens',
  max_completion_tokens: 'maxTokens',
  temperature: 'temperature',
  top_p: 'topP',
  seed: 'seed',
  stop: 'stop',
  tools: 'tools',
  frequency_penalty: 'frequencyPenalty',
  presence_penalty: 'presencePenalty',
  logit_bias: 'logitBias',
  top_logprobs: 'alternatives',
};
/** Of why a run ended. @type {Record<string, string>} */
const REASONS = { end: 'stop', stop: 'stop', length: 'length', abort: 'stop' };

/**
 * @param {any} model
 * @param {{ signal?: AbortSignal }} [options]
 */
export function openai(model, { signal } = {}) {
  /** @param {any} request @returns {Promise<any>} */
  const create = async ({ messages, stream = false, logprobs: wanted = false, model: name = model.info.name, ...given }) => {
    const options = Object.fromEntries(Object.entries(given).map(([key, value]) => [NAMES[key] ?? key, value]));
    const run = model.chat(messages, { ...options, signal });
    const head = (/** @type {string} */ object) => ({
      id: `chatcmpl-${run.seed}`,
      object,
      created: Math.floor(Date.now() / 1000),
      model: name,
    });
    const probability = (/** @type {any} */ { text, token, nats, alternatives = [] }) => ({
      // logprobs are minus the nats
      token: text,
      logprob: -nats,
      bytes: [...model.tokenizer.bytes(token)],
      top_logprobs: alternatives.map((/** @type {any} */ one) => ({ token: one.text, logprob: -one.nats })),
    });
    const logprobsOf = (/** @type {any[]} */ steps) => (wanted ? { content: steps.map(probability) } : null);
    const chunks = async function* () {
      const choice = (
        /** @type {object} */ delta,
        /** @type {object | null} */ logprobs = null,
        /** @type {string | null} */ finish_reason = null,
      ) => ({ ...head('chat.completion.chunk'), choices: [{ index: 0, delta, logprobs, finish_reason }] });
      yield choice({ role: 'assistant', content: '' });
      for await (const step of run) yield choice({ content: step.text }, logprobsOf([step]));
      yield choice({}, null, REASONS[run.finish]);
    };
    if (stream) return chunks();
    const steps = [];
    for await (const step of run) steps.push(step);
    const content = steps.map(({ text }) => text).join('');
    const [prompt_tokens, completion_tokens] = [run.promptLength, steps.length];
    return {
      ...head('chat.completion'),
      usage: { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens },
      choices: [{ index: 0, message: { role: 'assistant', content }, logprobs: logprobsOf(steps), finish_reason: REASONS[run.finish] }],
    };
  };
  return { chat: { completions: { create } } };
}
