// SPDX-License-Identifier: MIT
// @ts-check

import { probabilitiesOf } from '../../runs/probabilities.js';
import { LEVELS, compress, expand } from '../../media/mu-law.js';
import { NextPixelError } from '../../base/error.js';
import { AudibleRun } from '../../media/audible-run.js';
import { Silence } from './silence.js';

/** @import { Heard } from '../../media/heard.js' */
/** @import { Link } from '../../workers/link.js' */
/** @import { Inputs, Settings, StepMessage } from '../../engine/protocol.js' */

/**
 * One or more samples of a sound, in the order in which they were drawn.
 *
 * @typedef {object} SoundStep
 * @property {number} from           index of the first sample, counting the given samples
 * @property {number} to             index after the last sample
 * @property {Float32Array} samples  shape (to - from): values between -1 and 1
 * @property {Uint8Array} levels     shape (to - from): the samples as mu-law levels of the model
 * @property {Float32Array} nats     shape (to - from): -log p of each sample, given all samples before it, under the model's own
 *   distribution
 * @property {Float32Array} [probabilities]   with the option `probabilities`: the probability of each level, and of the end of the sound,
 *   before the sample was drawn, shape (to - from, 257)
 */

/** The validated options of a run that draws a sound.
 * @typedef {{ settings: Settings, seed: number | bigint, seconds: number, silence: number, probabilities: boolean, chunkSize: number }} Sounding */

/**
 * A saved run, from run.save(): a plain object, which can be stored as JSON and passed to model.resume().
 *
 * @typedef {object} SavedSound
 * @property {1} version
 * @property {string} model    identifies the model that the run belongs to
 * @property {string} seed
 * @property {number[]} known  levels of the sound that the run continues
 * @property {number[]} ids    levels of the drawn samples
 * @property {number[]} nats   nats of the drawn samples
 * @property {object} options  the options of the call, without seed and signal
 */

const VALUES = LEVELS + 1;

/**
 * One run of an audio model. It can be read as an async iterable of steps, as samples or as a file; it can be drawn as a waveform on a
 * canvas; and it can be played. All of this can be done in any order or at the same time, because the drawn samples are stored.
 *
 * @extends {AudibleRun<SoundStep>}
 */
export class SoundRun extends AudibleRun {
  #link;
  #inputs;
  #how;
  /** The levels of the given sound, once it has been read. @type {Uint32Array | undefined} */
  #known;
  #silence;
  /** Levels of the samples so far. @type {number[]} */
  #levels = [];
  /** @type {number[]} */
  #nats = [];
  /** Whether the run had already ended in silence when it was saved. */
  #over = false;

  /**
   * Resolves with the sound that complete() continues, once this sound has been read. The `samples` of the sound are at the model's sample
   * rate. Rejects if the sound cannot be read, or if the run ends first.
   *
   * @returns {Promise<Heard | undefined>}
   */
  get input() {
    return this.once(() => this.#heard);
  }

  /** @type {Heard | undefined} */
  #heard;

  /**
   * @param {Link} link
   * @param {number} sampleRate
   * @param {Inputs} inputs
   * @param {Promise<Heard> | undefined} heard
   * @param {Sounding} how
   * @param {{ model: string, options: object }} kept  the data that save() needs
   * @param {AbortSignal} [signal]
   * @internal
   */
  constructor(link, sampleRate, inputs, heard, how, kept, signal) {
    super(sampleRate, how.seed, kept, signal);
    this.#link = link;
    this.#inputs = inputs;
    this.#how = how;
    this.#silence = new Silence(sampleRate, how.silence);
    this.most = Math.round(how.seconds * sampleRate);
    if (!heard) this.#known = new Uint32Array(0);
    else
      this.expect(
        heard.then((sound) => {
          this.#heard = sound;
          this.#known = compress(sound.samples);
        }),
      );
  }

  /**
   * Emits the saved part as one step, and continues after it.
   *
   * @param {SavedSound} saved
   * @internal
   */
  after({ known, ids, nats }) {
    this.#known = Uint32Array.from(known);
    if (known.length > 0) this.#heard = { samples: expand(this.#known), sampleRate: this.sampleRate, channels: 1, said: '' };
    const [from, levels] = [known.length, Uint8Array.from(ids)];
    const samples = expand(levels);
    [this.#levels, this.#nats] = [[...ids], [...nats]];
    if (ids.length > 0) this.steps.push({ from, to: from + ids.length, samples, levels, nats: Float32Array.from(nats) });
    if (this.#silence.until(samples) >= 0) this.#over = true;
    return this;
  }

  /**
   * Returns everything that is needed to resume the run: model.resume(saved) draws the same samples as this run would have drawn. The first
   * step of the resumed run contains the samples that were already drawn. For complete(), this method can be called once `input` has
   * resolved.
   *
   * @returns {SavedSound}
   */
  save() {
    if (!this.#known) throw new NextPixelError('state', 'The sound to continue has not been read yet: await run.input first');
    return this.saved({ known: [...this.#known], ids: this.#levels, nats: this.#nats });
  }

  /** @override @internal */
  async given() {
    await this.begun();
    return expand(this.#known ?? []);
  }

  /** @returns {AsyncGenerator<SoundStep, void, void>} @internal */
  async *stream() {
    const { settings, seconds, probabilities, chunkSize } = this.#how;
    const given = this.#known ?? new Uint32Array(0);
    const known = Uint32Array.from([...given, ...this.#levels]);
    const length = given.length + Math.round(seconds * this.sampleRate);
    this.most = length;
    this.finish = this.#over ? 'end' : length <= known.length ? 'length' : undefined;
    if (this.finish) return;
    const order = {
      known,
      inputs: this.#inputs,
      settings: { ...settings, samples: 1 },
      maps: false,
      length,
      ...(probabilities && { alternatives: VALUES }),
    };
    for await (const { message } of this.messages([{ link: this.#link, order }], chunkSize)) {
      const end = this.#endOf(message.ids);
      const step = stepOf(message, end < 0 ? message.ids.length : end);
      this.finish = end >= 0 ? 'end' : message.last ? 'length' : undefined;
      for (const level of step.levels) this.#levels.push(level);
      for (const cost of step.nats) this.#nats.push(cost);
      if (step.to > step.from) yield step;
      if (this.finish) return;
    }
  }

  /** Returns the number of levels before the sound ends or becomes silent; -1 if the sound continues. @param {Uint32Array} ids */
  #endOf(ids) {
    const ended = ids.indexOf(LEVELS);
    const silence = this.#silence.until(expand(ids.subarray(0, ended < 0 ? undefined : ended)));
    return silence < 0 ? ended : silence;
  }
}

/**
 * @param {StepMessage} message
 * @param {number} count  number of samples in the message that belong to the sound; the end of the sound is not counted
 * @returns {SoundStep}
 */
function stepOf({ from, ids, nats, alternatives }, count) {
  const levels = Uint8Array.from(ids.subarray(0, count));
  return {
    from,
    to: from + count,
    samples: expand(levels),
    levels,
    nats: nats.slice(0, count),
    ...(alternatives && { probabilities: probabilitiesOf(alternatives, count, VALUES) }),
  };
}
