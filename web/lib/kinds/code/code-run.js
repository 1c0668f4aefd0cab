// SPDX-License-Identifier: MIT
// @ts-check

import { FlowRun } from '../../runs/flow-run.js';
import { NextPixelError } from '../../base/error.js';
import { isPromise } from '../../base/promise.js';
import { AudibleRun } from '../../media/audible-run.js';

/** @import { Heard } from '../../media/heard.js' */
/** @import { SavedFlow } from '../../runs/flow-run.js' */

/**
 * A step of one part of the model: either drawn codes of a level, or samples decoded from codes.
 *
 * @typedef {object} CodeStep
 * @property {'top' | 'bottom' | 'sound'} level
 * @property {number} from   index of the first code or sample
 * @property {number} to     index after the last code or sample
 * @property {Uint32Array} codes    for a level: the drawn codes, shape (to - from); otherwise empty
 * @property {Float32Array} nats    shape (to - from): -log p of each code, given all codes before it, under the model's own distribution. 0
 *   for codes that were given, or drawn before the run was saved; empty for samples
 * @property {Float32Array} [probabilities]  with the option `probabilities`: the model's own distribution of each code before it was drawn,
 *   shape (to - from, values). There is one value for each code of the level, and one for the end
 * @property {Float32Array} samples for the sound: the decoded samples, shape (to - from); otherwise empty
 */

/** @typedef {Omit<SavedFlow, 'told'> & { most: number }} SavedCode */

/** The data with which a run begins. @typedef {{ most: number, heard?: Heard, drawn?: SavedFlow }} Begun */

const NONE = { codes: new Uint32Array(0), nats: new Float32Array(0), samples: new Float32Array(0) };

/**
 * One run of a model that draws sounds as codes. It can be read as an async iterable of steps, as samples or as a file; it can be drawn as
 * a waveform on a canvas; and it can be played. All of this can be done in any order or at the same time, because the drawn samples are
 * stored. A run of complete() begins with the given sound, decoded from its codes.
 *
 * @extends {AudibleRun<CodeStep>}
 */
export class CodeRun extends AudibleRun {
  #make;
  /** @type {FlowRun<any> | undefined} */
  #flow;
  /** The codes that were drawn before the run was saved, or the codes of the given sound. @type {SavedFlow | undefined} */
  #drawn;

  /** Resolves with the sound that complete() continues, once this sound has been read. The `samples` of the sound are at the model's sample
   * rate. For a resumed run, which has only the codes of the sound, the promise resolves with undefined. Rejects if the sound cannot be
   * read, or if the run ends first.
   * @returns {Promise<Heard | undefined>} */
  get input() {
    return this.once(() => this.#heard);
  }

  /** @type {Heard | undefined} */
  #heard;

  /**
   * @param {number} sampleRate
   * @param {Begun | Promise<Begun>} begun
   * @param {(begun: Begun) => FlowRun<any>} make
   * @param {{ seed: number | bigint, hop: number }} how  hop: samples per code of the bottom level
   * @param {AbortSignal} [signal]
   * @internal
   */
  constructor(sampleRate, begun, make, { seed, hop }, signal) {
    super(sampleRate, seed, undefined, signal);
    this.#make = make;
    this.hop = hop;
    if (isPromise(begun)) this.expect(begun.then((plan) => this.#begin(plan)));
    else this.#begin(begun);
  }

  /** @param {Begun} begun */
  #begin({ most, drawn, heard }) {
    this.most = most;
    this.#drawn = drawn;
    this.#heard = heard;
    this.#flow = this.#make({ most, drawn });
  }

  /**
   * Returns everything that is needed to resume the run: model.resume(saved) draws the same samples as this run would have drawn. For
   * complete(), this method can be called once `input` has resolved.
   *
   * @returns {SavedCode}
   */
  save() {
    if (!this.#flow) throw new NextPixelError('state', 'The sound to continue has not been read yet: await run.input first');
    const { told: _, ...saved } = this.#flow.save(); // the samples are not saved, because they can be decoded again
    return { ...saved, most: this.most };
  }

  /** Returns the fraction of the run that is complete after a step, 0 to 1. @param {CodeStep} step @override @internal */
  doneWith({ level, to }) {
    return this.finish ? 1 : level === 'sound' ? Math.min(1, to / this.most) : 0;
  }

  /** @returns {AsyncGenerator<CodeStep, void, void>} @internal */
  async *stream() {
    const flow = /** @type {FlowRun<any>} */ (this.#flow);
    const drawn = this.#drawn;
    for (const level of /** @type {const} */ (['top', 'bottom'])) {
      // the codes that were drawn before the run was saved come first
      const codes = Uint32Array.from(drawn?.ids[0]?.[level] ?? []);
      if (codes.length > 0) yield { ...NONE, level, from: 0, to: codes.length, codes, nats: new Float32Array(codes.length) };
    }
    flow.signals.push(...this.signals);
    let length = (drawn?.ids[0]?.bottom ?? []).length;
    for await (const { part, from, to, ids, nats, probabilities, results } of flow.computed()) {
      const level = /** @type {'top' | 'bottom'} */ (part);
      if (level === 'bottom') length = to;
      if (ids) yield { ...NONE, level, from, to, codes: ids, nats: nats ?? NONE.nats, ...(probabilities && { probabilities }) };
      else if (results)
        yield { ...NONE, level: 'sound', from: from * this.hop, to: to * this.hop, samples: /** @type {Float32Array} */ (results.sound) };
    }
    if (!this.stopped) this.finish = length * this.hop < this.most ? 'end' : 'length';
  }
}
