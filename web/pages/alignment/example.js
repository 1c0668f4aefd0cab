// SPDX-License-Identifier: MIT
// Translates the visitor's sentence a second time with networks that are written in JavaScript and return every intermediate vector.
// @ts-check
import { fileBytes } from '../../shell/model/gguf.js';
import { fault, weights } from '../../shell/index.js';
import { networkOf } from './network.js';
/** @import { Model, TranslationStep } from '../../shell/index.js' */
/** @import { Network, Read, Step } from './network.js' */

/** The networks that choose the words of their translation themselves. */
export const WRITERS = /** @type {const} */ (['general', 'additive']);
/** The networks that are forced to generate the words of WRITERS[0], even if they would choose other words themselves. */
export const LOOKERS = /** @type {const} */ (['general', 'additive', 'local-p', 'location']);

/** @typedef {{ network: Network, source: Read, steps: Step[] }} Trace */
/**
 * @typedef {Trace & { ids: number[], words: string[], apart: number }} Written  apart: the largest difference between the engine's weights
 * and the weights that this file computes
 */
/**
 * @typedef {Object} Shown
 * @property {string[]} sentence  words of the sentence
 * @property {Record<string, Written>} writers
 * @property {Record<string, Trace>} lookers
 * @property {(id: number) => string} text returns the text of a token
 */

export function createExample() {
  /** @type {Map<string, Promise<Network>>} */
  const networks = new Map();
  /** @type {((shown: Shown) => void)[]} */
  const listeners = [];
  /** @type {((message: string) => void)[]} */
  const complaints = [];
  /** @type {{ models: Record<string, Model>, text: string } | undefined} */
  let wanted;
  let near = false;

  /** @param {string} kind */
  function network(kind) {
    const coming = networks.get(kind) ?? fileBytes(weights(`seq2seq-${kind}.gguf`)).then(networkOf);
    networks.set(kind, coming);
    coming.catch(() => networks.delete(kind));
    return coming;
  }

  /**
   * Translates with the engine, then computes the same translation in JavaScript from the values in the weight file. Returns the engine's
   * run and the computed steps.
   * @param {string} kind
   * @param {Model} model
   * @param {string} text
   */
  async function write(kind, model, text) {
    const run = model.translate(text, { maps: true });
    /** @type {TranslationStep[]} */
    const steps = [];
    for await (const step of run) steps.push(step);
    const own = await network(kind);
    const source = own.read(run.source);
    const ids = steps.map(({ token }) => token);
    const traced = own.write(source, ids);
    const apart = Math.max(
      0,
      ...traced.flatMap(({ weights: all }, t) => Array.from(all, (w, i) => Math.abs(w - (steps[t].maps?.[0].weights[i] ?? 0)))),
    );
    return { run, written: { network: own, source, ids, words: steps.map((step) => step.text), steps: traced, apart } };
  }

  async function make() {
    const now = wanted;
    if (!near || !now || now.text.trim() === '') return;
    const { models, text } = now;
    try {
      /** @type {Record<string, Written>} */
      const writers = {};
      /** @type {string[]} */
      let sentence = [];
      /** @type {Uint32Array} */
      let ids = new Uint32Array(0);
      for (const kind of WRITERS) {
        const { run, written } = await write(kind, models[kind], text);
        if (wanted !== now) return;
        writers[kind] = written;
        sentence = run.sourceTexts;
        ids = run.source;
      }
      /** @type {Record<string, Trace>} */
      const lookers = {};
      for (const kind of LOOKERS) {
        const own = await network(kind);
        const source = own.read(ids);
        lookers[kind] = { network: own, source, steps: own.write(source, writers[WRITERS[0]].ids) };
        await new Promise((resolve) => {
          setTimeout(resolve);
        }); // yields to the event loop after each network
        if (wanted !== now) return;
      }
      const { tokenizer } = models[WRITERS[0]];
      if (writers[WRITERS[0]].ids.length > 0)
        for (const listener of listeners) listener({ sentence, writers, lookers, text: (id) => tokenizer.decode([id]) });
    } catch (error) {
      if (wanted === now) for (const complain of complaints) complain(fault(error));
    }
  }

  return {
    /** @param {(shown: Shown) => void} onShown @param {(message: string) => void} onFault */
    on(onShown, onFault) {
      listeners.push(onShown);
      complaints.push(onFault);
    },
    /** Called when a figure that needs the example is about to scroll into view. */
    open() {
      if (near) return;
      near = true;
      make();
    },
    /** @param {Record<string, Model>} models models by kind of attention @param {string} text */
    take(models, text) {
      if (wanted?.text === text && wanted.models === models) return;
      wanted = { models, text };
      make();
    },
  };
}
/** @typedef {ReturnType<typeof createExample>} Example */
