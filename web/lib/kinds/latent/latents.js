// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Models that draw a picture in one pass from a latent, which is a list of standard normal numbers. These models can also walk from one
 * latent to another.
 */

import { checkLabel, checkSettings, flag, show, wholeNumber } from '../../base/checks.js';
import { Codec } from '../../media/codec.js';
import { halfTurns, lengthOf, sineOfPi } from '../../base/elementary.js';
import { argumentError } from '../../base/error.js';
import { LatentRun } from './latent-run.js';

/** @import { Engine } from '../../model/engine.js' */
/** @import { Placed } from './latent-run.js' */
/** @import { LatentOptions } from '../../options.js' */
/** @import { Label } from '../../base/checks.js' */

/**
 * The engine reads each number of a latent as a 16-bit id. The id MIDDLE represents the number 0; adding STEP to the id adds 1 to the
 * number.
 */
const STEP = 8192;
const MIDDLE = 32768;

/** @param {ArrayLike<number>} latent */
const idsOf = (latent) => Uint32Array.from(latent, (z) => Math.min(Math.max(Math.round(MIDDLE + STEP * z), 0), 65535));
/** @param {Uint32Array} ids */
const latentOf = (ids) => Float32Array.from(ids, (id) => (id - MIDDLE) / STEP);

/**
 * The shapes of a path. Each function takes two latents and returns a function that maps t, from 0 to 1, to a point on the path.
 * @type {Record<string, (from: Float32Array, to: Float32Array) => (t: number) => Float32Array>}
 */
const SHAPES = {
  line: (from, to) => (t) => from.map((a, i) => (1 - t) * a + t * to[i]),
  /** Follows the great circle, so that all latents are about as far from zero as drawn latents. */
  sphere: (from, to) => {
    const lengths = (lengthOf(from) || 1) * (lengthOf(to) || 1);
    const angle = halfTurns(Math.min(1, Math.max(-1, from.reduce((sum, a, i) => sum + a * to[i], 0) / lengths)));
    const whole = sineOfPi(angle);
    if (whole < 1e-4) return SHAPES.line(from, to);
    return (t) => {
      const [before, behind] = [sineOfPi((1 - t) * angle) / whole, sineOfPi(t * angle) / whole];
      return from.map((a, i) => before * a + behind * to[i]);
    };
  },
  /** Follows the circle around zero that passes through both latents and their opposites. */
  circle: (from, to) => (t) => from.map((a, i) => sineOfPi(2 * t + 0.5) * a + sineOfPi(2 * t) * to[i]),
};

const MOST_STEPS = 4096;

/**
 * @typedef {object} WalkOptions
 * @property {number} [steps]  number of pictures, 2 to 4096, including both ends. Default 30
 * @property {'line' | 'sphere' | 'circle'} [shape]  'line': straight; 'sphere': along the great circle, so that all latents are about as
 *   far from zero as drawn latents; 'circle': a closed circle, which ends where it begins. Default 'sphere'
 * @property {Label} [label]   the class of all pictures. Default: the first class
 * @property {boolean} [maps]  whether to return the attention of each picture. Default false
 * @property {AbortSignal} [signal]
 */

/**
 * The description of a model that draws pictures in one pass, from a latent.
 *
 * @typedef {object} LatentInfo
 * @property {number} width         pixels
 * @property {number} height        pixels
 * @property {number} channels      1 (grey) or 3 (red, green, blue)
 * @property {number} levels        values per channel, 2 to 256
 * @property {Uint8Array | null} palette  shape (levels, 3): the colours that the model draws with; null: the model is not limited to a
 *   palette
 * @property {number} latent        number of values of a latent
 */

/** The methods of a model that draws pictures in one pass. */
export class LatentModel {
  #engine;
  /** @internal */
  codec;
  #length;

  /** @param {Engine} engine @internal */
  constructor(engine) {
    this.#engine = engine;
    const {
      inputs: [latent],
      results: [image],
    } = engine.part;
    this.#length = latent.dims[0];
    const { width, height } = engine.info;
    Object.assign(engine.info, { levels: image.values, palette: null, positions: 0, latent: this.#length });
    this.codec = new Codec({ ...engine.info, positions: width * height });
  }

  /**
   * Draws whole pictures in one pass, from a latent and a class.
   *
   * @param {LatentOptions} [given]
   * @returns {LatentRun}
   */
  generate(given = {}) {
    const { settings, options, seed } = checkSettings('latent', given);
    const { latent, label, maps } = options;
    const { samples } = settings;
    const one = checkLabel(label, this.#engine.info);
    const latents = latent === undefined ? [] : this.#latents(latent, samples);
    const orders = Array.from({ length: samples }, (_, sample) =>
      this.#order(sample, this.#class(one, sample), {
        latent: latents[latents.length === 1 ? 0 : sample],
        seed: settings.seed,
        sample,
      }),
    );
    return new LatentRun(this.#engine, this.codec, orders, { seed, maps, signal: given.signal, latentOf });
  }

  /**
   * Walks from one latent to another; each step is a picture.
   *
   * @param {number | bigint | ArrayLike<number>} from  a latent, or the seed for drawing one
   * @param {number | bigint | ArrayLike<number>} to
   * @param {WalkOptions} [given]
   * @returns {LatentRun}
   */
  walk(from, to, given = {}) {
    const { steps = 30, shape = 'sphere', label, maps = false, signal } = given;
    wholeNumber('steps', steps, 2, MOST_STEPS);
    if (typeof shape !== 'string' || !Object.hasOwn(SHAPES, shape))
      throw argumentError(`shape must be ${Object.keys(SHAPES).join(', ')}, not ${show(shape)}`);
    flag('maps', maps);
    const one = this.#class(checkLabel(label, this.#engine.info), 0);
    const ends = [from, to].map((end) =>
      typeof end === 'number' || typeof end === 'bigint' ? this.#drawn(end, signal) : this.#latents(end, 1)[0],
    );
    /** @type {((t: number) => Float32Array) | undefined} */
    let path;
    const orders = Array.from({ length: steps }, (_, i) => {
      const at = i / (shape === 'circle' ? steps : steps - 1);
      return async () => {
        if (!path) {
          const [a, b] = await Promise.all(ends.map((end) => (typeof end === 'function' ? end() : end)));
          path = SHAPES[shape](Float32Array.from(a), Float32Array.from(b));
        }
        return { ...(await this.#order(0, one, { latent: path(at), seed: 0n, sample: 0 })()), at };
      };
    });
    return new LatentRun(this.#engine, this.codec, orders, { seed: 0, maps, signal, latentOf, one: true });
  }

  /**
   * Returns the class of a sample. If no label is given, consecutive samples take the classes in turn.
   * @param {number} label
   * @param {number} sample
   */
  #class(label, sample) {
    return label >= 0 ? label : sample % Math.max(1, this.#engine.info.classes.length);
  }

  /**
   * @param {number} sample
   * @param {number} label
   * @param {{ latent?: ArrayLike<number>, seed: bigint, sample: number }} of
   * @returns {() => Promise<Placed>}
   */
  #order(sample, label, { latent, seed, sample: noise }) {
    return async () => ({
      sample,
      label,
      inputs: { class: Uint32Array.of(label), ...(latent && { latent: idsOf(latent) }) },
      settings: { seed, samples: 1, temperature: 1, topK: 0, topP: 1, first: noise },
    });
  }

  /**
   * Returns a function that draws a latent with a seed.
   *
   * @param {number | bigint} seed
   * @param {AbortSignal} [signal]
   */
  #drawn(seed, signal) {
    const { settings } = checkSettings('latent', { seed });
    return async () => {
      const { inputs, settings: how } = await this.#order(0, 0, { seed: settings.seed, sample: 0 })();
      const { results } = await this.#engine.ask(
        { type: 'encode', part: this.#engine.part.index, inputs, settings: how, results: ['latent'] },
        signal,
      );
      return latentOf(results.latent);
    };
  }

  /**
   * @param {any} given   one latent, or a list with one for each sample
   * @param {number} samples
   * @returns {ArrayLike<number>[]}
   */
  #latents(given, samples) {
    const list = typeof given === 'object' && given !== null && typeof given.length === 'number' ? given : undefined;
    const each = list && typeof list[0] === 'object' ? Array.from(list) : [list];
    if (each.length !== 1 && each.length !== samples)
      throw argumentError(`latent must be one latent, or a list of ${samples} (one per sample), not ${each.length}`);
    for (const one of each) {
      if (one?.length !== this.#length)
        throw argumentError(`A latent of this model has ${this.#length} numbers, not ${one ? one.length : show(given)}`);
      const wrong = Array.from(one).find((/** @type {unknown} */ z) => typeof z !== 'number' || !Number.isFinite(z));
      if (wrong !== undefined || Array.from(one).includes(undefined))
        throw argumentError(`A latent must contain numbers from about -3 to 3, not ${show(wrong)}`);
    }
    return each.map((one) => Array.from(one)); // copied, because the caller may change the original
  }
}
