// SPDX-License-Identifier: MIT
// @ts-check

/** The sentences and names that describe the content of the element. */

import { lookOf } from '../kinds/looks.js';
import { taskOf } from './attributes.js';
import { say } from './say.js';

/** @import { ModelInfo } from '../engine/protocol.js' */
/** @import { Asking } from './ask.js' */

export const NO_MODEL = 'There is no model to run: set the attribute model';

/** Returns the file name of an address. @param {string} address */
const fileOf = (address) => address.split(/[?#]/)[0].split('/').pop() ?? '';

/**
 * Returns the accessible description of the canvas.
 *
 * @param {Asking} element
 * @param {ModelInfo | undefined} info
 * @param {number} progress  the drawn fraction, 0 to 1
 */
export function pictureLabel(element, info, progress) {
  const { samples, src } = element;
  const { task, verb, made = task } = taskOf(element, info);
  const look = lookOf(info);
  const what = say([look.made?.[verb] ?? made, { pictures: say(look.what(samples)), src: fileOf(src) || say('what is given') }]);
  return (
    element.getAttribute('aria-label') ||
    say(['{what} by {model}, {share} % done', { what, model: info?.name || say('a model'), share: [100 * progress, 0] }])
  );
}

/**
 * Returns the name of the group of buttons: the task, its input, and the model.
 *
 * @param {Asking} element
 * @param {ModelInfo} [info]
 */
export function groupLabel(element, info) {
  const { task, attributes } = taskOf(element, info);
  const { src, label, prompt } = element;
  const subject = (attributes.src && fileOf(src)) || (attributes.label && label) || (attributes.prompt && prompt) || '';
  const cut = subject.length > 40 ? `${subject.slice(0, 39)}…` : subject;
  const model = info?.name || fileOf(element.model).replace(/\.gguf$/, '') || say('no model');
  return element.getAttribute('aria-label') || `${say(task)}${cut && ` ${cut}`}, ${model}`;
}
