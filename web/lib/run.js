// SPDX-License-Identifier: MIT
// @ts-check

import { argumentError } from './error.js';
import { checkOptions } from './checks.js';
import { showAll } from './sinks/canvas.js';
import { NOWHERE, PictureSink } from './sinks/picture.js';

/** @import { Codec } from './codecs/picture.js' */
/** @import { Link } from './link.js' */
/** @import { Inputs, MapRow, Resample, Settings, StepMessage } from './protocol.js' */
/** @import { Canvas } from './sinks/canvas.js' */
/** @import { PictureOptions } from './sinks/picture.js' */
/** @import { Picture } from './sinks/pixels.js' */

/**
 * Some elements of one sample, drawn one after the other. The elements of an image are its channels, whatever the model
 * is: 1 a pixel for a grey image, 3 for one in colour, a model with a palette included. They are counted in generation
 * order: rows, columns, channels within a pixel; where the model draws blocks, `model.order` says where each stands.
 *
 * @typedef {object} Step
 * @property {number} sample       which of the samples, from 0
 * @property {number} from         number of the first element
 * @property {number} to           one past the last
 * @property {Uint8Array} values   (to - from) 8-bit
 * @property {Float32Array} nats   (to - from) -log p of each value, given all before it, under the model's own
 *   distribution (temperature 1, no filter). A colour of a palette costs something as a whole: its red has it all, its
 *   green and blue have 0
 * @property {Uint8Array} ahead    (to - from) how many pixels or channels had been guessed, rightly, in the same pass of
 *   the model before this one: 0 begins a pass. All 0 without look-ahead
 * @property {boolean} [anew]      with the option `resample`: samples were given up, or changed places. All elements that were drawn come
 *   again, of each sample in turn, however many they are and without maps, and take the place of what it had
 * @property {LookedAt[]} [maps]   with the option `maps`: what the position looked at, a head of a layer at a time
 */

/**
 * The attention of one head of a layer when it predicted a position.
 *
 * @typedef {object} LookedAt
 * @property {string} name           'attention': what had been drawn; 'source': the small picture of super-resolution
 * @property {number} row            layer * heads + head
 * @property {Int32Array} elements   places in raster order, as in `model.order`, or -1: the start, which comes before the image. Of
 *   'source', pixels of the small picture
 * @property {Float32Array} weights  one for each of them; they add up to 1
 */

/**
 * One run of a model: an async iterable of steps, or drawn to a canvas. It can be read once.
 *
 * Streaming is pulled: the worker computes while a step is awaited, and not otherwise. Leaving the loop, the signal and
 * `model.close()` stop the run between two slices of about 10 ms and free its memory.
 *
 * @implements {AsyncIterable<Step>}
 */
export class Run {
  #links;
  #codec;
  #known;
  #inputs;
  #settings;
  #maps;
  #resample;
  #chunk;
  #signal;
  #claimed = false;

  /**
   * The seed, whether it was given or chosen at random: with it the same run can be made again.
   *
   * @type {number | bigint}
   */
  seed;

  /**
   * The elements that were given, the first ones in generation order, as the model sees them: rounded to its levels or
   * to its palette.
   *
   * @type {Uint8Array}
   */
  known;

  /**
   * Of super-resolution, the small picture that it starts from: (inputHeight, inputWidth, channels) 8-bit.
   *
   * @type {Uint8Array | undefined}
   */
  input;

  /**
   * @param {Link[]} links  to the workers that share the samples
   * @param {Codec} codec
   * @param {{ known: Uint32Array, inputs: Inputs, input?: Uint8Array }} given  known: the ids before the first drawn one
   * @param {{ settings: Settings, resample?: Resample, maps: boolean, seed: number | bigint, chunk: number }} checked
   * @param {AbortSignal} [signal]
   * @internal
   */
  constructor(links, codec, { known, inputs, input }, { settings, resample, maps, seed, chunk }, signal) {
    this.#links = links;
    this.#codec = codec;
    this.#known = known;
    this.#inputs = inputs;
    this.#settings = settings;
    this.#maps = maps;
    this.#resample = resample;
    this.#chunk = Math.ceil(chunk / codec.span);
    this.#signal = signal;
    this.seed = seed;
    this.known = codec.decode(known);
    this.input = input;
  }

  /** @returns {AsyncGenerator<Step, void, void>} */
  [Symbol.asyncIterator]() {
    return this.#steps();
  }

  /**
   * Draws the known part at once and the rest as it comes, at most one paint per animation frame. Sets the size of the
   * canvas to the model's; scale it with CSS (`image-rendering: pixelated`). The known part is shown as the model sees
   * it. If the run stops early, the canvas keeps what was drawn.
   *
   * @param {Canvas | Canvas[]} target  one canvas, where several samples stand side by side, or one for each sample
   * @param {{ signal?: AbortSignal }} [options]
   * @returns {Promise<Picture[]>} the finished images, one for each sample
   */
  async drawTo(target, options = {}) {
    return this.#draw(target, options);
  }

  /**
   * Draws without showing anything, as in Node.
   *
   * @param {{ signal?: AbortSignal }} [options]
   * @returns {Promise<Picture[]>} the finished images, one for each sample
   */
  async pictures(options = {}) {
    return this.#draw(NOWHERE, options);
  }

  /**
   * @param {Canvas | Canvas[]} target
   * @param {{ signal?: AbortSignal }} options
   */
  async #draw(target, options) {
    checkOptions(options);
    return showAll(this.#steps(options.signal), this.sink(target));
  }

  /**
   * Shows the run, with its known pixels, on a canvas.
   *
   * @param {Canvas | Canvas[]} target
   * @param {PictureOptions} [options]
   * @internal
   */
  sink(target, options) {
    return new PictureSink(target, this.#codec, this.known, { samples: this.#settings.samples, ...options });
  }

  /** How much of what is to be drawn there is with a step, 0 to 1. @param {Step} step @internal */
  doneWith({ to }) {
    return (to - this.known.length) / (this.#codec.elements - this.known.length);
  }

  /** @param {AbortSignal} [signal]  beside that of the run */
  #steps(signal) {
    if (this.#claimed) throw argumentError('A run can be read once: ask the model for another one');
    this.#claimed = true;
    return this.#stream(signal);
  }

  /**
   * @param {AbortSignal} [signal]
   * @returns {AsyncGenerator<Step, void, void>}
   */
  async *#stream(signal) {
    const parts = share(this.#settings.samples, this.#links.length, this.#resample?.group ?? 1)
      .map((part, i) => ({ ...part, job: this.#links[i].job(this.#signal, signal) }));
    const check = () => {
      for (const { job } of parts) job.check();
    };
    try {
      check();
      let open = this.known.length === this.#codec.elements ? [] : parts;
      for (const { job, first, samples } of open) {
        const settings = { ...this.#settings, first, samples };
        job.tell({ type: 'draw', known: this.#known, inputs: this.#inputs, settings, maps: this.#maps, resample: this.#resample });
      }
      while (open.length > 0) {
        /** @type {StepMessage[]} */
        const messages = await Promise.all(open.map(({ job }) => job.ask({ type: 'next', chunk: this.#chunk })));
        for (const [i, { first, samples }] of open.entries()) {
          for (let sample = 0; sample < samples; sample++) {
            check();
            yield stepOf(this.#codec, messages[i], sample, first, samples);
          }
        }
        open = open.filter((_, i) => !messages[i].last);
      }
      check();
    } finally {
      for (const { job } of parts) job.end();
    }
  }
}

/**
 * Neighbouring samples for each worker, whole groups of them, as evenly as can be.
 *
 * @param {number} samples
 * @param {number} workers
 * @param {number} group
 */
function share(samples, workers, group) {
  const groups = samples / group;
  const count = Math.min(groups, workers);
  const start = (/** @type {number} */ i) => group * Math.floor((i * groups) / count);
  return Array.from({ length: count }, (_, i) => ({ first: start(i), samples: start(i + 1) - start(i) }));
}

/**
 * @param {Codec} codec
 * @param {StepMessage} message  of one worker
 * @param {number} sample        which of its samples
 * @param {number} first         the first of them, in the whole run
 * @param {number} samples       how many it has
 * @returns {Step}
 */
function stepOf(codec, { from, to, ids, nats, ahead, anew, maps }, sample, first, samples) {
  return {
    sample: first + sample,
    from: from * codec.span,
    to: to * codec.span,
    values: codec.decode(samples === 1 ? ids : partOf(ids, sample, samples, codec.positionIds)),
    nats: codec.costs(samples === 1 ? nats : partOf(nats, sample, samples, codec.positionIds)),
    ahead: codec.spread(ahead),
    ...(anew && { anew }),
    ...(maps && { maps: maps[sample].map((row) => lookedAt(codec, row)) }),
  };
}

/**
 * A row of a map, its keys as places of the picture that is drawn, or of the small one that it is drawn from.
 *
 * @param {Codec} codec
 * @param {MapRow} row
 * @returns {LookedAt}
 */
function lookedAt(codec, { name, row, keys, weights }) {
  // Of attention the input is shifted by one: a key position holds what stands at the one before it. A source and a field name pixels.
  const place = (/** @type {number} */ key) => (name === 'source' || name === 'field' ? key : key > 0 ? codec.order[key - 1] : -1);
  return { name, row, elements: Int32Array.from(keys, place), weights };
}

/**
 * The numbers of one sample.
 *
 * @template {Uint32Array | Float32Array} T
 * @param {T} all  (positions, samples, width)
 * @param {number} sample
 * @param {number} samples
 * @param {number} width
 * @returns {T} (positions, width)
 */
function partOf(all, sample, samples, width) {
  const part = /** @type {T} */ (all.slice(0, all.length / samples));
  for (let i = 0; i < part.length; i++) {
    const position = Math.floor(i / width);
    part[i] = all[(position * samples + sample) * width + (i % width)];
  }
  return part;
}
