// SPDX-License-Identifier: MIT
// Made of web/lib/settings.js and web/lib/kinds by node web/tools/options.js: change those.
// @ts-check

/** The options of runs. */

/** @import { Label } from './base/checks.js' */
/** @import { Constraint } from './kinds/text/constraint.js' */
/** @import { SavedState } from './kinds/text/saved-state.js' */
/** @import { SearchStep } from './kinds/text/translation-run.js' */

/**
 * The options with which it is said what a picture shows: by default the most probable word at every step, seen at the most probable place.
 *
 * @typedef {object} CaptionOptions
 * @property {number} [samples] images to draw, or captions of one, each with noise of its own, 1 to 64. Default 1
 * @property {number | bigint} [seed] of the noise, 0 to 2^64 - 1. The same seed draws the same again. Default: a random one
 * @property {number} [temperature] 0 to 100; below 1 what is drawn keeps closer to the likely, 0 always takes the most probable. Default 1;
 * of a translation or a caption 0, and over 0 only with one beam
 * @property {number} [beams] 1 to 16: how many translations are followed side by side, of which the best is told once all is known. 1: the
 * most probable token at every step, told as it comes. Default 1
 * @property {number} [lengthPenalty] 0 to 2, for several beams: the cost of a translation of n tokens, its end included, counts divided by
 * ((5 + n) / 6) to this power, so that a long one is not worse for its length. Default 0.6
 * @property {boolean} [maps] true: every step is one position of each sample and says what it looked at (`step.maps`). Slower, and nothing
 * is guessed ahead; what is drawn is the same. Default false
 * @property {string} [forced] words that are given: what was looked at when each of them was written, in place of words of the model's own
 * @property {number | (number | null)[]} [lookAt] the place of the picture that is seen alone, by its number in `maps.weights`, whatever the
 * model would look at; one for all words, or a list of them for the first words, null where it looks by itself
 * @property {AbortSignal} [signal] stops the run
 */

/**
 * The options with which sounds are drawn by their codes.
 *
 * @typedef {object} CodeOptions
 * @property {number | bigint} [seed] of the noise, 0 to 2^64 - 1. The same seed draws the same again. Default: a random one
 * @property {number} [temperature] 0 to 100; below 1 what is drawn keeps closer to the likely, 0 always takes the most probable. Default 1;
 * of a translation or a caption 0, and over 0 only with one beam
 * @property {number} [topK] draw among the k most probable values only; 0: all. Default 0
 * @property {number} [topP] draw among the most probable values that together have this probability, over 0 to 1. Default 1
 * @property {Label} [label] the class to draw
 * @property {Label} [speaker] of a model of sounds, the voice
 * @property {number} [seconds] the most seconds to draw, over 0 to 120; a sound may end before. Default 2
 * @property {number} [chunkSize] the most elements in a step, rounded up to whole pixels where the model draws these as a whole. Default: as
 * many as take about 10 ms
 * @property {AbortSignal} [signal] stops the run
 */

/**
 * The options with which pictures are made at once, of latents. Without a label the classes take turns.
 *
 * @typedef {object} LatentOptions
 * @property {number} [samples] images to draw, or captions of one, each with noise of its own, 1 to 64. Default 1
 * @property {number | bigint} [seed] of the noise, 0 to 2^64 - 1. The same seed draws the same again. Default: a random one
 * @property {Label} [label] the class to draw
 * @property {ArrayLike<number> | ArrayLike<number>[]} [latent] what the pictures are made of, as `step.latent` of another run has it:
 * `info.latent` numbers, about -3 to 3; or one for each sample. Default: drawn by the seed
 * @property {boolean} [maps] true: every step is one position of each sample and says what it looked at (`step.maps`). Slower, and nothing
 * is guessed ahead; what is drawn is the same. Default false
 * @property {AbortSignal} [signal] stops the run
 */

/**
 * The options with which music is drawn.
 *
 * @typedef {object} NoteOptions
 * @property {number | bigint} [seed] of the noise, 0 to 2^64 - 1. The same seed draws the same again. Default: a random one
 * @property {number} [temperature] 0 to 100; below 1 what is drawn keeps closer to the likely, 0 always takes the most probable. Default 1;
 * of a translation or a caption 0, and over 0 only with one beam
 * @property {number} [topK] draw among the k most probable values only; 0: all. Default 0
 * @property {number} [topP] draw among the most probable values that together have this probability, over 0 to 1. Default 1
 * @property {number} [bars] the most bars of music, 1 to 1000, those that were given among them; it may end before. Default: as many as the
 * model has room for
 * @property {number} [tempo] quarters a minute, 20 to 400, at which music is played and written. Default 84
 * @property {boolean} [parallels] false: no voice that is drawn moves in parallel fifths or octaves with one above it, a rule of the craft
 * that the model itself has not learnt. Default true
 * @property {boolean} [probabilities] true: every step has the whole distribution that each of its values was drawn from, as the model has
 * it: temperature 1, no filter. Slower; what is drawn is the same. Default false
 * @property {boolean} [maps] true: every step is one position of each sample and says what it looked at (`step.maps`). Slower, and nothing
 * is guessed ahead; what is drawn is the same. Default false
 * @property {number} [chunkSize] the most elements in a step, rounded up to whole pixels where the model draws these as a whole. Default: as
 * many as take about 10 ms
 * @property {AbortSignal} [signal] stops the run
 */

/**
 * The options with which pictures are drawn.
 *
 * @typedef {object} PictureOptions
 * @property {number} [samples] images to draw, or captions of one, each with noise of its own, 1 to 64. Default 1
 * @property {number | bigint} [seed] of the noise, 0 to 2^64 - 1. The same seed draws the same again. Default: a random one
 * @property {number} [temperature] 0 to 100; below 1 what is drawn keeps closer to the likely, 0 always takes the most probable. Default 1;
 * of a translation or a caption 0, and over 0 only with one beam
 * @property {number} [topK] draw among the k most probable values only; 0: all. Default 0
 * @property {number} [topP] draw among the most probable values that together have this probability, over 0 to 1. Default 1
 * @property {Label} [label] the class to draw
 * @property {boolean} [probabilities] true: every step has the whole distribution that each of its values was drawn from, as the model has
 * it: temperature 1, no filter. Slower; what is drawn is the same. Default false
 * @property {boolean} [lookAhead] for a single sample of a model that can guess ahead (`info.lookAhead`): true computes several pixels in a
 * pass, false one. The image is the same. Default: whichever is faster on this machine, which the first images measure while they are drawn
 * @property {number} [resample] the samples compete while they are drawn, in groups of this many neighbours, which must divide them: every
 * few rows the less likely half of each group is given up, and what is left goes on twice, with noise of its own. At the end the samples of
 * a group stand in the order of their likelihood, the likeliest first. The larger the group, the fewer slips, and the plainer the image. 0
 * or 1: no sample is given up. Default 0
 * @property {number} [resampleRows] after how many rows, or as many elements where the model draws blocks, 1 to the image's height. Default
 * 4
 * @property {boolean} [maps] true: every step is one position of each sample and says what it looked at (`step.maps`). Slower, and nothing
 * is guessed ahead; what is drawn is the same. Default false
 * @property {number} [chunkSize] the most elements in a step, rounded up to whole pixels where the model draws these as a whole. Default: as
 * many as take about 10 ms
 * @property {AbortSignal} [signal] stops the run
 */

/**
 * The options with which sounds are drawn.
 *
 * @typedef {object} SoundOptions
 * @property {number | bigint} [seed] of the noise, 0 to 2^64 - 1. The same seed draws the same again. Default: a random one
 * @property {number} [temperature] 0 to 100; below 1 what is drawn keeps closer to the likely, 0 always takes the most probable. Default 1;
 * of a translation or a caption 0, and over 0 only with one beam
 * @property {number} [topK] draw among the k most probable values only; 0: all. Default 0
 * @property {number} [topP] draw among the most probable values that together have this probability, over 0 to 1. Default 1
 * @property {Label} [label] the class to draw
 * @property {Label} [speaker] of a model of sounds, the voice
 * @property {number} [seconds] the most seconds to draw, over 0 to 120; a sound may end before. Default 2
 * @property {number} [silence] end a sound after this many seconds in which it was softer than a fifth of its loudest twentieth of a second,
 * 0 to 120; 0: the model alone ends it. Default 0
 * @property {boolean} [probabilities] true: every step has the whole distribution that each of its values was drawn from, as the model has
 * it: temperature 1, no filter. Slower; what is drawn is the same. Default false
 * @property {number} [chunkSize] the most elements in a step, rounded up to whole pixels where the model draws these as a whole. Default: as
 * many as take about 10 ms
 * @property {AbortSignal} [signal] stops the run
 */

/**
 * The options with which tokens are drawn. In this order: biases and penalties change the probabilities, top-k, typical, top-p and min-p
 * each leave some tokens out, the temperature sharpens or flattens what is left, and one is drawn.
 *
 * @typedef {object} TextOptions
 * @property {number | bigint} [seed] of the noise, 0 to 2^64 - 1. The same seed draws the same again. Default: a random one
 * @property {number} [temperature] 0 to 100; below 1 what is drawn keeps closer to the likely, 0 always takes the most probable. Default 1;
 * of a translation or a caption 0, and over 0 only with one beam
 * @property {number} [topK] draw among the k most probable values only; 0: all. Default 0
 * @property {number} [typicalP] draw among the values whose surprise is nearest to the expected one and that together have this probability,
 * 0 to 1; 1: all. Default 1
 * @property {number} [topP] draw among the most probable values that together have this probability, over 0 to 1. Default 1
 * @property {number} [minP] draw among the values whose probability is at least this share of that of the first, 0 to 1. Default 0
 * @property {number} [repetitionPenalty] 0.01 to 100; over 1 makes less probable what stands among the last tokens. Default 1
 * @property {number} [frequencyPenalty] from -100 to 100, taken from the logit of a token for each time it stands there. Default 0
 * @property {number} [presencePenalty] from -100 to 100, taken from the logit of a token that stands there at all. Default 0
 * @property {number} [penaltyLast] how many of the last tokens the penalties look at. Default 64
 * @property {Record<string, number> | Map<string | number, number>} [logitBias] added to the logits of tokens, which are given by number or
 * by a text that is one token: -Infinity never draws it. At most 4096 of them
 * @property {boolean} [probabilities] true: every step has the whole distribution that each of its values was drawn from, as the model has
 * it: temperature 1, no filter. Slower; what is drawn is the same. Default false
 * @property {number} [maxTokens] the most tokens to draw. Default: as many as the context has room for; for more than that, the older half
 * of the context is forgotten whenever it is full. Of a translation 50 more than the sentence has, as in the paper, or as many as the model
 * has room for: what it does not know may lead it round in circles
 * @property {string | string[]} [stop] texts that end the run where they would appear; they do not appear. The name of a control token in
 * one means that token, such as '<|im_start|>'
 * @property {Constraint} [constraint] what says before each token which ones may come, by a mask: a grammar, or an object of your own. The
 * filters see the others no more. Every token is a message to the worker and back, and nothing is guessed ahead; where nothing is forbidden,
 * the tokens are the same
 * @property {string[]} [oneOf] 1 to 1000 texts, one of which is drawn, in whatever tokens, with the odds that its tokens have among those
 * that go on with one of them
 * @property {number} [keyBits] 8 or 16: bits of the keys that attention remembers, where the file's weights are rounded. 16 takes half as
 * much memory again and some time, and loses less. Default: 16 where the keys of the file have biases, as in Qwen 2, which are large in a
 * few channels; else 8
 * @property {SavedState} [state] of a saved run whose tokens this one begins with, `saved.state`: they are not read again. Only runs that
 * are given it go on from it
 * @property {number} [alternatives] how many of the most probable tokens every step names, with their nats. Default 0
 * @property {boolean} [maps] true: every step is one position of each sample and says what it looked at (`step.maps`). Slower, and nothing
 * is guessed ahead; what is drawn is the same. Default false
 * @property {AbortSignal} [signal] stops the run
 */

/**
 * The options with which a sentence is translated: by default the most probable token at every step.
 *
 * @typedef {object} TranslationOptions
 * @property {number | bigint} [seed] of the noise, 0 to 2^64 - 1. The same seed draws the same again. Default: a random one
 * @property {number} [temperature] 0 to 100; below 1 what is drawn keeps closer to the likely, 0 always takes the most probable. Default 1;
 * of a translation or a caption 0, and over 0 only with one beam
 * @property {number} [maxTokens] the most tokens to draw. Default: as many as the context has room for; for more than that, the older half
 * of the context is forgotten whenever it is full. Of a translation 50 more than the sentence has, as in the paper, or as many as the model
 * has room for: what it does not know may lead it round in circles
 * @property {number} [beams] 1 to 16: how many translations are followed side by side, of which the best is told once all is known. 1: the
 * most probable token at every step, told as it comes. Default 1
 * @property {number} [lengthPenalty] 0 to 2, for several beams: the cost of a translation of n tokens, its end included, counts divided by
 * ((5 + n) / 6) to this power, so that a long one is not worse for its length. Default 0.6
 * @property {boolean} [maps] true: every step is one position of each sample and says what it looked at (`step.maps`). Slower, and nothing
 * is guessed ahead; what is drawn is the same. Default false
 * @property {(step: SearchStep) => void} [onSearch] called after every step of a search with several beams
 * @property {AbortSignal} [signal] stops the run
 */

export {};
