// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Resamples a sound in chunks, with the same result as in one call. Each new sample is a weighted sum of the samples around its time. The
 * weights are a sinc under a Hann window; they remove frequencies above half of the lower rate.
 */

import { sineOfPi } from '../base/elementary.js';

/** Number of zero crossings of the sinc on each side. */
const REACH = 16;
/**
 * Maximum number of cached weights. The weights depend only on the offset of the output sample from the input sample before it. With two
 * integer rates, there are usually only a few offsets.
 */
const MOST_WEIGHTS = 1 << 20;

export class Resampler {
  #ratio;
  #cut;
  #half;
  /** The rates divided by their greatest common divisor; 0 if the weights are not cached. */
  #from = 0;
  #to = 0;
  /** Maps each offset between two samples, in units of 1 / `#to`, to its set of weights. @type {Map<number, Float64Array>} */
  #weights = new Map();
  /** The last input samples; `#first` is the index of the first of these samples. */
  #kept = new Float32Array(0);
  #first = 0;
  #given = 0;
  #made = 0;

  /**
   * @param {number} from  sample rate of the input
   * @param {number} to    sample rate of the output
   */
  constructor(from, to) {
    this.#ratio = from / to;
    this.#cut = Math.min(1, to / from);
    this.#half = Math.ceil(REACH / this.#cut);
    if (Number.isInteger(from) && Number.isInteger(to)) {
      const common = divisor(from, to);
      if ((to / common) * (2 * this.#half + 1) <= MOST_WEIGHTS) [this.#from, this.#to] = [from / common, to / common];
    }
  }

  /** @param {Float32Array} samples  @returns {Float32Array<ArrayBuffer>} the output samples that the input so far determines */
  push(samples) {
    if (this.#ratio === 1) return samples.slice();
    this.#given += samples.length;
    this.#keep(samples);
    return this.#upTo(Math.max(0, Math.floor((this.#given - this.#half) / this.#ratio)));
  }

  /** Returns the last samples, once the input is complete. @returns {Float32Array<ArrayBuffer>} */
  end() {
    if (this.#ratio === 1) return new Float32Array(0);
    return this.#upTo(Math.round(this.#given / this.#ratio));
  }

  /** @param {Float32Array} samples */
  #keep(samples) {
    const from = Math.max(this.#first, Math.floor(this.#made * this.#ratio) - this.#half);
    const kept = this.#kept.subarray(Math.min(this.#kept.length, from - this.#first));
    const all = new Float32Array(kept.length + samples.length);
    all.set(kept);
    all.set(samples, kept.length);
    this.#first = this.#given - all.length;
    this.#kept = all;
  }

  /** @param {number} end */
  #upTo(end) {
    const out = new Float32Array(Math.max(0, end - this.#made));
    const last = this.#given - 1;
    for (let i = 0; i < out.length; i++) {
      const place = this.#made + i;
      const between = this.#to > 0 ? (place * this.#from) % this.#to : 0;
      const before = this.#to > 0 ? (place * this.#from - between) / this.#to : Math.floor(place * this.#ratio);
      const weights = this.#to > 0 ? this.#weightsAt(between) : this.#weightsOf(place * this.#ratio - before);
      const from = Math.max(this.#first, before - this.#half);
      const to = Math.min(last, before + this.#half);
      let sum = 0;
      for (let k = from; k <= to; k++) sum += this.#kept[k - this.#first] * weights[k - before + this.#half];
      out[i] = sum;
    }
    this.#made += out.length;
    return out;
  }

  /** @param {number} between */
  #weightsAt(between) {
    let weights = this.#weights.get(between);
    if (!weights) this.#weights.set(between, (weights = this.#weightsOf(between / this.#to)));
    return weights;
  }

  /** Returns the weights of the samples around a time, which is `behind` samples after the middle sample. @param {number} behind  0 to 1 */
  #weightsOf(behind) {
    return Float64Array.from({ length: 2 * this.#half + 1 }, (_, i) => {
      const t = i - this.#half - behind;
      return Math.abs(t) > this.#half ? 0 : this.#weight(t);
    });
  }

  /** @param {number} t  distance from the middle in input samples, at most `#half` */
  #weight(t) {
    const x = this.#cut * t;
    const turns = Math.round(x);
    const sine = sineOfPi(x - turns) * (turns % 2 ? -1 : 1);
    const edge = sineOfPi(t / (2 * this.#half)); // the window is the square of a cosine
    return this.#cut * (1 - edge * edge) * (Math.abs(x) < 1e-9 ? 1 : sine / (Math.PI * x));
  }
}

/** Returns the greatest common divisor. @param {number} a @param {number} b @returns {number} */
const divisor = (a, b) => (b === 0 ? a : divisor(b, a % b));
