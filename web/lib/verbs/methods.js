// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Defines the methods of a model, which are the verbs of its kind. The class of the kind defines the arguments and results of each method.
 */

import { engineOf } from '../model/engine.js';
import { abortable } from '../base/abort.js';
import { checkOptions } from '../base/checks.js';
import { argumentError } from '../base/error.js';
import { part } from '../base/part.js';
import { isPromise } from '../base/promise.js';
import { ALL, argumentsOf, optionsOf, resumingOf, savedOf } from './table.js';

/** @import { AllVerbs } from '../kinds/types.js' */
/** @import { Link } from '../workers/link.js' */

/**
 * Returns whether the argument is a list of inputs. A list of token ids is a single text, and a list of notes is a single piece of music.
 *
 * @param {unknown} what
 * @returns {what is unknown[]}
 */
function isList(what) {
  const [first] = Array.isArray(what) ? what : [];
  return first !== undefined && typeof first !== 'number' && !(typeof first === 'object' && first !== null && 'pitch' in first);
}

/**
 * Calls a verb. When the worker ends, the returned run ends (or the returned promise rejects), even if it is waiting for something else.
 * The verb receives a separate signal for reading its inputs. This signal is aborted when the given signal is aborted, when the run ends,
 * or when the worker ends.
 *
 * @param {(options: object) => any} verb  returns a run, or the promise of a result
 * @param {{ signal?: AbortSignal }} options
 * @param {Link[]} links
 */
function ending(verb, options, [{ closing }]) {
  const { signal } = options;
  const reading = new AbortController();
  const stop = (/** @type {unknown} */ reason) => reading.abort(reason);
  if (signal?.aborted) stop(signal.reason);
  const asked = verb({ ...options, signal: reading.signal });
  if (!isPromise(asked)) return asked.obey(signal, closing, stop);
  const answer = abortable(asked, signal, closing);
  answer.catch(stop);
  return answer;
}

class Verbs {
  get tokenizer() {
    const { kind } = engineOf(/** @type {any} */ (this));
    if (!('tokenizer' in kind)) throw argumentError('This model has no tokens');
    return kind.tokenizer;
  }

  /** @param {unknown} saved @param {any} [options] */
  resume(saved, options = {}) {
    const { kind, info, links } = engineOf(/** @type {any} */ (this));
    if (!kind.resume) throw argumentError('This model draws nothing that could be saved');
    checkOptions(options, 'resume()', resumingOf(info.kind));
    return ending(
      (own) => {
        const run = kind.resume(saved, own);
        // The saved options are checked after kind.resume(), which rejects runs of other models. Such runs may have other options.
        checkOptions(/** @type {any} */ (saved).options, 'A saved run', savedOf(info.kind));
        return run;
      },
      options,
      links,
    );
  }
}

for (const [name, { draws }] of ALL) {
  /** @this {any} @param {any[]} given */
  const method = function (...given) {
    const { kind, verbs, info, links } = engineOf(this);
    if (!verbs.includes(name)) {
      const able = ALL.filter(([other]) => verbs.includes(other));
      const shown = able.filter(([, { attributes }]) => attributes);
      throw argumentError(
        `This model has no ${name}(): use ${(shown.length > 0 ? shown : able).map(([other]) => `${other}()`).join(' or ')}`,
      );
    }
    const before = argumentsOf(name, info.kind);
    const { [before]: options = {} } = given;
    checkOptions(options, `${name}()`, optionsOf(name, info.kind));
    if (name === 'score' && isList(given[0]))
      return part(() => import('./score-all.js')).then(({ scoreAll }) =>
        scoreAll((input, own) => ending((all) => kind.score(input, all), own, links), links.length, given[0], options),
      );
    const inputs = Array.from({ length: before }, (_, i) => given[i]);
    return ending((own) => kind[name](...inputs, own), options, links);
  };
  /** @this {any} @param {any[]} given */
  const promising = async function (...given) {
    return method.apply(this, given);
  };
  Object.defineProperty(Verbs.prototype, name, { value: draws ? method : promising, writable: true, configurable: true });
}

/**
 * For every kind, score() also takes a list of inputs: see of-kind.js.
 * @typedef {{ score(inputs: any[], options?: Record<string, any>): Promise<any[]> }} ScoresAnyLists
 */

/** The class that a model extends. @type {new () => AllVerbs & ScoresAnyLists} */
export const Methods = /** @type {any} */ (Verbs);
