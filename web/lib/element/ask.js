// SPDX-License-Identifier: MIT
// @ts-check

/** Starts the run that an element's attributes describe. */

import { NX_MAX_SAMPLES } from '../engine/abi.js';
import { NextPixelError } from '../base/error.js';
import { lookOf } from '../kinds/looks.js';
import { argumentsOf, optionsOf as knownOptions } from '../verbs/table.js';
import { TASKS } from './tasks.js';
import { said, taskOf } from './attributes.js';

/** @import { Model } from '../model/model.js' */
/** @import { AnyInfo, ModelInfo } from '../engine/protocol.js' */
/** @import { ElementProperties } from './properties.js' */

/** @typedef {Element & ElementProperties} Asking */

/** Resolves an address against the document that contains the element now. An invalid address is returned unchanged; the error is reported
 * when the address is loaded. @param {Element} element @param {string} address */
export function addressIn({ baseURI }, address) {
  try {
    return new URL(address, baseURI).href;
  } catch {
    return address;
  }
}

/**
 * Returns whether the attributes name an input that can be shown before a run.
 *
 * @param {Asking} element
 * @param {ModelInfo} info
 */
export function givesSomething(element, info) {
  const { attributes, verb } = taskOf(element, info);
  return argumentsOf(verb, info.kind) > 0 && ['src', 'prompt'].some((name) => attributes[name] && element.getAttribute(name));
}

/**
 * Returns the run that the attributes describe. The run computes nothing until its first step is read. If the method of the model returns a
 * result instead of a run, returns this result.
 *
 * @param {Asking} element
 * @param {Model} model
 * @param {AbortSignal} signal
 * @param {number} [seed]  replaces the attribute `seed`
 * @returns {Promise<any>} rejects with a NextPixelError if the attributes do not fit the model
 */
export async function ask(element, model, signal, seed) {
  const { info } = model;
  const word = element.getAttribute('task')?.trim().toLowerCase();
  const possible = TASKS.filter(({ verb }) => info.verbs.includes(verb)).map(({ task }) => task);
  if (word && !possible.includes(word)) {
    throw new NextPixelError('argument', `task must be ${possible.join(' or ')} with this model, not ${JSON.stringify(word)}`);
  }
  const { verb, attributes, inside } = taskOf(element, info);
  const given = [];
  /** @type {Record<string, any>} */
  const options = { signal, ...optionsOf(element, info) };
  const readings = Object.values(attributes)
    .filter(({ given: make }) => make)
    .slice(0, argumentsOf(verb, info.kind));
  for (const { given: make } of readings) given.push(await make?.(element, signal, lookOf(info)));
  if (inside) options[inside] = await examplesOf(element, signal);
  if (seed !== undefined) options.seed = seed;
  const run = await /** @type {any} */ (model)[verb](
    ...given,
    competing(lookOf(info).chosen?.(verb, options, /** @type {AnyInfo} */ (info)) ?? options),
  );
  await run.begun?.(signal);
  return run;
}

/**
 * Returns the options that the attributes set. Options that the model does not have are omitted, so that the same attributes work with
 * several models.
 *
 * @param {Asking} element
 * @param {ModelInfo} info
 * @returns {Record<string, any>}
 */
export function optionsOf(element, info) {
  const { attributes, verb } = taskOf(element, info);
  const known = knownOptions(verb, info.kind);
  return Object.fromEntries(
    Object.entries(attributes).flatMap(([name, { property, given, read, fits }]) => {
      const value = given || !known.includes(property === 'tries' ? 'resample' : property) ? undefined : said(element, name);
      return value === undefined || value === '' || (fits && !fits(value, /** @type {AnyInfo} */ (info)))
        ? []
        : [[property, read ? read(String(value)) : value]];
    }),
  );
}

/**
 * Converts the option `tries` to more samples: for each sample that is shown, `tries` samples are drawn and compete.
 *
 * @param {Record<string, any>} options
 */
function competing({ tries = 1, ...options }) {
  const { samples = 1 } = options;
  if (samples * tries > NX_MAX_SAMPLES)
    throw new NextPixelError('argument', `samples times tries must be at most ${NX_MAX_SAMPLES}, not ${samples} times ${tries}`);
  return tries > 1 ? { ...options, samples: samples * tries, resample: tries } : options;
}

/**
 * Returns the labelled pictures inside an element, `<img data-label>`.
 *
 * @param {Asking} element
 * @param {AbortSignal} signal
 */
async function examplesOf(element, signal) {
  const images = [...element.querySelectorAll('img')].filter(({ dataset }) => dataset.label !== undefined);
  return Promise.all(
    images.map(async (image) => {
      await image.decode().catch((cause) => {
        throw new NextPixelError('network', `The example ${image.src} cannot be loaded`, { cause });
      });
      signal.throwIfAborted();
      return { image, label: /** @type {string} */ (image.dataset.label) };
    }),
  );
}
