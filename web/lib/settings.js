// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Every setting of a run, a row each. The checks of options, the settings sent to the worker, the fields of nx_settings (fields.js, by node
 * web/tools/options.js), the types of the options (options.js, with these comments, by the same) and the attributes of the element all come
 * from this table.
 */

import { NX_MAX_SAMPLES } from './engine/abi.js';

/** @import { AnyInfo } from './engine/protocol.js' */

/**
 * @typedef {object} Setting
 * @property {string} of       the kinds that have the option: a kind, 'translation', or several of these separated by spaces; '': none, set
 *   by the library itself
 * @property {readonly [number, number]} [whole]   a whole number in this range
 * @property {readonly [number, number]} [number]  a number in this range
 * @property {true} [over]     excludes the lower end of the range
 * @property {true} [flag]     true or false. A setting without any of these is checked where it is used
 * @property {number | boolean | string} [initial]  the default
 * @property {string} [field]  its field in nx_settings
 * @property {number} [off]    the value of that field in a run without the setting, if not `initial`
 * @property {number} [on]     the value of that field for true, if not 1
 * @property {(value: any, info: AnyInfo) => boolean} [fits]  whether a model supports the value; an unsupported value of the element's
 * attribute is ignored
 * @property {true} [attribute]  the element has an attribute of its name, with hyphens
 */

/** The largest integer if only 32 bits limit it. */
const MANY = 2 ** 31 - 1;

/** @param {unknown} _ @param {AnyInfo} info */
const knowsClasses = (_, { classes }) => classes.length > 0;
/** @param {unknown} _ @param {AnyInfo} info */
const knowsSpeakers = (_, { speakers = [] }) => speakers.length > 0;

export const SETTINGS = /** @type {const} */ ({
  /** number of images (or captions of the image) to draw, each with its own noise, 1 to 64. Default 1 */
  samples: { of: 'picture latent caption', whole: [1, NX_MAX_SAMPLES], initial: 1, field: 'samples', attribute: true },
  /** {number | bigint} seed of the noise, 0 to 2^64 - 1. The same seed draws the same result. Default: a random one */
  seed: { of: 'picture sound code note text translation latent caption', attribute: true },
  /** 0 to 100; values below 1 favour likely values, 0 always takes the most probable one. Default 1; for a translation or a caption 0, and
   * above 0 only with one beam */
  temperature: {
    of: 'picture sound code note text translation caption',
    number: [0, 100],
    initial: 1,
    field: 'temperature',
    attribute: true,
  },
  /** draw only from the k most probable values; 0: all. Default 0 */
  topK: { of: 'picture sound code note text', whole: [0, MANY], initial: 0, field: 'top_k' },
  /** locally typical sampling: draw from the values whose surprisal is closest to the expected one and whose total probability is this, 0
   * to 1; 1: all. Default 1 */
  typicalP: { of: 'text', number: [0, 1], initial: 1, field: 'typical_p' },
  /** draw from the most probable values whose total probability is this, over 0 to 1. Default 1 */
  topP: { of: 'picture sound code note text', number: [0, 1], over: true, initial: 1, field: 'top_p', attribute: true },
  /** draw from the values with at least this fraction of the largest probability, 0 to 1. Default 0 */
  minP: { of: 'text', number: [0, 1], initial: 0, field: 'min_p' },
  /** 0.01 to 100; above 1, tokens among the last ones become less probable. Default 1 */
  repetitionPenalty: { of: 'text', number: [0.01, 100], initial: 1, field: 'repetition' },
  /** from -100 to 100, subtracted from a token's logit once for each time that it occurs. Default 0 */
  frequencyPenalty: { of: 'text', number: [-100, 100], initial: 0, field: 'frequency' },
  /** from -100 to 100, subtracted from the logit of each token that occurs at all. Default 0 */
  presencePenalty: { of: 'text', number: [-100, 100], initial: 0, field: 'presence' },
  /** how many of the last tokens the penalties consider. Default 64 */
  penaltyLast: { of: 'text', whole: [0, 2 ** 24], initial: 64, field: 'penalty_last', off: 0 },
  /** {Record<string, number> | Map<string | number, number>} added to the logits of tokens, given by id or by a text that is one token:
   * -Infinity never draws it. At most 4096 of them */
  logitBias: { of: 'text' },
  /** {Label} the class to draw */
  label: { of: 'picture sound code latent', attribute: true, fits: knowsClasses },
  /** {ArrayLike<number> | ArrayLike<number>[]} the latent of the pictures, in the form of `step.latent`: `info.latent` numbers, about -3 to
   * 3; or one for each sample. Default: drawn from the seed */
  latent: { of: 'latent' },
  /** {Label} the speaker, for an audio model that has several */
  speaker: { of: 'sound code', attribute: true, fits: knowsSpeakers },
  /** maximum length in seconds, over 0 to 120; the sound may end before. Default 2 */
  seconds: { of: 'sound code', number: [0, 120], over: true, initial: 2, attribute: true },
  /** stop after this many seconds below one fifth of the loudest 50 ms, 0 to 120; 0: only the model ends the sound. Default 0 */
  silence: { of: 'sound', number: [0, 120], initial: 0 },
  /** maximum number of bars of music, 1 to 1000, including the given ones; the music may end before. Default: the model's capacity */
  bars: { of: 'note', whole: [1, 1000], attribute: true },
  /** quarters per minute, 20 to 400, for playback and files. Default 84 */
  tempo: { of: 'note', number: [20, 400], initial: 84, attribute: true },
  /** false: no drawn voice moves in parallel fifths or octaves with a higher one, a rule of counterpoint that the model has not learned.
   * Default true */
  parallels: { of: 'note', flag: true, initial: true },
  /** true: each step includes the whole distribution of each of its values under the model itself: temperature 1, no filter. Slower; the
   * drawn samples are the same. Default false */
  probabilities: { of: 'picture sound code note text translation caption', flag: true, initial: false },
  /** speculative decoding, for a single sample of a model with a draft (`info.lookAhead`): true computes several pixels in a pass, false
   * one. The image is the same. Default: the faster one on this machine, measured while the first images are drawn */
  lookAhead: { of: 'picture', flag: true, field: 'look_ahead', off: 0, on: 8 },
  /** samples compete while they are drawn, in groups of this many neighbours, which must divide them: every few rows the less likely half
   * of each group is dropped, and the other half is duplicated, with new noise. At the end the samples of a group are sorted, the likeliest
   * first. Larger groups make fewer slips and plainer images. 0 or 1: no sample is dropped. Default 0 */
  resample: { of: 'picture', initial: 0 },
  /** number of rows between two resamplings, or as many elements if the model draws blocks, 1 to the image's height. Default 4 */
  resampleRows: { of: 'picture' },
  /** maximum number of tokens to draw. Default: the rest of the context; if more are requested, the older half of the context is dropped
   * whenever it is full. For a translation, 50 more than the sentence has, as in the paper, or the model's capacity, because unknown words
   * may make it loop */
  maxTokens: { of: 'text translation', whole: [0, MANY], attribute: true },
  /** {string | string[]} texts that end the run when they are about to appear; they are not part of the output. The name of a control
   * token, such as '<|im_start|>', means that token */
  stop: { of: 'text' },
  /** {Constraint} gives the allowed tokens before each token, as a mask: a grammar, or an object that you write. The filters act on the
   * allowed tokens only. Every token is a message to the worker and back, without speculative decoding; if all tokens are allowed, the
   * result is the same */
  constraint: { of: 'text' },
  /** {string[]} restricts the output to one of these 1 to 1000 strings; each token is drawn with its probability among those that continue
   * one of them */
  oneOf: { of: 'text' },
  /** 8 or 16: bits of the cached keys, if the file's weights are quantised. 16 needs half as much memory again and some time, and is more
   * precise. Default: 16 if the keys have biases, as in Qwen 2, where a few channels are large; otherwise 8 */
  keyBits: { of: 'text' },
  /** {SavedState} state of a saved run that this one continues, `saved.state`: its tokens are not processed again. Only runs that are given
   * the state reuse it */
  state: { of: 'text' },
  /** number of most probable tokens to report at each step, with their nats. Default 0 */
  alternatives: { of: 'text', whole: [0, 1024], initial: 0 },
  /** 1 to 16: number of hypotheses of the beam search; the best one is returned at the end. 1: the most probable token at every step,
   * returned as it comes. Default 1 */
  beams: { of: 'translation caption', whole: [1, 16], initial: 1, attribute: true },
  /** 0 to 2, for several beams: the nats of a translation of n tokens, its end included, are divided by ((5 + n) / 6) to this power, so
   * that long translations are not penalised. Default 0.6 */
  lengthPenalty: { of: 'translation caption', number: [0, 2], initial: 0.6 },
  /** true: each step is one position of each sample and includes its attention (`step.maps`). Slower, without speculative decoding; the
   * drawn samples are the same. Default false */
  maps: { of: 'picture note text translation latent caption', flag: true, initial: false },
  /** {string} given words: returns the attention at each of them instead of writing the model's own words */
  forced: { of: 'caption' },
  /** {number | (number | null)[]} the only location of the picture that is attended to, by its index in the keys of `maps`; one for all words,
   * or a list of them for the first words, null where the model chooses */
  lookAt: { of: 'caption' },
  /** {(step: SearchStep) => void} called after every step of a search with several beams */
  onSearch: { of: 'translation' },
  /** maximum number of elements in a step, rounded up to whole pixels if the model draws these as a whole. Default: as many as take about
   * 10 ms */
  chunkSize: { of: 'picture sound code note', whole: [1, MANY] },
  /** {AbortSignal} stops the run */
  signal: { of: 'picture sound code note text translation latent caption' },

  // Settings that the library sets itself.

  /** the index in the whole run, and therefore in the noise, of the first of these samples */
  first: { of: '', initial: 0, field: 'first_sample' },
  /** the index in a longer run, and therefore in the noise, of the first position */
  origin: { of: '', initial: 0, field: 'origin' },
  /** the filters act on the distribution at temperature 1, as is usual for language models; for pictures they act on the tempered one */
  temperatureLast: { of: '', flag: true, initial: false, field: 'temperature_last' },
  /** speculative decoding without a draft model takes its drafts from the text so far. Default: on if the model is large enough for it to
   * pay */
  lookUp: { of: '', flag: true, field: 'look_up' },
});

/** @typedef {keyof typeof SETTINGS} SettingName */

/** The rows, by name. @type {[SettingName, Setting][]} */
export const ROWS = /** @type {any} */ (Object.entries(SETTINGS));
