// SPDX-License-Identifier: MIT
// @ts-check

/** The methods of a model: a verb each. */

import { engineOf } from '../model/engine.js';
import { checkOptions } from '../base/checks.js';
import { argumentError } from '../base/error.js';
import * as VERBS from './index.js';
import { ALL, argumentsOf, optionsOf } from './table.js';

/** @typedef {{ [N in keyof typeof VERBS]: (typeof VERBS)[N]['start'] }} VerbMethods */

class Verbs {}

for (const [name, { draws, start }] of ALL) {
  /** @this {any} @param {any[]} given */
  const method = function (...given) {
    const { verbs, info } = engineOf(this);
    if (!verbs.includes(name)) {
      const able = ALL.filter(([other]) => verbs.includes(other));
      const shown = able.filter(([, { attributes }]) => attributes);
      throw argumentError(`This model has no ${name}(): use ${(shown.length > 0 ? shown : able).map(([other]) => `${other}()`).join(' or ')}`);
    }
    const before = argumentsOf(name, info.kind);
    const options = given[before] ?? (given[before] === null || start.length > before ? given[before] : {}); // some must be there
    checkOptions(options, `${name}()`, optionsOf(name));
    return start.apply(this, [...Array.from({ length: before }, (_, i) => given[i]), options]);
  };
  /** @this {any} @param {any[]} given */
  const promising = async function (...given) {
    return method.apply(this, given);
  };
  Object.defineProperty(Verbs.prototype, name, { value: draws ? method : promising, writable: true, configurable: true });
}

/** The class that a model extends. @type {new () => VerbMethods} */
export const Methods = /** @type {any} */ (Verbs);
