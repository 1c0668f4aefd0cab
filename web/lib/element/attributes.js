// SPDX-License-Identifier: MIT
// @ts-check

/**
 * The attributes of the element. The tables of verbs and settings define the attributes for tasks; this file adds the element's own
 * attributes. Each attribute is reflected by a property. Reading the property returns the value in effect, and setting it never throws.
 */

import { ATTRIBUTES as OF_TASKS, TASKS } from './tasks.js';

/** @import { ModelInfo } from '../engine/protocol.js' */
/** @import { Reading } from '../verbs/table.js' */
/** @import { ElementProperties } from './properties.js' */

/** A row of the table of attributes. `effect` computes the value of a property that depends on more than the attribute; `changes` is
 * 'model' if a change of the attribute requires loading the model again, and 'drawing' if it only requires drawing again.
 * @typedef {Reading & { property: string, flag?: true, effect?: (element: Element) => string, words?: readonly string[], changes?: 'model' | 'drawing' }} ElementAttribute */

/** Attributes that belong to the element itself and to no task. @type {Record<string, ElementAttribute>} */
const OWN = {
  /** address of the weights, relative to the page */
  model: { property: 'model', changes: 'model' },
  /** the model's task. Default: the first one that the model supports */
  task: {
    property: 'task',
    words: TASKS.map(({ task }) => task),
    changes: 'drawing',
    effect: (/** @type {any} */ element) => taskOf(element, element.info).task,
  },
  /** starts automatically when the element comes into view. Default: no */
  autoplay: { property: 'autoplay', flag: true },
  /** shows buttons and a line of text. Default: no */
  controls: { property: 'controls', flag: true },
  /** address of a picture to show until the first pixel is drawn, if the element is empty. Default: the model's input */
  poster: { property: 'poster' },
  /** width to reserve on the page, in CSS pixels, so that nothing moves. Default: the width of the pictures times `--nx-pixel` */
  width: { property: 'width', whole: [1, 65536] },
  /** height to reserve on the page, in CSS pixels. Default: the height of the pictures times `--nx-pixel` */
  height: { property: 'height', whole: [1, 65536] },
  /** `no-store`: the browser does not cache the weights. Default: it caches them */
  cache: { property: 'cache', changes: 'model' },
  /** when to fetch the model. Default: `lazy` (when the element comes near the screen). `play`: when the visitor presses Play */
  loading: { property: 'loading', words: ['lazy', 'play'], effect: (element) => String(said(element, 'loading') ?? 'lazy') },
  /** `sha256-` followed by the base64 digest that the weights must have. Default: not checked */
  integrity: { property: 'integrity', changes: 'model' },
};

/** All attributes, by name. @type {Record<string, ElementAttribute>} */
export const ATTRIBUTES = {
  ...OWN,
  ...Object.fromEntries(
    Object.entries(OF_TASKS).map(([name, attribute]) => [name, { ...attribute, changes: /** @type {const} */ ('drawing') }]),
  ),
  /** seed of the noise, a whole number up to 2^53 - 1. The same seed draws the same result. Default: a random one */
  seed: { property: 'seed', whole: [0, Number.MAX_SAFE_INTEGER], changes: 'drawing' },
};

/**
 * Reads an attribute. An invalid value counts as absent.
 *
 * @param {Element} element
 * @param {string} name
 * @returns {string | number | undefined}
 */
export function said(element, name) {
  const { whole, number, over, words } = ATTRIBUTES[name];
  const text = element.getAttribute(name);
  if (words) return words.find((word) => word === text?.trim().toLowerCase());
  const [low, high] = whole ?? number ?? [];
  if (low === undefined || high === undefined) return text ?? undefined;
  const value = text?.trim() ? Number(text) : NaN;
  return value >= low && value <= high && !(over && value === low) && (!whole || Number.isInteger(value)) ? value : undefined;
}

/**
 * Returns the task that the element's attribute names, or else the model's first task.
 *
 * @param {Element} element
 * @param {ModelInfo} [info]  undefined before the model is loaded
 */
export function taskOf(element, info) {
  const word = said(element, 'task');
  const first = info?.verbs.find((verb) => TASKS.some((known) => known.verb === verb));
  return TASKS.find(({ task, verb }) => (word === undefined ? verb === first : task === word)) ?? TASKS[0];
}

/**
 * Returns a subclass of `Base` with a property for each attribute.
 *
 * @param {typeof HTMLElement} Base
 * @returns {new () => HTMLElement & ElementProperties}
 */
export function withProperties(Base) {
  class Reflecting extends Base {}
  for (const [name, { property, flag, whole, number, initial, effect }] of Object.entries(ATTRIBUTES)) {
    Object.defineProperty(Reflecting.prototype, property, {
      configurable: true,
      enumerable: true,
      /** @this {Element} */
      get() {
        if (effect) return effect(this);
        return flag ? this.hasAttribute(name) : (said(this, name) ?? (whole || number ? initial : ''));
      },
      /** @this {Element} @param {unknown} value */
      set(value) {
        if (flag) this.toggleAttribute(name, Boolean(value));
        else if (value === undefined || value === null) this.removeAttribute(name);
        else this.setAttribute(name, String(value));
      },
    });
  }
  return /** @type {any} */ (Reflecting);
}

/**
 * Returns the setter of a property. Searches only the element's own classes, not HTMLElement and its base classes.
 * @param {any} element
 * @param {string} name
 */
function accessorOf(element, name) {
  for (let at = Object.getPrototypeOf(element); at && at !== HTMLElement.prototype; at = Object.getPrototypeOf(at)) {
    const { set } = Object.getOwnPropertyDescriptor(at, name) ?? {};
    if (set) return set;
  }
  return undefined;
}

/**
 * Repeats the property assignments that were made before the element was defined. Such an assignment created an own property, which hides
 * the setter.
 *
 * @param {any} element
 */
export function upgrade(element) {
  for (const property of Object.keys(element)) {
    if (!accessorOf(element, property)) continue;
    const value = element[property];
    delete element[property];
    element[property] = value;
  }
}
