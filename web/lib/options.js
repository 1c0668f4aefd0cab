// SPDX-License-Identifier: MIT
// Made of web/lib/settings.js and web/lib/kinds by node web/tools/options.js: change those.
// @ts-check

/** The options of runs. */

/** @import { Label } from './base/checks.js' */
/** @import { Constraint } from './kinds/text/constraint.js' */
/** @import { SavedState } from './kinds/text/saved-state.js' */
/** @import { SearchStep } from './kinds/text/translation-run.js' */

/**
 * The options of captions. By default the most probable word at every step, attending to the most probable location.
 *
 * @typedef {object} CaptionOptions
 * @property {number} [samples] number of images (or captions of the image) to draw, each with its own noise, 1 to 64. Default 1
 * @property {number | bigint} [seed] seed of the noise, 0 to 2^64 - 1. The same seed draws the same result. Default: a random one
 * @property {number} [temperature] 0 to 100; values below 1 favour likely values, 0 always takes the most probable one. Default 1; for a
 * translation or a caption 0, and above 0 only with one beam
 * @property {boolean} [probabilities] true: each step includes the whole distribution of each of its values under the model itself:
 * temperature 1, no filter. Slower; the drawn samples are the same. Default false
 * @property {number} [beams] 1 to 16: number of hypotheses of the beam search; the best one is returned at the end. 1: the most probable
 * token at every step, returned as it comes. Default 1
 * @property {number} [lengthPenalty] 0 to 2, for several beams: the nats of a translation of n tokens, its end included, are divided by ((5
 * + n) / 6) to this power, so that long translations are not penalised. Default 0.6
 * @property {boolean} [maps] true: each step is one position of each sample and includes its attention (`step.maps`). Slower, without
 * speculative decoding; the drawn samples are the same. Default false
 * @property {string} [forced] given words: returns the attention at each of them instead of writing the model's own words
 * @property {number | (number | null)[]} [lookAt] the only location of the picture that is attended to, by its index in the keys of `maps`;
 * one for all words, or a list of them for the first words, null where the model chooses
 * @property {AbortSignal} [signal] stops the run
 */

/**
 * The options of sounds drawn by their codes.
 *
 * @typedef {object} CodeOptions
 * @property {number | bigint} [seed] seed of the noise, 0 to 2^64 - 1. The same seed draws the same result. Default: a random one
 * @property {number} [temperature] 0 to 100; values below 1 favour likely values, 0 always takes the most probable one. Default 1; for a
 * translation or a caption 0, and above 0 only with one beam
 * @property {number} [topK] draw only from the k most probable values; 0: all. Default 0
 * @property {number} [topP] draw from the most probable values whose total probability is this, over 0 to 1. Default 1
 * @property {Label} [label] the class to draw
 * @property {Label} [speaker] the speaker, for an audio model that has several
 * @property {number} [seconds] maximum length in seconds, over 0 to 120; the sound may end before. Default 2
 * @property {boolean} [probabilities] true: each step includes the whole distribution of each of its values under the model itself:
 * temperature 1, no filter. Slower; the drawn samples are the same. Default false
 * @property {number} [chunkSize] maximum number of elements in a step, rounded up to whole pixels if the model draws these as a whole.
 * Default: as many as take about 10 ms
 * @property {AbortSignal} [signal] stops the run
 */

/**
 * The options of pictures drawn in one pass from latents. Without a label the classes alternate.
 *
 * @typedef {object} LatentOptions
 * @property {number} [samples] number of images (or captions of the image) to draw, each with its own noise, 1 to 64. Default 1
 * @property {number | bigint} [seed] seed of the noise, 0 to 2^64 - 1. The same seed draws the same result. Default: a random one
 * @property {Label} [label] the class to draw
 * @property {ArrayLike<number> | ArrayLike<number>[]} [latent] the latent of the pictures, in the form of `step.latent`: `info.latent`
 * numbers, about -3 to 3; or one for each sample. Default: drawn from the seed
 * @property {boolean} [maps] true: each step is one position of each sample and includes its attention (`step.maps`). Slower, without
 * speculative decoding; the drawn samples are the same. Default false
 * @property {AbortSignal} [signal] stops the run
 */

/**
 * The options of music.
 *
 * @typedef {object} NoteOptions
 * @property {number | bigint} [seed] seed of the noise, 0 to 2^64 - 1. The same seed draws the same result. Default: a random one
 * @property {number} [temperature] 0 to 100; values below 1 favour likely values, 0 always takes the most probable one. Default 1; for a
 * translation or a caption 0, and above 0 only with one beam
 * @property {number} [topK] draw only from the k most probable values; 0: all. Default 0
 * @property {number} [topP] draw from the most probable values whose total probability is this, over 0 to 1. Default 1
 * @property {number} [bars] maximum number of bars of music, 1 to 1000, including the given ones; the music may end before. Default: the
 * model's capacity
 * @property {number} [tempo] quarters per minute, 20 to 400, for playback and files. Default 84
 * @property {boolean} [parallels] false: no drawn voice moves in parallel fifths or octaves with a higher one, a rule of counterpoint that
 * the model has not learned. Default true
 * @property {boolean} [probabilities] true: each step includes the whole distribution of each of its values under the model itself:
 * temperature 1, no filter. Slower; the drawn samples are the same. Default false
 * @property {boolean} [maps] true: each step is one position of each sample and includes its attention (`step.maps`). Slower, without
 * speculative decoding; the drawn samples are the same. Default false
 * @property {number} [chunkSize] maximum number of elements in a step, rounded up to whole pixels if the model draws these as a whole.
 * Default: as many as take about 10 ms
 * @property {AbortSignal} [signal] stops the run
 */

/**
 * The options of pictures.
 *
 * @typedef {object} PictureOptions
 * @property {number} [samples] number of images (or captions of the image) to draw, each with its own noise, 1 to 64. Default 1
 * @property {number | bigint} [seed] seed of the noise, 0 to 2^64 - 1. The same seed draws the same result. Default: a random one
 * @property {number} [temperature] 0 to 100; values below 1 favour likely values, 0 always takes the most probable one. Default 1; for a
 * translation or a caption 0, and above 0 only with one beam
 * @property {number} [topK] draw only from the k most probable values; 0: all. Default 0
 * @property {number} [topP] draw from the most probable values whose total probability is this, over 0 to 1. Default 1
 * @property {Label} [label] the class to draw
 * @property {boolean} [probabilities] true: each step includes the whole distribution of each of its values under the model itself:
 * temperature 1, no filter. Slower; the drawn samples are the same. Default false
 * @property {boolean} [lookAhead] speculative decoding, for a single sample of a model with a draft (`info.lookAhead`): true computes
 * several pixels in a pass, false one. The image is the same. Default: the faster one on this machine, measured while the first images are
 * drawn
 * @property {number} [resample] samples compete while they are drawn, in groups of this many neighbours, which must divide them: every few
 * rows the less likely half of each group is dropped, and the other half is duplicated, with new noise. At the end the samples of a group
 * are sorted, the likeliest first. Larger groups make fewer slips and plainer images. 0 or 1: no sample is dropped. Default 0
 * @property {number} [resampleRows] number of rows between two resamplings, or as many elements if the model draws blocks, 1 to the image's
 * height. Default 4
 * @property {boolean} [maps] true: each step is one position of each sample and includes its attention (`step.maps`). Slower, without
 * speculative decoding; the drawn samples are the same. Default false
 * @property {number} [chunkSize] maximum number of elements in a step, rounded up to whole pixels if the model draws these as a whole.
 * Default: as many as take about 10 ms
 * @property {AbortSignal} [signal] stops the run
 */

/**
 * The options of audio.
 *
 * @typedef {object} SoundOptions
 * @property {number | bigint} [seed] seed of the noise, 0 to 2^64 - 1. The same seed draws the same result. Default: a random one
 * @property {number} [temperature] 0 to 100; values below 1 favour likely values, 0 always takes the most probable one. Default 1; for a
 * translation or a caption 0, and above 0 only with one beam
 * @property {number} [topK] draw only from the k most probable values; 0: all. Default 0
 * @property {number} [topP] draw from the most probable values whose total probability is this, over 0 to 1. Default 1
 * @property {Label} [label] the class to draw
 * @property {Label} [speaker] the speaker, for an audio model that has several
 * @property {number} [seconds] maximum length in seconds, over 0 to 120; the sound may end before. Default 2
 * @property {number} [silence] stop after this many seconds below one fifth of the loudest 50 ms, 0 to 120; 0: only the model ends the
 * sound. Default 0
 * @property {boolean} [probabilities] true: each step includes the whole distribution of each of its values under the model itself:
 * temperature 1, no filter. Slower; the drawn samples are the same. Default false
 * @property {number} [chunkSize] maximum number of elements in a step, rounded up to whole pixels if the model draws these as a whole.
 * Default: as many as take about 10 ms
 * @property {AbortSignal} [signal] stops the run
 */

/**
 * The options of texts. In this order: biases and penalties change the probabilities, top-k, typical, top-p and min-p each drop some tokens,
 * the temperature sharpens or flattens the remaining distribution, and one token is drawn.
 *
 * @typedef {object} TextOptions
 * @property {number | bigint} [seed] seed of the noise, 0 to 2^64 - 1. The same seed draws the same result. Default: a random one
 * @property {number} [temperature] 0 to 100; values below 1 favour likely values, 0 always takes the most probable one. Default 1; for a
 * translation or a caption 0, and above 0 only with one beam
 * @property {number} [topK] draw only from the k most probable values; 0: all. Default 0
 * @property {number} [typicalP] locally typical sampling: draw from the values whose surprisal is closest to the expected one and whose
 * total probability is this, 0 to 1; 1: all. Default 1
 * @property {number} [topP] draw from the most probable values whose total probability is this, over 0 to 1. Default 1
 * @property {number} [minP] draw from the values with at least this fraction of the largest probability, 0 to 1. Default 0
 * @property {number} [repetitionPenalty] 0.01 to 100; above 1, tokens among the last ones become less probable. Default 1
 * @property {number} [frequencyPenalty] from -100 to 100, subtracted from a token's logit once for each time that it occurs. Default 0
 * @property {number} [presencePenalty] from -100 to 100, subtracted from the logit of each token that occurs at all. Default 0
 * @property {number} [penaltyLast] how many of the last tokens the penalties consider. Default 64
 * @property {Record<string, number> | Map<string | number, number>} [logitBias] added to the logits of tokens, given by id or by a text that
 * is one token: -Infinity never draws it. At most 4096 of them
 * @property {boolean} [probabilities] true: each step includes the whole distribution of each of its values under the model itself:
 * temperature 1, no filter. Slower; the drawn samples are the same. Default false
 * @property {number} [maxTokens] maximum number of tokens to draw. Default: the rest of the context; if more are requested, the older half
 * of the context is dropped whenever it is full. For a translation, 50 more than the sentence has, as in the paper, or the model's capacity,
 * because unknown words may make it loop
 * @property {string | string[]} [stop] texts that end the run when they are about to appear; they are not part of the output. The name of a
 * control token, such as '<|im_start|>', means that token
 * @property {Constraint} [constraint] gives the allowed tokens before each token, as a mask: a grammar, or an object that you write. The
 * filters act on the allowed tokens only. Every token is a message to the worker and back, without speculative decoding; if all tokens are
 * allowed, the result is the same
 * @property {string[]} [oneOf] restricts the output to one of these 1 to 1000 strings; each token is drawn with its probability among those
 * that continue one of them
 * @property {number} [keyBits] 8 or 16: bits of the cached keys, if the file's weights are quantised. 16 needs half as much memory again and
 * some time, and is more precise. Default: 16 if the keys have biases, as in Qwen 2, where a few channels are large; otherwise 8
 * @property {SavedState} [state] state of a saved run that this one continues, `saved.state`: its tokens are not processed again. Only runs
 * that are given the state reuse it
 * @property {number} [alternatives] number of most probable tokens to report at each step, with their nats. Default 0
 * @property {boolean} [maps] true: each step is one position of each sample and includes its attention (`step.maps`). Slower, without
 * speculative decoding; the drawn samples are the same. Default false
 * @property {AbortSignal} [signal] stops the run
 */

/**
 * The options of translations. By default the most probable token at every step.
 *
 * @typedef {object} TranslationOptions
 * @property {number | bigint} [seed] seed of the noise, 0 to 2^64 - 1. The same seed draws the same result. Default: a random one
 * @property {number} [temperature] 0 to 100; values below 1 favour likely values, 0 always takes the most probable one. Default 1; for a
 * translation or a caption 0, and above 0 only with one beam
 * @property {boolean} [probabilities] true: each step includes the whole distribution of each of its values under the model itself:
 * temperature 1, no filter. Slower; the drawn samples are the same. Default false
 * @property {number} [maxTokens] maximum number of tokens to draw. Default: the rest of the context; if more are requested, the older half
 * of the context is dropped whenever it is full. For a translation, 50 more than the sentence has, as in the paper, or the model's capacity,
 * because unknown words may make it loop
 * @property {number} [beams] 1 to 16: number of hypotheses of the beam search; the best one is returned at the end. 1: the most probable
 * token at every step, returned as it comes. Default 1
 * @property {number} [lengthPenalty] 0 to 2, for several beams: the nats of a translation of n tokens, its end included, are divided by ((5
 * + n) / 6) to this power, so that long translations are not penalised. Default 0.6
 * @property {boolean} [maps] true: each step is one position of each sample and includes its attention (`step.maps`). Slower, without
 * speculative decoding; the drawn samples are the same. Default false
 * @property {(step: SearchStep) => void} [onSearch] called after every step of a search with several beams
 * @property {AbortSignal} [signal] stops the run
 */

export {};
