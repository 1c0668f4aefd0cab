// SPDX-License-Identifier: MIT
// @ts-check

/** Evaluates attributes, items and slices of a template's values. */

import { methodOf } from './texts.js';
import { Dict, List, Namespace, TemplateError, Text, Undefined, joined, typeOf } from './values.js';

/** @import { Writer } from './write.js' */

/** Evaluates `object.name`. @param {Writer} machine @param {any} object @param {string} name */
export function attribute(machine, object, name) {
  if (object instanceof Undefined) throw new TemplateError(`${object.name} is undefined`);
  if (name.startsWith('__')) throw new TemplateError(`the attribute ${name} is not allowed`);
  const method = methodOf(machine, object, name);
  if (method) return method;
  const found = object instanceof Namespace ? object.values.get(name) : object instanceof Dict ? object.get(name) : undefined;
  return found === undefined ? new Undefined(name) : found;
}

/** Evaluates `object[key]`. @param {Writer} machine @param {any} object @param {any} key */
export function getItem(machine, object, key) {
  if (object instanceof Undefined) throw new TemplateError(`${object.name} is undefined`);
  if (object instanceof Dict && key instanceof Text && object.pairs.has(key.text)) return object.get(key.text);
  const index = typeof key === 'boolean' ? Number(key) : key;
  if (typeof index === 'number' && object instanceof List) return object.items.at(index) ?? missing(object.items, index);
  if (typeof index === 'number' && object instanceof Text) {
    machine.budget.characters(object.text.length);
    const plain = !/[\ud800-\udbff]/.test(object.text);
    if (!plain) machine.budget.items(object.text.length);
    const at = index < 0 ? object.text.length + index : index;
    if (plain) return at >= 0 && at < object.text.length ? object.slice(at, at + 1) : new Undefined(String(index));
    return object.characters().at(index) ?? new Undefined(String(index));
  }
  return key instanceof Text ? attribute(machine, object, key.text) : new Undefined(typeof key === 'number' ? String(key) : typeOf(key));
}

/**
 * Returns an item of a list (an item may be null), or an Undefined if the index is out of range.
 * @param {any[]} items
 * @param {number} index
 */
function missing(items, index) {
  const at = index < 0 ? items.length + index : index;
  return at >= 0 && at < items.length ? items[at] : new Undefined(String(index));
}

/** Evaluates `object[from:to:step]`. @param {Writer} machine @param {any} object @param {any[]} bounds  from, to, step; null: absent */
export function slice(machine, object, bounds) {
  if (!(object instanceof Text || object instanceof List)) throw new TemplateError(`a value of type ${typeOf(object)} cannot be sliced`);
  const [from, to, step] = bounds.map((bound) => {
    if (bound === null || typeof bound === 'number') return bound;
    throw new TemplateError(`slice bounds must be whole numbers, not ${typeOf(bound)}`);
  });
  if (step === 0) throw new TemplateError('the step of a slice is 0');
  const isText = object instanceof Text;
  machine.budget.charge((isText ? object.text : object.items).length / 32);
  if (isText && (step ?? 1) === 1 && !/[\ud800-\udbff]/.test(object.text)) return object.slice(from ?? 0, to ?? undefined);
  if (isText) machine.budget.items(object.text.length);
  /** @type {any[]} */
  const items = isText ? object.characters() : object.items;
  const by = step ?? 1;
  const clip = (/** @type {number} */ at, /** @type {number} */ low, /** @type {number} */ high) =>
    Math.min(high, Math.max(low, at < 0 ? at + items.length : at));
  const [low, high] = by > 0 ? [0, items.length] : [-1, items.length - 1];
  const [begin, end] = [
    from === null ? (by > 0 ? low : high) : clip(from, low, high),
    to === null ? (by > 0 ? high : low) : clip(to, low, high),
  ];
  const taken = [];
  for (let i = begin; by > 0 ? i < end : i > end; i += by) taken.push(items[i]);
  machine.budget.items(taken.length / 8);
  return isText ? joined(taken) : new List(taken, object.kind, object.source);
}
