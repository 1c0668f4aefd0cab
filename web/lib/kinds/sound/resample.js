// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Samples at another rate, chunk by chunk as if they were one: each is a sum of those around its place in time, weighted by a sinc under a
 * Hann window, so that nothing above half of the lower rate is left.
 */

/** Zeros of the sinc on each side. */
const REACH = 16;

export class Resampler {
  #ratio;
  #cut;
  #half;
  /** The last samples, the first of which is number `#first` of all. */
  #kept = new Float32Array(0);
  #first = 0;
  #given = 0;
  #made = 0;

  /**
   * @param {number} from  samples a second that come
   * @param {number} to    that are wanted
   */
  constructor(from, to) {
    this.#ratio = from / to;
    this.#cut = Math.min(1, to / from);
    this.#half = Math.ceil(REACH / this.#cut);
  }

  /** @param {Float32Array} samples  @returns {Float32Array<ArrayBuffer>} what can be said so far */
  push(samples) {
    if (this.#ratio === 1) return samples.slice();
    this.#given += samples.length;
    this.#keep(samples);
    return this.#upTo(Math.max(0, Math.floor((this.#given - this.#half) / this.#ratio)));
  }

  /** The last samples, once all have come. @returns {Float32Array<ArrayBuffer>} */
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
    for (let i = 0; i < out.length; i++) {
      const at = (this.#made + i) * this.#ratio;
      const from = Math.max(this.#first, Math.ceil(at - this.#half));
      const to = Math.min(this.#given - 1, Math.floor(at + this.#half));
      let sum = 0;
      for (let k = from; k <= to; k++) sum += this.#kept[k - this.#first] * this.#weight(k - at);
      out[i] = sum;
    }
    this.#made += out.length;
    return out;
  }

  /** @param {number} t  in samples that come, at most `#half` from the middle */
  #weight(t) {
    const x = this.#cut * t;
    const turns = Math.round(x);
    const sine = sineOfPi(x - turns) * (turns % 2 ? -1 : 1);
    const edge = sineOfPi(t / (2 * this.#half)); // the window is the square of the cosine
    return this.#cut * (1 - edge * edge) * (Math.abs(x) < 1e-9 ? 1 : sine / (Math.PI * x));
  }
}

/** The factors of the odd powers of x in sin(pi x), the highest first: pi^n / n!, with signs in turn. What is left out is below 1e-13. */
const FACTORS = new Float64Array(9);
for (let i = 0, factor = Math.PI; i < FACTORS.length; factor *= -(Math.PI * Math.PI) / ((2 * i + 2) * (2 * i + 3)), i++) FACTORS[FACTORS.length - 1 - i] = factor;

/**
 * sin(pi x) of sums and products alone, which have the same bits in every engine; those of Math.sin differ.
 *
 * @param {number} x  -0.5 to 0.5
 */
function sineOfPi(x) {
  const square = x * x;
  let sum = 0;
  for (let i = 0; i < FACTORS.length; i++) sum = sum * square + FACTORS[i];
  return sum * x;
}

/**
 * @param {Float32Array} samples
 * @param {number} from
 * @param {number} to
 * @returns {Float32Array<ArrayBuffer>}
 */
export function resample(samples, from, to) {
  const resampler = new Resampler(from, to);
  const [begin, end] = [resampler.push(samples), resampler.end()];
  const all = new Float32Array(begin.length + end.length);
  all.set(begin);
  all.set(end, begin.length);
  return all;
}
