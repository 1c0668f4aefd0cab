// SPDX-License-Identifier: MIT
// @ts-check

/**
 * All settings of a run, one row each. Several things are derived from this table: the checks of options, the settings sent to the worker,
 * the fields of nx_settings (fields.js), the types of the options (options.js, which repeats these comments), and the attributes of the
 * element. The script web/tools/options.js writes fields.js and options.js.
 */

import { NX_MAX_SAMPLES } from './engine/abi.js';

/** @import { AnyInfo } from './engine/protocol.js' */

/**
 * @typedef {object} Setting
 * @property {string} of       names of the kinds that have the option, separated by spaces ('translation' counts as a kind); '' if only the
 *   library sets it
 * @property {readonly [number, number]} [whole]   the value is a whole number in this range
 * @property {readonly [number, number]} [number]  the value is a number in this range
 * @property {true} [over]     excludes the lower end of the range
 * @property {true} [flag]     the value is true or false. A setting without whole, number or flag is checked where it is used
 * @property {number | boolean | string} [initial]  the default
 * @property {string} [field]  the field of the setting in nx_settings
 * @property {number} [off]    the value of this field for runs without the setting, if it differs from `initial`
 * @property {number} [on]     the value of this field that represents true, if it is not 1
 * @property {(value: any, info: AnyInfo) => boolean} [fits]  returns whether a model supports the value; the element ignores an attribute
 * whose value is not supported
 * @property {true} [attribute]  whether the element has an attribute of the same name, with hyphens
 */

/** The largest value of a setting that is limited only by its 32-bit type. */
const MANY = 2 ** 31 - 1;

/** @param {unknown} _ @param {AnyInfo} info */
const knowsClasses = (_, { classes }) => classes.length > 0;
/** @param {unknown} _ @param {AnyInfo} info */
const knowsSpeakers = (_, { speakers = [] }) => speakers.length > 0;

export const SETTINGS = /** @type {const} */ ({
  /** number of images (or captions of the image) to draw, 1 to 64; each has its own noise. Default 1 */
  samples: { of: 'picture latent caption', whole: [1, NX_MAX_SAMPLES], initial: 1, field: 'samples', attribute: true },
  /** {number | bigint} seed of the noise, 0 to 2^64 - 1. The same seed draws the same result. Default: a random one */
  seed: { of: 'picture sound code note text translation latent caption', attribute: true },
  /** 0 to 100. Below 1, probable values are drawn more often; at 0, the most probable value is always taken. With several beams, the
   * temperature must be 0. Default 1, or 0 for translations and captions */
  temperature: {
    of: 'picture sound code note text translation caption',
    number: [0, 100],
    initial: 1,
    field: 'temperature',
    attribute: true,
  },
  /** draw only from the k most probable values; 0: all. Default 0 */
  topK: { of: 'picture sound code note text', whole: [0, MANY], initial: 0, field: 'top_k' },
  /** locally typical sampling: keep the values whose surprisal is closest to the expected surprisal, until their total probability reaches
   * this number, 0 to 1; 1 keeps all values. Default 1 */
  typicalP: { of: 'text', number: [0, 1], initial: 1, field: 'typical_p' },
  /** nucleus sampling: keep the most probable values until their total probability reaches this number (above 0, at most 1). Default 1 */
  topP: { of: 'picture sound code note text', number: [0, 1], over: true, initial: 1, field: 'top_p', attribute: true },
  /** draw only from the values with at least this fraction of the largest probability, 0 to 1. Default 0 */
  minP: { of: 'text', number: [0, 1], initial: 0, field: 'min_p' },
  /** 0.01 to 100; above 1, tokens that occur among the last tokens become less probable. Default 1 */
  repetitionPenalty: { of: 'text', number: [0.01, 100], initial: 1, field: 'repetition' },
  /** from -100 to 100, subtracted from a token's logit once per occurrence. Default 0 */
  frequencyPenalty: { of: 'text', number: [-100, 100], initial: 0, field: 'frequency' },
  /** from -100 to 100, subtracted from the logit of each token that occurs at all. Default 0 */
  presencePenalty: { of: 'text', number: [-100, 100], initial: 0, field: 'presence' },
  /** how many of the last tokens the penalties consider. Default 64 */
  penaltyLast: { of: 'text', whole: [0, 2 ** 24], initial: 64, field: 'penalty_last', off: 0 },
  /** {Record<string, number> | Map<string | number, number>} biases to add to the logits of tokens. Each token is given by its id, or by a
   * string that is exactly one token; -Infinity forbids a token. At most 4096 biases */
  logitBias: { of: 'text' },
  /** {Label} the class to draw */
  label: { of: 'picture sound code latent', attribute: true, fits: knowsClasses },
  /** {ArrayLike<number> | ArrayLike<number>[]} the latent vector of the pictures, in the form of `step.latent`: a list of `info.latent`
   * numbers, about -3 to 3, or a list with one vector per sample. Default: drawn from the seed */
  latent: { of: 'latent' },
  /** {Label} the speaker, for an audio model that has several */
  speaker: { of: 'sound code', attribute: true, fits: knowsSpeakers },
  /** maximum length in seconds, above 0 and at most 120; the sound may end earlier. Default 2 */
  seconds: { of: 'sound code', number: [0, 120], over: true, initial: 2, attribute: true },
  /** end the sound when it has stayed below one fifth of its loudest 50 ms for this many seconds, 0 to 120; 0: only the model ends it.
   * Default 0 */
  silence: { of: 'sound', number: [0, 120], initial: 0 },
  /** maximum number of bars of music, 1 to 1000, including the given ones; the music may end earlier. Default: the model's capacity */
  bars: { of: 'note', whole: [1, 1000], attribute: true },
  /** quarter notes per minute, 20 to 400, for playback and files. Default 84 */
  tempo: { of: 'note', number: [20, 400], initial: 84, attribute: true },
  /** false: no drawn voice moves in parallel fifths or octaves with a higher voice. The model has not learned this rule of counterpoint.
   * Default true */
  parallels: { of: 'note', flag: true, initial: true },
  /** true: each step includes the model's whole distribution for each of the step's values, at temperature 1 and without filters. This is
   * slower, but the drawn samples stay the same. Default false */
  probabilities: { of: 'picture sound code note text translation caption', flag: true, initial: false },
  /** speculative decoding, for a single sample of a model with a draft (`info.lookAhead`): true computes several pixels per pass, false
   * computes one pixel per pass. Both give the same image. Default: the method that is faster on this machine, measured during the first
   * images */
  lookAhead: { of: 'picture', flag: true, field: 'look_ahead', off: 0, on: 8 },
  /** lets neighbouring samples compete in groups of this size; the number of samples must be a multiple of it. Every few rows, the less
   * likely half of each group is replaced by copies of the other half, with new noise. At the end, the samples of each group are sorted,
   * the likeliest first. With larger groups, the images have fewer mistakes but are plainer. 0 or 1: no sample is dropped. Default 0 */
  resample: { of: 'picture', initial: 0 },
  /** number of rows (of elements, if the model draws blocks) between two resamplings, 1 to the image's height. Default 4 */
  resampleRows: { of: 'picture' },
  /** maximum number of tokens to draw. Default: the rest of the context. If more tokens are requested, the older half of the context is
   * dropped whenever the context is full. For a translation, the default is 50 tokens more than the sentence has [Vaswani et al. 2017], but
   * at most the model's capacity; without a limit, unknown words may make the model repeat itself endlessly */
  maxTokens: { of: 'text translation', whole: [0, MANY], attribute: true },
  /** {string | string[]} strings that end the run where they would appear; the output does not include them. The name of a control token,
   * such as '<|im_start|>', means that token */
  stop: { of: 'text' },
  /** {Constraint} a grammar, or an object of your own that returns a mask of the allowed tokens before each token is drawn. Filters apply
   * to the allowed tokens only. A run with a constraint is slower, because each token needs a message to the worker and back, and there is
   * no speculative decoding. If all tokens are allowed, the result is the same as without a constraint */
  constraint: { of: 'text' },
  /** {string[]} restricts the output to one of these 1 to 1000 strings; each token is drawn with its probability among the tokens that
   * continue one of them */
  oneOf: { of: 'text' },
  /** 8 or 16: bits of the cached keys, if the file's weights are quantised. 16 is more precise, but takes 50 % more memory and some more
   * time. Default: 16 if the keys have biases, as in Qwen 2, where a few channels are large; otherwise 8 */
  keyBits: { of: 'text' },
  /** {SavedState} state (`saved.state`) of the saved run to continue, so that its tokens are not processed again. Only runs with this
   * option reuse the state */
  state: { of: 'text' },
  /** number of most probable tokens to report at each step, with their nats. Default 0 */
  alternatives: { of: 'text', whole: [0, 1024], initial: 0 },
  /** 1 to 16: number of hypotheses that the beam search keeps; when it ends, it returns the best one. With 1, the most probable token of
   * each step is returned immediately. Default 1 */
  beams: { of: 'translation caption', whole: [1, 16], initial: 1, attribute: true },
  /** 0 to 2, for several beams: the nats of a translation of n tokens, including the end token, are divided by ((5 + n) / 6) to this power,
   * so that long translations are not penalised. Default 0.6 */
  lengthPenalty: { of: 'translation caption', number: [0, 2], initial: 0.6 },
  /** true: each step is one position of each sample, and includes the attention of this position (`step.maps`). This is slower, because
   * there is no speculative decoding, but the drawn samples stay the same. Default false */
  maps: { of: 'picture note text translation latent caption', flag: true, initial: false },
  /** {string} words to write instead of words that the model chooses; each step then has the attention for its word */
  forced: { of: 'caption' },
  /** {number | (number | null)[]} the only location of the picture to attend to, as its index among the keys of `maps`. One index for all
   * words, or a list with one index for each of the first words; null in the list lets the model choose */
  lookAt: { of: 'caption' },
  /** {(step: SearchStep) => void} called after every step of a search with several beams */
  onSearch: { of: 'translation' },
  /** maximum number of elements in a step, rounded up to whole pixels if the model draws whole pixels. Default: as many as the engine draws
   * in about 10 ms */
  chunkSize: { of: 'picture sound code note', whole: [1, MANY] },
  /** {AbortSignal} stops the run */
  signal: { of: 'picture sound code note text translation latent caption' },

  // Settings that the library sets itself.

  /** index of the first sample to draw within the whole run; it selects the noise */
  first: { of: '', initial: 0, field: 'first_sample' },
  /** index of the first position within a longer run; it selects the noise */
  origin: { of: '', initial: 0, field: 'origin' },
  /**
   * true: the filters apply to the distribution at temperature 1, as is usual for language models; false: the filters apply to the
   * distribution at the run's temperature, as is usual for pictures
   */
  temperatureLast: { of: '', flag: true, initial: false, field: 'temperature_last' },
  /** speculative decoding without a draft model: drafts come from the text so far. Default: on if the model is large enough to benefit */
  lookUp: { of: '', flag: true, field: 'look_up' },
});

/** @typedef {keyof typeof SETTINGS} SettingName */

/** All rows, with their names. @type {[SettingName, Setting][]} */
export const ROWS = /** @type {any} */ (Object.entries(SETTINGS));
