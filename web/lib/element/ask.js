// SPDX-License-Identifier: MIT
// @ts-check

/** Turns the attributes of an element into a run of its model. */

import { NX_MAX_SAMPLES } from '../engine/abi.js';
import { NextPixelError } from '../base/error.js';
import { canBeKnown } from '../kinds/picture/pictures.js';
import { TASKS } from './tasks.js';
import { said, taskOf } from './attributes.js';

/** @import { Model } from '../model/model.js' */
/** @import { ModelInfo } from '../engine/protocol.js' */
/** @import { ElementProperties } from './properties.js' */

/** @typedef {Element & ElementProperties} Asking */

/** Some attributes name what a verb takes before its options. They are read here. @type {Record<string, (element: Asking, signal: AbortSignal, info: ModelInfo) => unknown>} */
const GIVEN = {
  src: ({ src }, signal, { codec }) => (codec === 'sound' ? soundAt(src, signal) : pictureAt(src, signal)),
  prompt: ({ prompt }) => prompt,
  from: ({ from }) => from,
  to: ({ to }) => to,
};

/**
 * Tells whether the attributes name something that can be shown before there is a run.
 *
 * @param {Asking} element
 * @param {ModelInfo} info
 */
export function givesSomething(element, info) {
  const { attributes } = taskOf(element, info);
  return ['src', 'prompt'].some((name) => attributes[name] && element.getAttribute(name));
}

/**
 * The run that the attributes describe, which computes nothing before it is read; or an answer, which is read in the same way.
 *
 * @param {Asking} element
 * @param {Model} model
 * @param {AbortSignal} signal
 * @returns {Promise<any>} rejects with a NextPixelError where they make no sense with this model
 */
export async function ask(element, model, signal) {
  const { info } = model;
  const word = element.getAttribute('task')?.trim().toLowerCase();
  const possible = TASKS.filter(({ task }) => info.tasks.includes(task)).map(({ task }) => task);
  if (word && !possible.includes(word)) {
    throw new NextPixelError('argument', `task must be ${possible.join(' or ')} with this model, not ${JSON.stringify(word)}`);
  }
  const { verb, attributes } = taskOf(element, info);
  const given = [];
  /** @type {Record<string, any>} */
  const options = { signal };
  for (const [name, { property }] of Object.entries(attributes)) {
    if (GIVEN[name]) given.push(await GIVEN[name](element, signal, info));
    else options[property] = said(element, name);
  }
  if (verb === 'classify') return model.classify({ signal, query: /** @type {HTMLImageElement} */ (given[0]), support: await examplesOf(element, signal) });
  return /** @type {any} */ (model)[verb](...given, fitting(options, info));
}

/**
 * Leaves out options that this model does not know, so that one element may serve several models.
 *
 * @param {Record<string, any>} options
 * @param {ModelInfo} info
 */
function fitting({ rows, label, speaker, steps, shape, tries = 1, ...options }, info) {
  const { samples = 1 } = options;
  if (samples * tries > NX_MAX_SAMPLES) throw new NextPixelError('argument', `samples times tries must be at most ${NX_MAX_SAMPLES}, not ${samples} times ${tries}`);
  return {
    ...options,
    ...(tries > 1 && { samples: samples * tries, resample: tries }),
    ...(steps && { steps }),
    ...(shape && { shape: shape.trim().toLowerCase() }),
    ...(rows !== undefined && canBeKnown(rows, info) && { rows }),
    ...(label && info.classes.length > 0 && { label }),
    ...(speaker && info.speakers?.length && { speaker }),
  };
}

/**
 * The pictures in an element that have a name, `<img data-label>`.
 *
 * @param {Asking} element
 * @param {AbortSignal} signal
 */
async function examplesOf(element, signal) {
  const images = [...element.querySelectorAll('img')].filter(({ dataset }) => dataset.label !== undefined);
  return Promise.all(images.map(async (image) => {
    await image.decode().catch((cause) => { throw new NextPixelError('network', `The example ${image.src} cannot be loaded`, { cause }); });
    signal.throwIfAborted();
    return { image, label: /** @type {string} */ (image.dataset.label) };
  }));
}

/**
 * The sound to go on with.
 *
 * @param {string} src
 * @param {AbortSignal} signal
 */
async function soundAt(src, signal) {
  const missing = (/** @type {unknown} */ cause) => new NextPixelError('network', src ? `The sound ${src} cannot be loaded: check the attribute src` :
    'There is no sound to start from: set the attribute src, or task="generate"', { cause });
  if (!src) throw missing(undefined);
  const response = await fetch(new URL(src, document.baseURI), { signal }).catch((cause) => { throw signal.aborted ? cause : missing(cause); });
  if (!response.ok) throw missing(response.status);
  return response.blob();
}

/**
 * The picture to complete or to enlarge.
 *
 * @param {string} src
 * @param {AbortSignal} signal
 */
async function pictureAt(src, signal) {
  const image = new Image();
  image.crossOrigin = 'anonymous';
  image.src = src;
  try {
    await image.decode();
  } catch (cause) {
    throw new NextPixelError('network', src ? `The picture ${src} cannot be loaded: check the attribute src` :
      'There is no picture to start from: set the attribute src, or task="generate"', { cause });
  }
  signal.throwIfAborted();
  return image;
}
