// SPDX-License-Identifier: MIT
// @ts-check

import { aloud } from '../runs/aloud.js';
import { BaseRun } from '../runs/base-run.js';
import { abortable } from '../base/abort.js';
import { join } from '../base/arrays.js';
import { checkOptions } from '../base/checks.js';
import { writeWav } from './wav.js';
import { play } from './play.js';
import { Waveform } from './waveform.js';

/** @import { Saying } from '../element/say.js' */
/** @import { PlayOptions, Played } from './play.js' */
/** @import { Canvas } from '../sinks/canvas.js' */
/** @import { WaveformOptions } from './waveform.js' */

/** The part of a step that becomes sound. @typedef {{ to: number, samples: Float32Array, nats: Float32Array }} Audible */

/**
 * A run that draws a sound. The sound can be read as an async iterable of steps, as samples or as a file, drawn as a waveform on a canvas,
 * or played. These methods can be used in any order or at the same time, because the drawn samples are stored.
 *
 * @template {Audible} Step
 * @extends {BaseRun<Step, string>}
 */
export class AudibleRun extends BaseRun {
  /** Samples per second. @type {number} */
  sampleRate;

  /** The maximum length of the sound, in samples. It is known once the input has been read. */
  most = 0;

  /**
   * @param {number} sampleRate
   * @param {number | bigint} seed
   * @param {{ model: string, options: object } | undefined} kept  the data that saved() needs, if the run can be saved
   * @param {AbortSignal} [signal]
   * @internal
   */
  constructor(sampleRate, seed, kept, signal) {
    super(seed, kept, signal);
    this.sampleRate = sampleRate;
  }

  /** Returns the given sound, which is played before the steps. @returns {Promise<Float32Array>} @internal */
  async given() {
    return new Float32Array(0);
  }

  /**
   * Returns the whole sound, including the given part.
   *
   * @param {{ signal?: AbortSignal }} [options]
   * @returns {Promise<Float32Array<ArrayBuffer>>} samples between -1 and 1, with `sampleRate` samples per second
   */
  async samples(options = {}) {
    checkOptions(options, 'samples()', ['signal']);
    /** @type {Float32Array[]} */
    const parts = [];
    for await (const { samples } of this.read(options.signal)) parts.push(samples);
    return /** @type {Float32Array<ArrayBuffer>} */ (join(Float32Array, [await this.given(), ...parts]));
  }

  /** The same as samples(). @param {{ signal?: AbortSignal }} [options] @returns {Promise<Float32Array<ArrayBuffer>>} */
  async result(options = {}) {
    return this.samples(options);
  }

  /**
   * Returns the whole sound as a 16-bit WAV file.
   *
   * @param {{ signal?: AbortSignal }} [options]
   * @returns {Promise<Blob>}
   */
  async wav(options = {}) {
    return new Blob([writeWav(await this.samples(options), this.sampleRate)], { type: 'audio/wav' });
  }

  /**
   * Draws the sound as a waveform while it is computed. The higher the surprisal of the samples, the more opaque the line. The canvas keeps
   * its size on the page, and its style sets the colours. For screen readers, the text content of the canvas element is set to a sentence
   * about the sound.
   *
   * @param {Canvas} canvas
   * @param {WaveformOptions & { signal?: AbortSignal }} [options]
   * @returns {Promise<string>} the sentence about the sound
   */
  async drawTo(canvas, options = {}) {
    return this.show(canvas, options);
  }

  /**
   * Plays the sound while it is drawn. Call this method in the handler of a click or a key press, because browsers allow sound only then.
   * The drawn samples are played unchanged, apart from resampling to the rate of the context. If the machine is too slow, the sound has
   * gaps, and the result reports their number.
   *
   * @param {import('../base/dom.js').Dom<'AudioContext'>} context
   * @param {PlayOptions} [options]
   * @returns {Promise<Played>} when everything has been played, resolves to the final progress of the playback
   */
  async playTo(context, options = {}) {
    checkOptions(options, 'playTo()', ['signal', 'destination', 'onPlay']);
    return play(this.#audible(options.signal), this.sampleRate, context, options, () => this.finish !== undefined);
  }

  /**
   * Shows the sound on a canvas.
   *
   * @param {Canvas} canvas
   * @param {WaveformOptions} [options]
   * @internal
   */
  sink(canvas, options) {
    const waveform = new Waveform(canvas, { sampleRate: this.sampleRate, most: this.most, ...options });
    this.given().then(
      (samples) => samples.length > 0 && waveform.given(samples, this.most),
      () => {},
    );
    return waveform;
  }

  /** Returns the fraction of the sound that is complete after a step, 0 to 1. @param {Step} step @internal */
  doneWith({ to }) {
    return this.finish ? 1 : Math.min(1, to / this.most);
  }

  /**
   * Plays the sound while its waveform is shown. If the visitor has not clicked or pressed a key yet, nothing is played. Ignores errors of
   * the run, because the other readers of the run report them.
   *
   * @param {{ cursor: number }} sink
   * @param {AbortSignal} signal
   * @param {(now: string | Saying) => void} say
   * @param {(rest: (resting: boolean) => void) => void} onStart  receives a function that silences the sound temporarily
   * @returns {Promise<void>} resolves when everything has been played, or playback has stopped
   * @internal
   */
  async aloud(sink, signal, say, onStart) {
    const onPlay = (/** @type {import('./play.js').Played} */ { seconds, over }) => {
      if (signal.aborted) return;
      sink.cursor = over ? -1 : seconds;
      say(['Playing {seconds} s', { seconds: [seconds, 2] }]);
    };
    await aloud(sink, async (context) => {
      const { gaps } = await play(
        this.#audible(signal),
        this.sampleRate,
        context,
        { signal, onPlay },
        () => this.finish !== undefined,
        onStart,
      );
      if (gaps > 0 && !signal.aborted)
        say(gaps === 1 ? 'The machine did not keep up: 1 gap' : ['The machine did not keep up: {count} gaps', { count: [gaps, 0] }]);
    });
  }

  /** Yields the sound in playing order: the given samples, then the drawn ones. @param {AbortSignal} [signal] */
  async *#audible(signal) {
    const samples = await abortable(this.given(), signal);
    if (samples.length > 0) yield { samples };
    yield* this.read(signal);
  }
}
