// SPDX-License-Identifier: MIT
// @ts-check

/** Checks that reusing the session of an earlier run does not change the result of a run. */

import assert from 'node:assert/strict';

import { load } from './helpers.js';
import { toyText } from './toy-text.js';

/** @import { TextRun } from '../../web/lib/index.js' */
/** @import { AnyModel as Model } from '../../web/lib/model/of-kind.js' */

const TEMPLATE = '{% for message in messages %}<s>{{ message.role }}: {{ message.content }}</s>{% endfor %}<s>assistant: ';
/** Returns a small text model with a chat template. */
export const file = (context = 512) => toyText({ context, metadata: { 'tokenizer.chat_template': ['string', TEMPLATE] } });

/** Reads a run to its end. @param {TextRun} run */
async function told(run) {
  const nats = [];
  let text = '';
  for await (const step of run) {
    nats.push(step.nats, ...(step.alternatives ?? []).map((one) => one.nats), ...(step.maps ?? []).flatMap(({ weights }) => [...weights]));
    text += step.text;
  }
  return { ids: [...run.ids], nats, text, reused: run.reused, prompt: run.promptLength };
}

/**
 * Runs a request on a new model, which has no sessions to reuse.
 *
 * @param {(model: Model) => TextRun} ask
 * @param {Uint8Array<ArrayBuffer>} [bytes]
 */
async function alone(ask, bytes = file()) {
  const model = await load(bytes);
  const { reused, ...all } = await told(ask(model));
  assert.equal(reused, 0);
  model.close();
  return all;
}

/** Returns the length of the common prefix of two lists. @param {number[]} a @param {number[]} b */
export const alike = (a, b) => a.findIndex((id, i) => id !== b[i]) + (a.every((id, i) => id === b[i]) ? a.length + 1 : 0);

/**
 * Runs a request, and checks that the result equals the result of a model that has had no run before.
 *
 * @param {Model} model
 * @param {(model: Model) => TextRun} ask
 * @param {Uint8Array<ArrayBuffer>} [bytes]
 */
export async function same(model, ask, bytes) {
  const { reused, ...all } = await told(ask(model));
  assert.deepEqual(all, await alone(ask, bytes));
  return { ...all, reused };
}
