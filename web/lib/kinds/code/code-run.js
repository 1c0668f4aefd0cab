// SPDX-License-Identifier: MIT
// @ts-check

import { FlowRun } from '../../runs/flow-run.js';
import { NextPixelError } from '../../base/error.js';
import { AudibleRun } from '../sound/audible-run.js';

/** @import { Heard } from '../sound/heard.js' */
/** @import { SavedFlow } from '../../runs/flow-run.js' */

/**
 * A step of one part of the model: codes of a level that were drawn, or samples that were made of them.
 *
 * @typedef {object} CodeStep
 * @property {'top' | 'bottom' | 'sound'} level
 * @property {number} from   the first code or sample
 * @property {number} to     one past the last
 * @property {Uint32Array} codes    of a level (to - from), else none
 * @property {Float32Array} nats    (to - from) -log p of each code, given all before it, under the model's own distribution; 0 of what was given or drawn before; of samples none
 * @property {Float32Array} samples (to - from) of the sound, else none
 */

/** @typedef {SavedFlow & { most: number }} SavedCode */

/** The beginning of a run. @typedef {{ most: number, heard?: Heard, drawn?: SavedFlow }} Begun */

const NONE = { codes: new Uint32Array(0), nats: new Float32Array(0), samples: new Float32Array(0) };

/**
 * One run of a model of sounds by codes: an async iterable of steps, samples, a file, a waveform on a canvas, or heard. All of these may be asked for, one
 * after another or at the same time: what was drawn is kept. A sound that complete() goes on with is heard through its codes.
 *
 * @extends {AudibleRun<CodeStep>}
 */
export class CodeRun extends AudibleRun {
  #begun;
  #make;
  /** @type {FlowRun<any> | undefined} */
  #flow;

  /** The sound that complete() goes on with, as the model hears it, once it is read. It rejects where it cannot be.
   * @type {Promise<Heard | undefined>} */
  heard;

  /**
   * @param {number} sampleRate
   * @param {Promise<Begun>} begun
   * @param {(begun: Begun) => FlowRun<any>} make
   * @param {{ seed: number | bigint, hop: number }} how  hop: samples of a code of the bottom level
   * @param {AbortSignal} [signal]
   * @internal
   */
  constructor(sampleRate, begun, make, { seed, hop }, signal) {
    super(sampleRate, seed, undefined, signal);
    this.#begun = begun;
    this.#make = make;
    this.hop = hop;
    this.heard = begun.then(({ heard }) => heard);
    this.heard.catch(() => {}); // whoever reads the run hears of it
  }

  /**
   * All that is needed to go on from here: model.resume(saved) draws what this run would have. Of complete(), once `heard` is there.
   *
   * @returns {SavedCode}
   */
  save() {
    if (!this.#flow) throw new NextPixelError('state', 'Nothing of the run is drawn yet: read a step of it first');
    return { ...this.#flow.save(), most: this.most };
  }

  /** The share of what is to be drawn that is there with a step, 0 to 1. @param {CodeStep} step @override @internal */
  doneWith({ level, to }) {
    return this.finish ? 1 : level === 'sound' ? Math.min(1, to / this.most) : 0;
  }

  /** @returns {AsyncGenerator<CodeStep, void, void>} @internal */
  async *stream() {
    const begun = await this.#begun;
    this.most = begun.most;
    this.#flow = this.#make(begun);
    const { drawn } = begun;
    for (const level of /** @type {const} */ (['top', 'bottom'])) { // what was drawn before comes first
      const codes = Uint32Array.from(drawn?.ids[0]?.[level] ?? []);
      if (codes.length > 0) yield { ...NONE, level, from: 0, to: codes.length, codes, nats: new Float32Array(codes.length) };
    }
    for await (const { part, from, to, ids, nats, results } of this.#flow.read(...this.signals)) {
      if (ids) yield { ...NONE, level: /** @type {'top' | 'bottom'} */ (part), from, to, codes: ids, nats: nats ?? NONE.nats };
      else if (results) yield { ...NONE, level: 'sound', from: from * this.hop, to: to * this.hop, samples: /** @type {Float32Array} */ (results.sound) };
    }
  }
}
