// SPDX-License-Identifier: MIT
// @ts-check

import { copyOf } from '../../base/copy.js';
import { checkOptions } from '../../base/checks.js';
import { NextPixelError } from '../../base/error.js';
import { isPromise } from '../../base/promise.js';
import { BaseRun } from '../../runs/base-run.js';
import { NOWHERE, PictureSink } from '../../sinks/picture.js';

/** @import { Codec } from '../../media/codec.js' */
/** @import { Link } from '../../workers/link.js' */
/** @import { Drawing } from './pictures.js' */
/** @import { Inputs, StepMessage } from '../../engine/protocol.js' */
/** @import { AttentionMap } from '../../runs/attention-map.js' */
/** @import { Canvas } from '../../sinks/canvas.js' */
/** @import { PictureSinkOptions } from '../../sinks/picture.js' */
/** @import { Picture } from '../../sinks/pixels.js' */

/**
 * One or more elements of a sample, in the order in which they were drawn. An element is one channel of one pixel: a pixel of a grey image
 * has 1 element, and a pixel of a colour image has 3 elements, even if the model has a palette. Elements are counted in generation order:
 * row by row, pixel by pixel, and channel by channel. If the model draws blocks, `model.order` has the position of each element.
 *
 * @typedef {object} PictureStep
 * @property {number} sample       index of the sample, from 0
 * @property {number} from         index of the first element
 * @property {number} to           index after the last element
 * @property {Uint8Array} values   shape (to - from): 8-bit values
 * @property {Float32Array} nats   shape (to - from): -log p of each value, given all values before it, under the model's own distribution
 *   (temperature 1, no filter). The red element of a palette colour has the whole cost of the colour, and its green and blue elements have
 *   0
 * @property {Uint8Array} ahead    shape (to - from): with speculative decoding, the number of correct drafts that precede this element in
 *   the same pass of the model, 0 for the first element of a pass. Without speculative decoding, all values are 0
 * @property {boolean} [anew]      with the option `resample`: true if samples were dropped or reordered. In this case, one step per sample
 *   repeats all elements drawn so far. These elements replace the earlier ones; the step has no maps
 * @property {Float32Array} [probabilities]  with the option `probabilities`: for each id, the model's own distribution before the id was
 *   drawn, shape (ids of the step, values). An id is a level of a channel or a colour of the palette, so `values` equals `info.levels`
 * @property {AttentionMap[]} [maps]   with the option `maps`: one attention map for each attention head, for this position
 */

/**
 * A saved run, from run.save(): a plain object, which can be stored as JSON and passed to model.resume().
 *
 * @typedef {object} SavedPicture
 * @property {1} version
 * @property {string} model      identifies the model that the run belongs to
 * @property {string} seed
 * @property {number[]} known    the given ids
 * @property {number[]} [input]  for super-resolution, the small picture
 * @property {number[][]} ids    drawn ids, by sample
 * @property {object[]} steps    the steps that have been computed but not emitted
 * @property {object} options    the options of the call, without seed and signal
 */

/**
 * The beginning of a run. known: the ids before the first drawn id; ids, steps: the saved state of a resumed run; input: the small picture,
 * for super-resolution.
 *
 * @typedef {{ known: Uint32Array, ids?: number[][], steps?: any[], inputs: Inputs, input?: Uint8Array }} Given
 */

/**
 * A run that draws pictures. It can be read as an async iterable of steps or as pictures, and it can be drawn to a canvas. All of this can
 * be done in any order or at the same time.
 *
 * Steps are computed on demand: the worker computes only while a step is awaited. The run stops when the loop that reads it exits, when the
 * signal is aborted, or when `model.close()` is called. It stops after the current chunk of about 10 ms, and its memory is then freed.
 *
 * @extends {BaseRun<PictureStep, Picture[]>}
 */
export class PictureRun extends BaseRun {
  #links;
  #codec;
  /** Undefined while a large input picture is being read. @type {Given | undefined} */
  #given;
  /** The drawn ids, by sample. @type {number[][]} */
  #ids = [];
  /** Steps that contain drawn ids and have not been emitted yet. @type {PictureStep[]} */
  #pending = [];
  #drawing;

  /** The given elements, once they have been read. @internal */
  known = /** @type {Uint8Array} */ (new Uint8Array(0));

  /**
   * For a resumed run, the elements of each sample that were drawn before the run was saved; they follow the given elements.
   * @type {Uint8Array[]}
   * @internal
   */
  drawn = [];

  /** The small picture from which super-resolution starts, once the picture has been read. @type {Uint8Array | undefined} @internal */
  small;

  /**
   * The input as the model receives it. For complete(), these are the given elements, rounded to the model's levels or to its palette; the
   * given elements are the first in generation order. For superResolve(), this is the small picture, 8-bit values of shape (inputHeight,
   * inputWidth, channels). For other runs, the input is empty. Rejects if the input cannot be read, or if the run ends first.
   *
   * @returns {Promise<Uint8Array>}
   */
  get input() {
    return this.once(() => (this.small ?? this.known).slice());
  }

  /**
   * @param {Link[]} links  the connections to the workers that share the samples
   * @param {Codec} codec
   * @param {Given | Promise<Given>} given
   * @param {Drawing} drawing
   * @param {{ model: string, options: object }} kept
   * @param {AbortSignal} [signal]
   * @internal
   */
  constructor(links, codec, given, drawing, kept, signal) {
    super(drawing.seed, kept, signal);
    this.#links = links;
    this.#codec = codec;
    this.#drawing = drawing;
    this.drawn = Array.from({ length: drawing.settings.samples }, () => this.known);
    if (isPromise(given)) this.expect(given.then((read) => this.#begin(read)));
    else this.#begin(given);
  }

  /** @param {Given} given */
  #begin(given) {
    const { known, ids = Array.from({ length: this.#drawing.settings.samples }, () => []), steps = [], input } = given;
    const codec = this.#codec;
    this.#given = given;
    this.#ids = ids.map((all) => [...all]);
    this.#pending = copyOf(steps); // copied now; stream() restores the types of steps that come from JSON
    this.known = codec.decode(known);
    this.drawn = ids.map((all, i) => {
      // `from`: index of the first element that was not emitted
      const { from = codec.elements } = steps.find(({ sample, anew }) => sample === i && !anew) ?? {};
      return codec.decode(Uint32Array.from(all)).subarray(0, from - (known.length * codec.positionElements) / codec.positionIds);
    });
    this.small = input;
  }

  /**
   * Shows the known part immediately and the rest as it is drawn, with at most one paint per animation frame. Sets the size of the canvas
   * to the size of the model's pictures. To show the canvas larger, scale it with CSS (`image-rendering: pixelated`). The known part is
   * shown as the model receives it, rounded to the model's levels or to its palette. If the run stops early, the canvas keeps the drawn
   * part.
   *
   * @param {Canvas | Canvas[]} target  one canvas that shows all samples side by side, or one canvas for each sample
   * @param {{ signal?: AbortSignal }} [options]
   * @returns {Promise<Picture[]>} the finished images, one for each sample
   */
  async drawTo(target, options = {}) {
    return this.show(target, options);
  }

  /**
   * Draws the pictures without showing them, for example in Node.
   *
   * @param {{ signal?: AbortSignal }} [options]
   * @returns {Promise<Picture[]>} the finished images, one for each sample
   */
  async pictures(options = {}) {
    checkOptions(options, 'pictures()', ['signal']);
    return this.show(NOWHERE, options);
  }

  /** The same as pictures(). @param {{ signal?: AbortSignal }} [options] @returns {Promise<Picture[]>} */
  async result(options = {}) {
    return this.pictures(options);
  }

  /**
   * Returns everything that is needed to resume the run: model.resume(saved) draws the same elements as this run would have drawn.
   *
   * @returns {SavedPicture}
   */
  save() {
    if (!this.#given) throw new NextPixelError('state', 'The picture has not been read yet: save the run after its first step');
    const { known, input } = this.#given;
    return this.saved({
      known: [...known],
      ...(input && { input: [...input] }),
      ids: this.#ids,
      steps: this.#pending,
    });
  }

  /**
   * Shows the run, with its known pixels, on a canvas.
   *
   * @param {Canvas | Canvas[]} target
   * @param {PictureSinkOptions} [options]
   * @internal
   */
  sink(target, options) {
    const sink = new PictureSink(target, this.#codec, this.known, { samples: this.drawn.length, ...options });
    sink.result.forEach((_, sample) => {
      const values = this.drawn[sample];
      if (values.length > 0) sink.add({ sample, from: this.known.length, values });
    });
    return sink;
  }

  /** Returns the fraction of the run that is complete after a step, 0 to 1. @param {PictureStep} step @internal */
  doneWith({ to }) {
    return (to - this.known.length) / (this.#codec.elements - this.known.length);
  }

  /** @returns {AsyncGenerator<PictureStep, void, void>} @internal */
  async *stream() {
    const { settings, resample, maps, questions, probabilities, chunkSize } = this.#drawing;
    const { known, inputs } = /** @type {Given} */ (this.#given);
    const { positionElements, positionIds, info } = this.#codec;
    const pending = this.#pending;
    const { mapAt, stepFrom } = maps || pending.length > 0 ? await questions() : {};
    const parts = share(this.#ids, this.#links.length, resample?.group ?? 1).map(({ first, samples }, i) => {
      const drawn = together(this.#ids.slice(first, first + samples), positionIds);
      const over = known.length + this.#ids[first].length === info.positions * positionIds;
      const order = over ? undefined : { known, drawn, inputs, settings: { ...settings, first, samples }, maps, probabilities, resample };
      return { link: this.#links[i % this.#links.length], first, samples, order };
    });
    while (stepFrom && pending.length > 0) yield stepFrom(pending.shift());
    for await (const {
      message,
      part: { first, samples },
      check,
    } of this.messages(parts, Math.ceil(chunkSize / positionElements))) {
      const { settled, ...drawn } = message;
      for (const some of settled ? [drawn, { ...drawn, ...settled, maps: undefined, probabilities: undefined }] : [drawn]) {
        for (let sample = 0; sample < samples; sample++) {
          const ids = partOf(some.ids, sample, samples, positionIds);
          const all = this.#ids[first + sample];
          all.length = some.from * positionIds - known.length;
          for (const id of ids) all.push(id);
          pending.push(stepOf(this.#codec, some, ids, sample, first, samples, mapAt));
        }
      }
      for (; pending.length > 0; check()) yield/** @type {PictureStep} */ (pending.shift());
    }
  }
}

/**
 * Divides the samples into shares, one for each request to a worker. A share consists of consecutive samples in whole groups, and the
 * shares are as equal as possible. All samples of a share have the same number of ids.
 *
 * @param {number[][]} ids  ids, by sample
 * @param {number} workers
 * @param {number} group
 */
function share(ids, workers, group) {
  const groups = ids.length / group;
  const count = Math.min(groups, workers);
  const even = Array.from({ length: count }, (_, i) => group * Math.floor((i * groups) / count));
  const starts = [...ids.keys()].filter((i) => even.includes(i) || (i % group === 0 && ids[i].length !== ids[i - 1].length));
  return starts.map((first, i) => ({ first, samples: (starts[i + 1] ?? ids.length) - first }));
}

/**
 * Arranges the ids of samples in the engine's order, position by position.
 *
 * @param {number[][]} all  ids of each sample; all samples have the same number of ids
 * @param {number} width    number of ids per position
 */
function together(all, width) {
  const row = width * all.length;
  return Uint32Array.from(
    { length: all.length * all[0].length },
    (_, i) => all[Math.floor(i / width) % all.length][Math.floor(i / row) * width + (i % width)],
  );
}

/**
 * @param {Codec} codec
 * @param {Omit<StepMessage, 'settled'> & { anew?: boolean }} message  a message from one worker
 * @param {Uint32Array} ids      ids of the sample
 * @param {number} sample        index of the sample among the worker's samples
 * @param {number} first         index of the worker's first sample in the whole run
 * @param {number} samples       number of the worker's samples
 * @param {typeof import('./questions.js').mapAt} [mapAt]  needed if there are maps
 * @returns {PictureStep}
 */
function stepOf(codec, { from, to, nats, ahead, anew, maps, probabilities }, ids, sample, first, samples, mapAt) {
  return {
    sample: first + sample,
    from: from * codec.positionElements,
    to: to * codec.positionElements,
    values: codec.decode(ids),
    nats: codec.elementNats(partOf(nats, sample, samples, codec.positionIds)),
    ahead: codec.spread(ahead),
    ...(anew && { anew }),
    ...(probabilities && { probabilities: partOf(probabilities, sample, samples, codec.positionIds * codec.info.levels) }),
    ...(maps && mapAt && { maps: maps[sample].map((row) => mapAt(codec, row, from)) }),
  };
}

/**
 * Returns the values of one sample.
 *
 * @template {Uint32Array | Float32Array} T
 * @param {T} all  shape (positions, samples, width)
 * @param {number} sample
 * @param {number} samples
 * @param {number} width
 * @returns {T} shape (positions, width)
 */
function partOf(all, sample, samples, width) {
  if (samples === 1) return all;
  const at = (/** @type {any} */ _, /** @type {number} */ i) => all[(Math.floor(i / width) * samples + sample) * width + (i % width)];
  return /** @type {T} */ (all.subarray(0, all.length / samples).map(at));
}
