// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Checks saved runs. Each kind defines the form of its saved runs, and every entry is checked before it is used. A saved run is untrusted
 * input.
 */

import { classOf } from '../base/realm.js';
import { NextPixelError } from '../base/error.js';

/** A function that returns whether a value has a certain form. @typedef {(value: any) => boolean} Form */

/** Matches integers in a range. @param {number} low @param {number} high @returns {Form} */
export const whole = (low, high) => (value) => Number.isInteger(value) && value >= low && value <= high;

/** @type {Form} */
export const finite = (value) => typeof value === 'number' && Number.isFinite(value);

/** Matches arrays without holes. @param {Form} form  form of each item @param {number} [most] @param {number} [least] @returns {Form} */
export const arrayOf =
  (form, most = Infinity, least = 0) =>
  (value) =>
    Array.isArray(value) && value.length <= most && value.length >= least && Array.from(value).every(form);

/**
 * Matches typed arrays. JSON turns a typed array into an object with one property per number, so objects of this form match, too.
 * @param {Form} form  the form of each item
 * @param {number} [length]  the number of items; by default any
 * @returns {Form}
 */
export const numbersOf = (form, length) => (value) => {
  const numbers = typeof value === 'object' && value !== null ? Object.values(value) : [];
  return numbers.length === (length ?? numbers.length) && numbers.every(form);
};

/** Matches plain objects with exactly these entries. @param {Record<string, Form>} forms @returns {Form} */
export const object = (forms) => (value) =>
  classOf(value) === 'Object' &&
  Object.keys(value).every((name) => Object.hasOwn(forms, name)) &&
  Object.entries(forms).every(([name, form]) => form(value[name]));

/** @param {Form} form @returns {Form} */
export const optional = (form) => (value) => value === undefined || form(value);

/**
 * Throws if an entry of a saved run has a form that run.save() never writes.
 *
 * @param {any} saved
 * @param {Record<string, Form>} forms  the entries that only this kind has
 */
export function checkSaved(saved, forms) {
  const wrong = Object.keys(forms).find((name) => !forms[name](saved[name]));
  if (wrong !== undefined) throw new NextPixelError('state', `This is not a saved run: its ${wrong} is not what run.save() returned`);
}
