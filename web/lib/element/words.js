// SPDX-License-Identifier: MIT
// @ts-check

/** The sentences and names by which the element tells of itself. */

import { taskOf } from './attributes.js';

/** @import { ModelInfo } from '../engine/protocol.js' */
/** @import { Asking } from './ask.js' */

/** Sentences about a run, by the codec of its model.
 * @type {Record<string, { doing: string, done: (run: { nats: number[], steps: number, to: number, rate: number }) => string }>} */
const OF_RUNS = {
  picture: { doing: 'Drawing', done: ({ nats }) => `Drawn: ${nats.map((cost) => cost.toFixed(1)).join(', ')} nats` },
  sound: { doing: 'Drawing', done: ({ nats, to, rate }) => `Drawn: ${(to / rate).toFixed(2)} s, ${(nats[0] / Math.max(to, 1) / Math.LN2).toFixed(1)} bits a sample` },
  text: { doing: 'Writing', done: ({ nats, steps }) => `Written: ${steps} tokens, ${nats[0].toFixed(1)} nats` },
  signs: { doing: 'Naming', done: ({ nats }) => `Named: ${nats[0].toFixed(1)} nats` },
  tags: { doing: 'Tagging', done: ({ nats }) => `Tagged: ${nats[0].toFixed(1)} nats` },
};

export const NO_MODEL = 'There is no model to run: set the attribute model';

/** @param {ModelInfo} info */
export function wordsOf({ codec }) {
  return OF_RUNS[codec] ?? OF_RUNS.picture;
}

/** The last part of an address. @param {string} address */
const fileOf = (address) => address.split(/[?#]/)[0].split('/').pop() ?? '';

/**
 * Describes the canvas for those who do not see it.
 *
 * @param {Asking} element
 * @param {ModelInfo | undefined} info
 * @param {number} progress  of the drawn part, 0 to 1
 */
export function pictureLabel(element, info, progress) {
  const { samples, src } = element;
  const { task, made = task } = taskOf(element, info);
  const what = made.replace('{pictures}', info?.codec === 'sound' ? 'A sound' : samples === 1 ? 'A picture' : `${samples} pictures`)
    .replace('{src}', fileOf(src) || 'what is given');
  return element.getAttribute('aria-label') || `${what} by ${info?.name || 'a model'}, ${Math.round(100 * progress)} % done`;
}

/**
 * Names the group of buttons: the task, what it is done to, and the model.
 *
 * @param {Asking} element
 * @param {ModelInfo} [info]
 */
export function groupLabel(element, info) {
  const { task, attributes } = taskOf(element, info);
  const { src, label, prompt } = element;
  const subject = (attributes.src && fileOf(src)) || (attributes.label && label) || (attributes.prompt && prompt) || '';
  const cut = subject.length > 40 ? `${subject.slice(0, 39)}…` : subject;
  const model = info?.name || fileOf(element.model).replace(/\.gguf$/, '') || 'no model';
  return element.getAttribute('aria-label') || `${cut ? `${task} ${cut}` : task}, ${model}`;
}
