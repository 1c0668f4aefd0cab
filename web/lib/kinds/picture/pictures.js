// SPDX-License-Identifier: MIT
// @ts-check

/** The methods of picture models. The code of score() and attention() is in questions.js. */

import { modelName, resumedOptions } from '../../runs/base-run.js';
import { checkSaved, finite, arrayOf, numbersOf, object, optional, whole } from '../../runs/saved.js';
import { checkLabel, checkSettings, wholeNumber } from '../../base/checks.js';
import { part } from '../../base/part.js';
import { withValue } from '../../base/turns.js';
import { Codec } from '../../media/codec.js';
import { inputOf, pictureOf } from '../../media/image.js';
import { checkRows } from './rows.js';
import { PictureRun } from './picture-run.js';

/** @import { Label } from '../../base/checks.js' */
/** @import { Engine } from '../../model/engine.js' */
/** @import { AttentionMap } from '../../runs/attention-map.js' */
/** @import { ImageSource } from '../../media/image.js' */
/** @import { PictureOptions } from '../../options.js' */
/** @import { Inputs, AnyInfo, Resample, Settings } from '../../engine/protocol.js' */
/** @import { PictureScore } from './questions.js' */
/** @import { SavedPicture } from './picture-run.js' */

/**
 * The validated options for drawing.
 *
 * @typedef {{ settings: Settings, resample?: Resample, maps: boolean, probabilities: boolean, seed: number | bigint, chunkSize: number, questions: typeof questions }} Drawing
 *   seed: the given seed
 */

/**
 * @param {PictureOptions} given
 * @param {AnyInfo} info
 * @returns {Drawing & { label: number }}  label: index of the class, or -1
 */
function drawingOf(given, info) {
  const { settings, options, seed } = checkSettings('picture', given);
  const { label, resample, maps, probabilities, chunkSize = 0, resampleRows = Math.min(4, info.height) } = options;
  const { samples } = settings;
  wholeNumber('resample', resample, 0, samples);
  wholeNumber('resampleRows', resampleRows, 1, info.height);
  wholeNumber('samples / resample', samples / (resample || 1), 1, samples);
  return {
    settings,
    seed,
    maps,
    probabilities,
    chunkSize,
    resample: resample > 1 ? { group: resample, every: (resampleRows * info.positions) / info.height } : undefined,
    label: checkLabel(label, info),
    questions,
  };
}

/**
 * Returns the inputs for the engine, by name.
 *
 * @param {number} label        index of the class, or -1 for none
 * @param {Uint8Array} [image]  the small picture, for super-resolution
 * @returns {Inputs}
 * @internal
 */
export function inputsOf(label, image) {
  return { ...(label >= 0 && { class: Uint32Array.of(label) }), ...(image && { image: Uint32Array.from(image) }) };
}

const index = whole(-1, 2 ** 31 - 1);

const mapForm = object({
  name: (name) => typeof name === 'string',
  layer: index,
  head: index,
  queries: numbersOf(index, 1),
  keys: numbersOf(index),
  weights: numbersOf(finite),
});

/** Returns whether a value has the form of an attention map of a step. @param {any} map */
const isMap = (map) => mapForm(map) && Object.keys(map.keys).length === Object.keys(map.weights).length;

/**
 * Checks a computed step that has not been emitted.
 * @param {number} elements
 * @param {number} samples
 * @returns {import('../../runs/saved.js').Form}
 */
const stepForm = (elements, samples) => (step) => {
  const { from, to } = Object(step);
  const count = to - from;
  return (
    whole(0, elements)(from) &&
    whole(from, elements)(to) &&
    object({
      sample: whole(0, samples - 1),
      from: finite,
      to: finite,
      values: numbersOf(whole(0, 255), count),
      nats: numbersOf(finite, count),
      ahead: numbersOf(whole(0, 255), count),
      anew: optional((flag) => typeof flag === 'boolean'),
      probabilities: optional(numbersOf(finite)),
      maps: optional(arrayOf(isMap)),
    })(step)
  );
};

const questions = () => part(() => import('./questions.js'));

/**
 * The beginning of a run: ids, and the small picture for super-resolution.
 * @typedef {{ known?: Uint32Array, input?: Uint8Array }} Beginning
 */

/** The methods of a picture model. */
export class PictureModel {
  #engine;
  /** @internal */
  codec;

  /** @param {Engine} engine @internal */
  constructor(engine) {
    this.#engine = engine;
    this.codec = new Codec(engine.info);
  }

  /**
   * Starts a run that continues the given elements.
   *
   * @param {PictureOptions} options
   * @param {() => Beginning | Promise<Beginning>} read  reads the input, once the options are checked
   * @param {{ ids?: number[][], steps?: any[] }} [drawn]  the saved state of a resumed run
   */
  #run(options, read, { ids, steps } = {}) {
    const { links, info } = this.#engine;
    const { label, ...drawing } = drawingOf(options, info);
    const { seed, signal, ...kept } = options;
    const given = withValue(read(), ({ known = new Uint32Array(0), input }) => ({
      known,
      ids,
      steps,
      inputs: inputsOf(label, input),
      input,
    }));
    return new PictureRun(links, this.codec, given, drawing, { model: modelName(info), options: kept }, signal);
  }

  /**
   * Draws whole pictures, optionally of a given class.
   *
   * @param {PictureOptions} [options]
   * @returns {PictureRun}
   */
  generate(options = {}) {
    return this.#run(options, () => ({}));
  }

  /**
   * Draws the rest of a picture below its first rows.
   *
   * @param {ImageSource} image
   * @param {PictureOptions & { rows?: number }} [options]  rows: number of known rows, 0 to height; if the model draws blocks, a multiple
   *   of `info.blockRows`, or all rows. Default: half of the rows, or the closest possible number
   * @returns {PictureRun}
   */
  complete(image, options = {}) {
    const { info } = this.#engine;
    const rows = checkRows(options.rows, info);
    return this.#run(options, () =>
      withValue(pictureOf(image, info, options.signal), (picture) => ({
        known: this.codec.encode(picture, (rows * info.positions) / info.height),
      })),
    );
  }

  /**
   * Draws a large picture from a small one.
   *
   * @param {ImageSource} image  a picture of `info.inputWidth` x `info.inputHeight` pixels. A picture that is larger by the same whole
   *   factor in both directions is reduced to this size; each pixel is then the mean of a box of pixels. Any other canvas, ImageBitmap or
   *   <img> is scaled to this size
   * @param {PictureOptions} [options]
   * @returns {PictureRun}
   */
  superResolve(image, options = {}) {
    return this.#run(options, () => withValue(inputOf(image, this.#engine.info, options.signal), (input) => ({ input })));
  }

  /**
   * Resumes a saved run. The resumed run draws the pictures that the saved run would have drawn.
   *
   * @param {SavedPicture} saved  the result of run.save()
   * @param {Pick<PictureOptions, 'signal' | 'maps' | 'probabilities' | 'chunkSize'>} [given]  options that may differ from those of the
   *   saved run
   * @returns {PictureRun}
   */
  resume(saved, given = {}) {
    const { info } = this.#engine;
    const options = resumedOptions(saved, info, given, ['signal', 'maps', 'probabilities', 'chunkSize']);
    const { known, input } = saved;
    const { positionIds } = this.codec;
    const { samples = 1 } = options;
    const most = info.positions * positionIds;
    const small = info.inputWidth * info.inputHeight * info.channels;
    const list = arrayOf(whole(0, info.levels - 1), most);
    checkSaved(saved, {
      known: list,
      input: small ? arrayOf(whole(0, 255), small, small) : (value) => value === undefined,
      ids: arrayOf((all) => list(all) && known.length + all.length <= most && all.length % positionIds === 0, samples, samples),
      steps: arrayOf((step) => stepForm(this.codec.elements, samples)(step)),
    });
    return this.#run(options, () => ({ known: Uint32Array.from(known), input: input && Uint8Array.from(input) }), saved);
  }

  /**
   * Returns the probability of a picture under the model.
   *
   * @param {ImageSource} image
   * @param {{ label?: Label, input?: ImageSource, hiddenStates?: number[], signal?: AbortSignal }} [options]  input: for super-resolution,
   *   the small picture, as in superResolve(). Default: a reduced copy of the picture itself. hiddenStates: indices of the layers whose
   *   hidden states are returned; 0 is the embedding, and the last index is the number of blocks. Returning hidden states takes longer
   * @returns {Promise<PictureScore>}
   */
  async score(image, options = {}) {
    return (await questions()).score(this.#engine, this.codec, image, options);
  }

  /**
   * Returns the attention with which the model predicts the element at a row and column, given the elements before it. If a position is a
   * whole pixel, its channels share one query.
   *
   * @param {ImageSource} image
   * @param {{ row: number, column: number, channel?: number, label?: Label, input?: ImageSource, signal?: AbortSignal }} options  input: as in score()
   * @returns {Promise<AttentionMap[]>}
   */
  async attention(image, options) {
    return (await questions()).attention(this.#engine, this.codec, image, options);
  }
}
