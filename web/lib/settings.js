// SPDX-License-Identifier: MIT
// @ts-check

/**
 * Every setting of a run, a row each. From this table come what is checked, what goes to the worker, the fields of nx_settings that the
 * engine gets (fields.js, by node web/tools/options.js), the types of the options (options.js, with these comments, by the same), and attributes of
 * the element.
 */

import { NX_MAX_SAMPLES } from './engine/abi.js';

/** @import { ModelInfo } from './engine/protocol.js' */

/**
 * @typedef {object} Setting
 * @property {string} of       whose option it is: a kind, or 'translation', or several of these with spaces between; '': none, the
 *   library itself says so
 * @property {readonly [number, number]} [whole]   a whole number in this range
 * @property {readonly [number, number]} [number]  a number in this range
 * @property {true} [over]     the lower end of the range is not in it
 * @property {true} [flag]     true or false. Without any of these a setting is checked by who uses it
 * @property {number | boolean | string} [initial]  where nothing is said
 * @property {string} [field]  of nx_settings, which it becomes
 * @property {number} [off]    what that field is in a run that does not know the setting, if not `initial`
 * @property {number} [on]     what that field is for true, if not 1
 * @property {(value: any, info: ModelInfo) => boolean} [fits]  whether a model knows the value; one that does not is not told what the element says
 * @property {true} [attribute]  the element has an attribute for it, its name with hyphens
 */

/** The largest whole number that nothing bounds but 32 bits. */
const MANY = 2 ** 31 - 1;

/** @param {unknown} _ @param {ModelInfo} info */
const knowsClasses = (_, { classes }) => classes.length > 0;
/** @param {unknown} _ @param {ModelInfo} info */
const knowsSpeakers = (_, { speakers = [] }) => speakers.length > 0;

export const SETTINGS = /** @type {const} */ ({
  /** images to draw, or captions of one, each with noise of its own, 1 to 64. Default 1 */
  samples: { of: 'picture latent caption', whole: [1, NX_MAX_SAMPLES], initial: 1, field: 'samples', attribute: true },
  /** {number | bigint} of the noise, 0 to 2^64 - 1. The same seed draws the same again. Default: a random one */
  seed: { of: 'picture sound code note text translation latent caption', attribute: true },
  /** 0 to 100; below 1 what is drawn keeps closer to the likely, 0 always takes the most probable. Default 1; of a translation or
   * a caption 0, and over 0 only with one beam */
  temperature: {
    of: 'picture sound code note text translation caption',
    number: [0, 100],
    initial: 1,
    field: 'temperature',
    attribute: true,
  },
  /** draw among the k most probable values only; 0: all. Default 0 */
  topK: { of: 'picture sound code note text', whole: [0, MANY], initial: 0, field: 'top_k' },
  /** draw among the values whose surprise is nearest to the expected one and that together have this probability, 0 to 1; 1: all. Default 1 */
  typicalP: { of: 'text', number: [0, 1], initial: 1, field: 'typical_p' },
  /** draw among the most probable values that together have this probability, over 0 to 1. Default 1 */
  topP: { of: 'picture sound code note text', number: [0, 1], over: true, initial: 1, field: 'top_p', attribute: true },
  /** draw among the values whose probability is at least this share of that of the first, 0 to 1. Default 0 */
  minP: { of: 'text', number: [0, 1], initial: 0, field: 'min_p' },
  /** 0.01 to 100; over 1 makes less probable what stands among the last tokens. Default 1 */
  repetitionPenalty: { of: 'text', number: [0.01, 100], initial: 1, field: 'repetition' },
  /** from -100 to 100, taken from the logit of a token for each time it stands there. Default 0 */
  frequencyPenalty: { of: 'text', number: [-100, 100], initial: 0, field: 'frequency' },
  /** from -100 to 100, taken from the logit of a token that stands there at all. Default 0 */
  presencePenalty: { of: 'text', number: [-100, 100], initial: 0, field: 'presence' },
  /** how many of the last tokens the penalties look at. Default 64 */
  penaltyLast: { of: 'text', whole: [0, 2 ** 24], initial: 64, field: 'penalty_last', off: 0 },
  /** {Record<string, number> | Map<string | number, number>} added to the logits of tokens, which are given by number or by a text that is one
   * token: -Infinity never draws it. At most 4096 of them */
  logitBias: { of: 'text' },
  /** {Label} the class to draw */
  label: { of: 'picture sound code latent', attribute: true, fits: knowsClasses },
  /** {ArrayLike<number> | ArrayLike<number>[]} what the pictures are made of, as `step.latent` of another run has it: `info.latent` numbers, about
   * -3 to 3; or one for each sample. Default: drawn by the seed */
  latent: { of: 'latent' },
  /** {Label} of a model of sounds, the voice */
  speaker: { of: 'sound code', attribute: true, fits: knowsSpeakers },
  /** the most seconds to draw, over 0 to 120; a sound may end before. Default 2 */
  seconds: { of: 'sound code', number: [0, 120], over: true, initial: 2, attribute: true },
  /** end a sound after this many seconds in which it was softer than a fifth of its loudest twentieth of a second, 0 to 120; 0: the model alone ends it.
   * Default 0 */
  silence: { of: 'sound', number: [0, 120], initial: 0 },
  /** the most bars of music, 1 to 1000, those that were given among them; it may end before. Default: as many as the model has room for */
  bars: { of: 'note', whole: [1, 1000], attribute: true },
  /** quarters a minute, 20 to 400, at which music is played and written. Default 84 */
  tempo: { of: 'note', number: [20, 400], initial: 84, attribute: true },
  /** false: no voice that is drawn moves in parallel fifths or octaves with one above it, a rule of the craft that the model itself has not learnt. Default true */
  parallels: { of: 'note', flag: true, initial: true },
  /** true: every step has the whole distribution that each of its values was drawn from, as the model has it: temperature 1, no filter. Slower; what is drawn is the
   * same. Default false */
  probabilities: { of: 'picture sound note text', flag: true, initial: false },
  /** for a single sample of a model that can guess ahead (`info.lookAhead`): true computes several pixels in a pass, false one. The image is the
   * same. Default: whichever is faster on this machine, which the first images measure while they are drawn */
  lookAhead: { of: 'picture', flag: true, field: 'look_ahead', off: 0, on: 8 },
  /** the samples compete while they are drawn, in groups of this many neighbours, which must divide them: every few rows the
   * less likely half of each group is given up, and what is left goes on twice, with noise of its own. At the end the samples of a group
   * stand in the order of their likelihood, the likeliest first. The larger the group, the fewer slips, and the plainer the image. 0 or 1:
   * no sample is given up. Default 0 */
  resample: { of: 'picture', initial: 0 },
  /** after how many rows, or as many elements where the model draws blocks, 1 to the image's height. Default 4 */
  resampleRows: { of: 'picture' },
  /** the most tokens to draw. Default: as many as the context has room for; for more than that, the older half of the context is forgotten
   * whenever it is full. Of a translation 50 more than the sentence has, as in the paper, or as many as the model has room for: what it does
   * not know may lead it round in circles */
  maxTokens: { of: 'text translation', whole: [0, MANY], attribute: true },
  /** {string | string[]} texts that end the run where they would appear; they do not appear. The name of a control token in one means that
   * token, such as '<|im_start|>' */
  stop: { of: 'text' },
  /** {Constraint} what says before each token which ones may come, by a mask: a grammar, or an object of your own. The filters see the others no more.
   * Every token is a message to the worker and back, and nothing is guessed ahead; where nothing is forbidden, the tokens are the same */
  constraint: { of: 'text' },
  /** {string[]} 1 to 1000 texts, one of which is drawn, in whatever tokens, with the odds that its tokens have among those that go on with one of them */
  oneOf: { of: 'text' },
  /** 8 or 16: bits of the keys that attention remembers, where the file's weights are rounded. 16 takes half as much memory again and some
   * time, and loses less. Default: 16 where the keys of the file have biases, as in Qwen 2, which are large in a few channels; else 8 */
  keyBits: { of: 'text' },
  /** {SavedState} of a saved run whose tokens this one begins with, `saved.state`: they are not read again. Only runs that are given it go on from it */
  state: { of: 'text' },
  /** how many of the most probable tokens every step names, with their nats. Default 0 */
  alternatives: { of: 'text', whole: [0, 1024], initial: 0 },
  /** 1 to 16: how many translations are followed side by side, of which the best is told once all is known. 1: the most probable token at
   * every step, told as it comes. Default 1 */
  beams: { of: 'translation caption', whole: [1, 16], initial: 1, attribute: true },
  /** 0 to 2, for several beams: the cost of a translation of n tokens, its end included, counts divided by ((5 + n) / 6) to this power, so that
   * a long one is not worse for its length. Default 0.6 */
  lengthPenalty: { of: 'translation caption', number: [0, 2], initial: 0.6 },
  /** true: every step is one position of each sample and says what it looked at (`step.maps`). Slower, and nothing is guessed ahead; what is
   * drawn is the same. Default false */
  maps: { of: 'picture note text translation latent caption', flag: true, initial: false },
  /** {string} words that are given: what was looked at when each of them was written, in place of words of the model's own */
  forced: { of: 'caption' },
  /** {number | (number | null)[]} the place of the picture that is seen alone, by its number in `maps.weights`, whatever the model would look at; one for all
   * words, or a list of them for the first words, null where it looks by itself */
  lookAt: { of: 'caption' },
  /** {(step: SearchStep) => void} called after every step of a search with several beams */
  onSearch: { of: 'translation' },
  /** the most elements in a step, rounded up to whole pixels where the model draws these as a whole. Default: as many as take about 10 ms */
  chunkSize: { of: 'picture sound code note', whole: [1, MANY] },
  /** {AbortSignal} stops the run */
  signal: { of: 'picture sound code note text translation latent caption' },

  // Settings that the library gives to itself.

  /** which sample of the whole run, and so of the noise, is the first of these */
  first: { of: '', initial: 0, field: 'first_sample' },
  /** which position of a longer run, and so of the noise, is the first */
  origin: { of: '', initial: 0, field: 'origin' },
  /** the filters look at the model's own odds, as is usual for language models, and not at the tempered ones, as it is for pictures */
  temperatureLast: { of: '', flag: true, initial: false, field: 'temperature_last' },
  /** look-ahead of a model without a draft guesses from the text so far. Default: where the model is large enough for that to pay */
  lookUp: { of: '', flag: true, field: 'look_up' },
});

/** @typedef {keyof typeof SETTINGS} SettingName */

/** The rows, by name. @type {[SettingName, Setting][]} */
export const ROWS = /** @type {any} */ (Object.entries(SETTINGS));
