// SPDX-License-Identifier: MIT
// @ts-check

/** The forms of saved runs: each kind has one, which is checked before anything of a saved run is used. Anyone may have changed it. */

import { classOf } from '../base/realm.js';
import { NextPixelError } from '../base/error.js';

/** Returns whether a value is valid. @typedef {(value: any) => boolean} Form */

/** Integers of a range. @param {number} low @param {number} high @returns {Form} */
export const whole = (low, high) => (value) => Number.isInteger(value) && value >= low && value <= high;

/** @type {Form} */
export const finite = (value) => typeof value === 'number' && Number.isFinite(value);

/** Lists without holes. @param {Form} form  of each @param {number} [most] @param {number} [least] @returns {Form} */
export const arrayOf =
  (form, most = Infinity, least = 0) =>
  (value) =>
    Array.isArray(value) && value.length <= most && value.length >= least && Array.from(value).every(form);

/**
 * Typed arrays, also in JSON form: objects of numbers. @param {Form} form  of each @param {number} [length]  by default any @returns {Form}
 */
export const numbersOf = (form, length) => (value) => {
  const numbers = typeof value === 'object' && value !== null ? Object.values(value) : [];
  return numbers.length === (length ?? numbers.length) && numbers.every(form);
};

/** Plain objects with these entries and no others. @param {Record<string, Form>} forms @returns {Form} */
export const object = (forms) => (value) =>
  classOf(value) === 'Object' &&
  Object.keys(value).every((name) => Object.hasOwn(forms, name)) &&
  Object.entries(forms).every(([name, form]) => form(value[name]));

/** @param {Form} form @returns {Form} */
export const optional = (form) => (value) => value === undefined || form(value);

/**
 * Throws if an entry of a saved run does not have the form that run.save() gives.
 *
 * @param {any} saved
 * @param {Record<string, Form>} forms  the kind's entries, in addition to the common ones
 */
export function checkSaved(saved, forms) {
  const wrong = Object.keys(forms).find((name) => !forms[name](saved[name]));
  if (wrong !== undefined) throw new NextPixelError('state', `This is no saved run: its ${wrong} must be as run.save() gave it`);
}
