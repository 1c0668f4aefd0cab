// SPDX-License-Identifier: MIT
// @ts-check

/** Models that represent sounds as codes. Only pages that use a model of this kind load this file. */

import { modelName, noSavedRun, resumedOptions } from '../../runs/base-run.js';
import { checkSaved, arrayOf, object, optional, whole } from '../../runs/saved.js';
import { checkSettings, show } from '../../base/checks.js';
import { compress } from '../../media/mu-law.js';
import { argumentError } from '../../base/error.js';
import { listOf, wholeOf } from '../../engine/keys.js';
import { flowOf } from '../../flow.js';
import { FlowRun } from '../../runs/flow-run.js';
import { speakersOf, spokenInputs } from '../../media/voices.js';
import { heardOf } from '../../media/heard.js';
import { RATES } from '../../media/wav.js';
import { CodeRun } from './code-run.js';
import { reachOf } from './reach.js';

/** @import { Engine } from '../../model/engine.js' */
/** @import { Heard, SoundSource } from '../../media/heard.js' */
/** @import { CodeOptions } from '../../options.js' */
/** @import { Facts, Inputs, Part } from '../../engine/protocol.js' */
/** @import { Begun, SavedCode } from './code-run.js' */

/**
 * While the bottom level is drawn, at least this number of its codes are decoded together. By default, each message from the worker has
 * this number of codes, so that the sound starts soon.
 */
const LEAST = 24;

/** The codes of a sound, by level. @typedef {{ top?: ArrayLike<number>, bottom?: ArrayLike<number> }} Codes */

/**
 * A level of codes.
 *
 * @typedef {object} CodeLevel
 * @property {'top' | 'bottom'} name
 * @property {number} hop    samples per code
 * @property {number} codes  number of codes in the level's codebook
 * @property {number} reach  the number of codes on either side of a code that affect the samples of this code
 */

/**
 * The description of a model that represents sounds as codes.
 *
 * @typedef {object} CodeInfo
 * @property {number} sampleRate    samples per second
 * @property {string[]} speakers    names of the speakers; empty if there are none
 * @property {CodeLevel[]} codes  the levels, the top one first
 */

/** The methods of a model that represents sounds as codes. */
export class CodeModel {
  #engine;
  /** @type {Record<string, Part>} */
  #parts;

  /** Samples per second. @internal */
  sampleRate;
  /** @type {string[]} @internal */
  speakers;
  /** @type {Record<'top' | 'bottom', CodeLevel>} @internal */
  levels;

  /**
   * @internal
   * @param {Engine} engine
   * @param {Facts} facts
   */
  constructor(engine, { metadata, parts }) {
    this.#engine = engine;
    this.#parts = Object.fromEntries(parts.map((part) => [part.name, part]));
    const key = (/** @type {string} */ name) => `${engine.info.architecture}.${name}`;
    this.sampleRate = wholeOf(metadata, key('sound.rate'), ...RATES);
    this.speakers = speakersOf(engine, metadata);
    const units = wholeOf(metadata, key('unit_count'), 1, 6);
    const level = (/** @type {'top' | 'bottom'} */ name) => {
      const strides = listOf(metadata, key(`${name}.strides`), 'whole numbers');
      return {
        name,
        hop: strides.reduce((product, stride) => product * stride, 1),
        codes: wholeOf(metadata, key(`${name}.code_count`), 2, 65536),
        reach: reachOf(strides, units),
      };
    };
    this.levels = { top: level('top'), bottom: level('bottom') };
    Object.assign(engine.info, {
      positions: 0,
      sampleRate: this.sampleRate,
      speakers: this.speakers,
      codes: [this.levels.top, this.levels.bottom],
    });
  }

  /** Returns the largest number of codes of the top level that can be drawn. */
  get #longest() {
    return this.#parts.top.length - 1;
  }

  /** Returns how many codes of the bottom level belong to one code of the top level. */
  get #ratio() {
    return this.levels.top.hop / this.levels.bottom.hop;
  }

  /**
   * @param {CodeOptions} options
   * @param {(seconds: number, inputs: Inputs) => Begun | Promise<Begun>} [begin]
   */
  #run(options, begin = (seconds) => ({ most: this.#codesIn(seconds) * this.levels.top.hop })) {
    const { links, info, parts } = this.#engine;
    const {
      settings,
      options: { seconds, probabilities, chunkSize = LEAST },
      seed,
    } = checkSettings('code', options);
    const inputs = spokenInputs(this.#engine, this.speakers, options);
    const { seed: _, signal, ...kept } = options;
    const flow = flowOf(
      parts.filter(({ name }) => name !== 'encoder'),
      { decoder: this.levels.bottom.reach },
    ).map((stage) => ({ ...stage, least: LEAST }));
    const make = (/** @type {Begun} */ { most, drawn }) =>
      new FlowRun(
        links,
        flow,
        inputs,
        {
          seed,
          settings: { ...settings, samples: 1 },
          chunkSize,
          probabilities,
          drawn,
          length: (part, { top = [] }) =>
            part === 'top' ? Math.max(top.length, Math.min(most / this.levels.top.hop, this.#longest)) : top.length * this.#ratio,
        },
        { model: modelName(info), options: kept },
        signal,
      );
    const begun = begin(seconds, inputs);
    return new CodeRun(this.sampleRate, begun, make, { seed, hop: this.levels.bottom.hop }, signal);
  }

  /** Converts a duration to a number of codes of the top level, at least one. @param {number} seconds */
  #codesIn(seconds) {
    return Math.min(this.#longest, Math.max(1, Math.round((seconds * this.sampleRate) / this.levels.top.hop)));
  }

  /**
   * Draws a sound as codes: first the codes of the top level, then the codes of the bottom level. Samples are decoded while the bottom
   * level is drawn.
   *
   * @param {CodeOptions} [options]
   * @returns {CodeRun}
   */
  generate(options = {}) {
    return this.#run(options);
  }

  /**
   * Resumes a saved run. The resumed run draws the codes that the saved run would have drawn.
   *
   * @param {SavedCode} saved  the result of run.save()
   * @param {Pick<CodeOptions, 'signal' | 'probabilities' | 'chunkSize'>} [given]  options that may differ from those of the saved run
   * @returns {CodeRun}
   */
  resume(saved, given = {}) {
    const options = resumedOptions(saved, this.#engine.info, given, ['signal', 'probabilities', 'chunkSize']);
    const {
      top: { codes, hop },
      bottom: { codes: bottomCodes },
    } = this.levels;
    const most = this.#longest * this.#ratio;
    checkSaved(saved, {
      ids: arrayOf(
        object({ top: optional(arrayOf(whole(0, codes - 1), this.#longest)), bottom: optional(arrayOf(whole(0, bottomCodes - 1), most)) }),
        1,
        1,
      ),
      most: (samples) => Number.isInteger(samples) && whole(0, this.#longest)(samples / hop),
    });
    const [{ top = [], bottom = [] }] = saved.ids;
    if (bottom.length > top.length * this.#ratio) throw noSavedRun();
    // The sound is decoded again from the first code.
    return this.#run(options, () => ({ most: saved.most, drawn: { ...saved, told: [{}] } }));
  }

  /**
   * Continues a sound by drawing more codes. The given part is also converted to codes and is played back from these codes.
   *
   * @param {SoundSource} sound  an AudioBuffer, a MediaStream, a Blob, an address, the bytes of a WAV file, or { samples, sampleRate };
   * shorter than the model's maximum
   * @param {CodeOptions} [options]  seconds: duration of the drawn part
   * @returns {CodeRun}
   */
  complete(sound, options = {}) {
    return this.#run(options, async (seconds) => {
      const { heard, ...codes } = await this.encode(sound, { signal: options.signal });
      // The last code is dropped if it is incomplete; the model draws it instead.
      const whole = Math.floor(heard.samples.length / this.levels.top.hop);
      if (whole >= this.#longest)
        throw argumentError(
          `The sound has ${(heard.samples.length / this.sampleRate).toFixed(1)} seconds: this model continues less than ${((this.#longest * this.levels.top.hop) / this.sampleRate).toFixed(1)}`,
        );
      const ids = { top: [...codes.top.subarray(0, whole)], bottom: [...codes.bottom.subarray(0, whole * this.#ratio)] };
      return {
        heard,
        most: Math.min(this.#longest, whole + this.#codesIn(seconds)) * this.levels.top.hop,
        drawn: /** @type {any} */ ({ ids: [ids], told: [{}] }),
      };
    });
  }

  /**
   * Encodes a sound as codes of each level.
   *
   * @param {SoundSource} sound  as in complete(), or the result of decode(). A sound longer than the model's limit causes an error
   * @param {{ signal?: AbortSignal }} [options]
   * @returns {Promise<Encoded>}
   */
  async encode(sound, { signal } = {}) {
    const heard = await heardOf(sound, this.sampleRate, signal);
    const [
      {
        dims: [most],
      },
    ] = this.#parts.encoder.inputs;
    if (heard.samples.length > most)
      throw argumentError(
        `The sound has ${(heard.samples.length / this.sampleRate).toFixed(1)} seconds: this model encodes at most ${(most / this.sampleRate).toFixed(1)} at once`,
      );
    const {
      results: { top, bottom },
    } = await this.#engine.ask({ type: 'encode', part: this.#parts.encoder.index, inputs: { sound: compress(heard.samples) } }, signal);
    return { top, bottom, heard };
  }

  /**
   * Decodes codes to samples, from the bottom level or, if only the top level is given, from the top level.
   *
   * @param {Codes} codes  { bottom }, { top }, or both, as encode() returns them; if both are given, the bottom level is decoded
   * @param {{ signal?: AbortSignal }} [options]
   * @returns {Promise<{ samples: Float32Array, sampleRate: number }>} samples between about -1 and 1
   */
  async decode(codes, { signal } = {}) {
    const { bottom, top } = codes ?? {};
    const isList = (/** @type {any} */ list) => typeof list === 'object' && typeof list?.length === 'number';
    const level = bottom !== undefined ? this.levels.bottom : this.levels.top;
    const given = bottom === undefined ? top : bottom;
    if (!given || !isList(given) || (top !== undefined && !isList(top)))
      throw argumentError(`Codes must be { bottom } or { top }, each a list, not ${show(codes)}`);
    const { decoder } = this.#parts;
    const most = Math.floor((decoder.inputs[0].dims[0] * this.levels.bottom.hop) / level.hop);
    if (given.length < 1 || given.length > most)
      throw argumentError(`Pass 1 to ${most} codes of the ${level.name} level, not ${given.length}`);
    if (bottom !== undefined && top !== undefined && top.length * this.#ratio !== bottom.length) {
      throw argumentError(
        `${top.length} codes of the top level belong to ${top.length * this.#ratio} of the bottom level, not ${bottom.length}`,
      );
    }
    const wrong = Array.from(given).findIndex((id) => !(Number.isInteger(id) && id >= 0 && id < level.codes));
    if (wrong >= 0)
      throw argumentError(
        `Code ${wrong} of the ${level.name} level must be a whole number from 0 to ${level.codes - 1}, not ${show(given[wrong])}`,
      );
    const {
      results: { sound },
    } = await this.#engine.ask(
      {
        type: 'encode',
        part: decoder.index,
        inputs: { bottom: Uint32Array.from(given), upper: Uint32Array.of(Number(level.name === 'top')) },
      },
      signal,
    );
    return { samples: sound, sampleRate: this.sampleRate };
  }
}

/**
 * A sound as codes.
 *
 * @typedef {object} Encoded
 * @property {Uint32Array} top     codes of the top level
 * @property {Uint32Array} bottom  codes of the bottom level; the same number of bottom codes belongs to each code of the top level. The
 *   sound is padded with silence to a whole number of codes of the top level
 * @property {Heard} heard         the sound in the form that the model takes
 */
