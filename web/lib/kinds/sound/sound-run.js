// SPDX-License-Identifier: MIT
// @ts-check

import { aloud } from '../../runs/aloud.js';
import { savedRun } from '../../runs/base-run.js';
import { KeptRun } from '../../runs/kept-run.js';
import { oddsOf } from '../../runs/odds.js';
import { abortable } from '../../base/abort.js';
import { SHOWN, checkOptions } from '../../base/checks.js';
import { LEVELS, compress, expand } from './mu-law.js';
import { writeWav } from './wav.js';
import { NextPixelError } from '../../base/error.js';
import { play } from './play.js';
import { showAll } from '../../sinks/canvas.js';
import { Waveform } from './waveform.js';

/** @import { Saying } from '../../element/say.js' */
/** @import { Heard } from './hear.js' */
/** @import { Link } from '../../workers/link.js' */
/** @import { PlayOptions, Played } from './play.js' */
/** @import { Inputs, Settings, StepMessage } from '../../engine/protocol.js' */
/** @import { Canvas } from '../../sinks/canvas.js' */
/** @import { WaveformOptions } from './waveform.js' */

/**
 * Some samples of a sound, drawn one after the other.
 *
 * @typedef {object} SoundStep
 * @property {number} from           number of the first sample; those that were given count
 * @property {number} to             one past the last
 * @property {Float32Array} samples  (to - from) between -1 and 1
 * @property {Uint8Array} levels     (to - from) the same as the model has them, in mu-law
 * @property {Float32Array} nats     (to - from) -log p of each, given all before it, under the model's own distribution
 * @property {Float32Array} [odds]   with the option `odds`: (to - from, 257) the probability of each level, and of the end, before the sample
 *   was drawn
 */

/** The way in which a sound is drawn. @typedef {{ settings: Settings, seed: number | bigint, seconds: number, odds: boolean, chunk: number }} Sounding */

/**
 * A run as run.save() gives it: a plain object, which can be kept as JSON and read by model.resume().
 *
 * @typedef {object} SavedSound
 * @property {1} version
 * @property {string} model    which model it belongs to
 * @property {string} seed
 * @property {number[]} known  levels of the sound that it goes on with
 * @property {number[]} ids    levels of the samples that were drawn
 * @property {number[]} nats   of these
 * @property {object} options  as they were given to the verb, without seed and signal
 */

const VALUES = LEVELS + 1;

/**
 * One run of a model of sounds: an async iterable of steps, samples, a file, a waveform on a canvas, or heard. All of these may be asked for,
 * one after another or at the same time: what was drawn is kept.
 *
 * @extends {KeptRun<SoundStep>}
 */
export class SoundRun extends KeptRun {
  #inputs;
  #how;
  #kept;
  /** The levels that were given, once they are read. @type {Uint32Array | undefined} */
  #known;

  /** The seed, whether it was given or chosen at random. @type {number | bigint} */
  seed;

  /** Samples a second. @type {number} */
  rate;

  /**
   * The sound that complete() goes on with, as the model hears it, once it is read. It rejects where it cannot be.
   *
   * @type {Promise<Heard | undefined>}
   */
  heard;

  /** The longest that the sound can become, in samples, once what was given is read. */
  most = 0;

  /**
   * @param {Link} link
   * @param {number} rate
   * @param {Inputs} inputs
   * @param {Promise<Heard | undefined>} heard
   * @param {Sounding} how
   * @param {{ model: string, options: object }} kept  for save()
   * @param {AbortSignal} [signal]
   * @internal
   */
  constructor(link, rate, inputs, heard, how, kept, signal) {
    super(link, how.chunk, signal);
    this.#inputs = inputs;
    this.#how = how;
    this.#kept = kept;
    this.seed = how.seed;
    this.rate = rate;
    this.heard = heard;
    this.most = Math.round(how.seconds * rate);
    heard.then((sound) => { this.#known ??= compress(sound?.samples ?? []); }, () => {}); // what is wrong, those who read are told
  }

  /**
   * What was saved comes first, as one step, and the run goes on after it.
   *
   * @param {SavedSound} saved
   * @internal
   */
  after({ known, ids, nats }) {
    this.#known = Uint32Array.from(known);
    const [from, levels] = [known.length, Uint8Array.from(ids)];
    if (ids.length > 0) this.steps.push({ from, to: from + ids.length, samples: expand(levels), levels, nats: Float32Array.from(nats) });
    return this;
  }

  /**
   * All that is needed to go on from here: model.resume(saved) draws the samples that this run would have. Its first step has those that were
   * drawn before. Of complete(), once `heard` is there.
   *
   * @returns {SavedSound}
   */
  save() {
    if (!this.#known) throw new NextPixelError('state', 'The sound that the run goes on with is not read yet: await run.heard first');
    const all = (/** @type {'levels' | 'nats'} */ name) => this.steps.flatMap((step) => [...step[name]]);
    return savedRun(this.seed, this.#kept, { known: [...this.#known], ids: all('levels'), nats: all('nats') });
  }

  /**
   * The whole sound, with what was given before it.
   *
   * @param {{ signal?: AbortSignal }} [options]
   * @returns {Promise<Float32Array<ArrayBuffer>>} samples between -1 and 1, `rate` of them a second
   */
  async samples(options = {}) {
    checkOptions(options, 'samples()', ['signal']);
    /** @type {Float32Array[]} */
    const parts = [];
    for await (const { samples } of this.read(options.signal)) parts.push(samples);
    await this.heard;
    return joined([expand(this.#known ?? []), ...parts]);
  }

  /**
   * The whole sound as a WAV file of 16 bits.
   *
   * @param {{ signal?: AbortSignal }} [options]
   * @returns {Promise<Blob>}
   */
  async wav(options = {}) {
    return new Blob([writeWav(await this.samples(options), this.rate)], { type: 'audio/wav' });
  }

  /**
   * Draws the sound as a waveform while it comes, each stretch in a shade as strong as it surprises. It keeps the size that the canvas has on
   * the page and takes its colours from its style. The canvas's own content becomes a sentence about the sound, for those who do not see it.
   *
   * @param {Canvas} canvas
   * @param {WaveformOptions & { signal?: AbortSignal }} [options]
   * @returns {Promise<string>} that sentence
   */
  async drawTo(canvas, options = {}) {
    checkOptions(options, 'drawTo()', SHOWN);
    const { signal, ...how } = options;
    return showAll(this.read(signal), this.sink(canvas, how));
  }

  /**
   * Plays the sound while it is drawn. Call it from a click or a key: browsers let a page sound only then. What is heard is exactly what is
   * drawn, at the rate of the context; where the machine is too slow there are gaps, which are counted.
   *
   * @param {import('../../base/dom.js').Dom<'AudioContext'>} context
   * @param {PlayOptions} [options]
   * @returns {Promise<Played>} how it was, once all is played
   */
  async playTo(context, options = {}) {
    checkOptions(options, 'playTo()', ['signal', 'destination', 'onPlay']);
    return play(this.#audible(options.signal), this.rate, context, options, () => this.finish !== undefined);
  }

  /**
   * Shows the sound on a canvas.
   *
   * @param {Canvas} canvas
   * @param {WaveformOptions} [options]
   * @internal
   */
  sink(canvas, options) {
    const waveform = new Waveform(canvas, { rate: this.rate, most: this.most, ...options });
    this.heard.then(() => this.#known?.length && waveform.given(expand(this.#known), this.most), () => {});
    return waveform;
  }

  /** The share of what is to be drawn that is there with a step, 0 to 1. @param {SoundStep} step @internal */
  doneWith({ to }) {
    return this.finish ? 1 : Math.min(1, to / this.most);
  }

  /**
   * Lets the page hear the sound while it is shown, where its visitor has clicked or pressed a key; else nothing is heard. What goes wrong with the
   * sound itself, the other readers say.
   *
   * @param {{ cursor: number }} sink
   * @param {AbortSignal} signal
   * @param {(now: string | Saying) => void} say
   * @param {(rest: (resting: boolean) => void) => void} onStart  gets what makes it silent meanwhile
   * @returns {Promise<void>} once all is heard, or nothing more is to be
   * @internal
   */
  async aloud(sink, signal, say, onStart) {
    const onPlay = (/** @type {import('./play.js').Played} */ { seconds, over }) => {
      if (signal.aborted) return;
      sink.cursor = over ? -1 : seconds;
      say(['Playing {seconds} s', { seconds: [seconds, 2] }]);
    };
    await aloud(sink, async (context) => {
      const { gaps } = await play(this.#audible(signal), this.rate, context, { signal, onPlay }, () => this.finish !== undefined, onStart);
      if (gaps > 0 && !signal.aborted) say(gaps === 1 ? 'The machine did not keep up: 1 gap' : ['The machine did not keep up: {count} gaps', { count: [gaps, 0] }]);
    });
  }

  /** The sound as it is heard: the given samples, then those that are drawn. @param {AbortSignal} [signal] */
  async *#audible(signal) {
    await abortable(this.heard, signal);
    if (this.#known?.length) yield { samples: expand(this.#known) };
    yield* this.read(signal);
  }

  /** @internal */
  async order() {
    await this.heard;
    const { settings, seconds, odds } = this.#how;
    const given = this.#known ?? new Uint32Array(0);
    const known = Uint32Array.from([...given, ...this.steps.flatMap(({ levels }) => [...levels])]);
    const length = given.length + Math.round(seconds * this.rate);
    this.most = length;
    if (length <= known.length) return undefined;
    return { known, inputs: this.#inputs, settings: { ...settings, samples: 1 }, maps: false, length, ...(odds && { alternatives: VALUES }) };
  }

  /** @param {StepMessage} message @internal */
  take(message) {
    const end = message.ids.indexOf(LEVELS);
    const step = stepOf(message, end < 0 ? message.ids.length : end);
    return { step: step.to > step.from ? step : undefined, finish: /** @type {'end' | undefined} */ (end < 0 ? undefined : 'end') };
  }
}

/**
 * @param {StepMessage} message
 * @param {number} count  its samples, without the end
 * @returns {SoundStep}
 */
function stepOf({ from, ids, nats, alternatives }, count) {
  const levels = Uint8Array.from(ids.subarray(0, count));
  return { from, to: from + count, samples: expand(levels), levels, nats: nats.slice(0, count), ...(alternatives && { odds: oddsOf(alternatives, count, VALUES) }) };
}

/** @param {Float32Array[]} parts */
function joined(parts) {
  const all = new Float32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

