// SPDX-License-Identifier: MIT
// @ts-check

/** Audio models. Only pages with sound load this file. */

import { modelName, resumedOptions } from '../../runs/base-run.js';
import { checkSaved, finite, arrayOf, whole } from '../../runs/saved.js';
import { checkSettings } from '../../base/checks.js';
import { LEVELS, compress } from '../../media/mu-law.js';
import { listOf, wholeOf } from '../../engine/keys.js';
import { heardOf } from '../../media/heard.js';
import { SoundRun } from './sound-run.js';
import { speakersOf, spokenInputs } from '../../media/voices.js';
import { RATES } from '../../media/wav.js';

/** @import { Engine } from '../../model/engine.js' */
/** @import { Label } from '../../base/checks.js' */
/** @import { Heard, SoundSource } from '../../media/heard.js' */
/** @import { SoundOptions } from '../../options.js' */
/** @import { Facts, ScoredMessage } from '../../engine/protocol.js' */
/** @import { SavedSound } from './sound-run.js' */

/**
 * The cost of a sound under a model: -log p.
 *
 * @typedef {object} SoundScore
 * @property {number} nats              minus log p(samples), natural logarithm
 * @property {number} bitsPerDim        bits per sample
 * @property {Float32Array} perElement  nats of each sample
 * @property {Heard} heard              the sound in the form that the model takes
 */

/**
 * The description of an audio model.
 *
 * @typedef {object} SoundInfo
 * @property {number} sampleRate    samples per second
 * @property {string[]} speakers    names of the speakers; empty if there are none
 * @property {number[]} dilations   for each layer, the number of samples by which it looks back
 */

/** The methods of an audio model. */
export class SoundModel {
  #engine;

  /** Samples per second. @internal */
  sampleRate;
  /** @type {string[]} @internal */
  speakers;

  /**
   * @internal
   * @param {Engine} engine
   * @param {Facts} facts
   */
  constructor(engine, { metadata }) {
    this.#engine = engine;
    const key = (/** @type {string} */ name) => `${engine.info.architecture}.${name}`;
    this.sampleRate = wholeOf(metadata, key('sound.rate'), ...RATES);
    this.speakers = speakersOf(engine, metadata);
    Object.assign(engine.info, {
      sampleRate: this.sampleRate,
      speakers: this.speakers,
      dilations: listOf(metadata, key('dilations'), 'whole numbers'),
    });
  }

  /**
   * @param {SoundOptions} options
   * @param {Promise<Heard>} [heard]
   */
  #run(options, heard) {
    const { links, info } = this.#engine;
    const {
      settings,
      options: { seconds, silence, probabilities, chunkSize = 0 },
      seed,
    } = checkSettings('sound', options);
    const { seed: _, signal, ...kept } = options;
    return new SoundRun(
      links[0],
      this.sampleRate,
      spokenInputs(this.#engine, this.speakers, options),
      heard,
      { settings, seed, seconds, silence, probabilities, chunkSize },
      { model: modelName(info), options: kept },
      signal,
    );
  }

  /**
   * Draws a sound, optionally for a given class or speaker.
   *
   * @param {SoundOptions} [options]
   * @returns {SoundRun}
   */
  generate(options = {}) {
    return this.#run(options);
  }

  /**
   * Resumes a saved run. The resumed run draws the samples that the saved run would have drawn.
   *
   * @param {SavedSound} saved  the result of run.save()
   * @param {Pick<SoundOptions, 'signal' | 'probabilities' | 'chunkSize'>} [given]  options that may differ from those of the saved run
   * @returns {SoundRun}
   */
  resume(saved, given = {}) {
    const options = resumedOptions(saved, this.#engine.info, given, ['signal', 'probabilities', 'chunkSize']);
    const levels = arrayOf(whole(0, LEVELS - 1));
    checkSaved(saved, { known: levels, ids: levels, nats: arrayOf(finite, saved.ids.length, saved.ids.length) });
    return this.#run(options).after(saved);
  }

  /**
   * Continues a sound.
   *
   * @param {SoundSource} sound  an AudioBuffer, a MediaStream, a Blob, an address, the bytes of a WAV file, or { samples, sampleRate }; at
   *   most 60 seconds. Audio at another rate is resampled, and several channels are mixed; the property `said` of `run.input` describes
   *   these changes
   * @param {SoundOptions} [options]
   * @returns {SoundRun}
   */
  complete(sound, options = {}) {
    const heard = heardOf(sound, this.sampleRate, options.signal);
    heard.catch(() => {}); // avoids an unhandled rejection; readers of the run receive the error
    return this.#run(options, heard);
  }

  /**
   * Returns the probability of a sound under the model, sample by sample.
   *
   * @param {SoundSource} sound  as in complete()
   * @param {{ label?: Label, speaker?: Label, signal?: AbortSignal }} [options]
   * @returns {Promise<SoundScore>}
   */
  async score(sound, { signal, ...given } = {}) {
    const inputs = spokenInputs(this.#engine, this.speakers, given);
    const heard = await heardOf(sound, this.sampleRate, signal);
    /** @type {ScoredMessage} */
    const { nats: perElement } = await this.#engine.ask({ type: 'score', ids: compress(heard.samples), inputs }, signal);
    const nats = perElement.reduce((sum, cost) => sum + cost, 0);
    return { nats, bitsPerDim: nats / (perElement.length * Math.LN2), perElement, heard };
  }
}
