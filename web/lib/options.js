// SPDX-License-Identifier: MIT
// Generated from web/lib/settings.js and web/lib/kinds by node web/tools/options.js: edit those files.
// @ts-check

/** The options of runs. */

/** @import { Label } from './base/checks.js' */
/** @import { Constraint } from './kinds/text/constraint.js' */
/** @import { SavedState } from './kinds/text/saved-state.js' */
/** @import { SearchStep } from './kinds/text/translation-run.js' */

/**
 * The options for drawing captions. By default, each step takes the most probable word and attends to the most probable location.
 *
 * @typedef {object} CaptionOptions
 * @property {number} [samples] number of images (or captions of the image) to draw, each with its own noise, 1 to 64. Default 1
 * @property {number | bigint} [seed] seed of the noise, 0 to 2^64 - 1. The same seed draws the same result. Default: a random one
 * @property {number} [temperature] 0 to 100. Below 1, probable values are drawn more often; at 0, the most probable value is always taken.
 * With several beams, the temperature must be 0. Default 1, or 0 for translations and captions
 * @property {boolean} [probabilities] true: each step includes the model's whole distribution for each of the step's values, at temperature
 * 1 and without filters. This is slower, but the drawn samples stay the same. Default false
 * @property {number} [beams] 1 to 16: number of hypotheses that the beam search keeps; when it ends, it returns the best one. With 1, the
 * most probable token of each step is returned immediately. Default 1
 * @property {number} [lengthPenalty] 0 to 2, for several beams: the nats of a translation of n tokens, including the end token, are divided
 * by ((5 + n) / 6) to this power, so that long translations are not penalised. Default 0.6
 * @property {boolean} [maps] true: each step is one position of each sample, and includes the attention of this position (`step.maps`). This
 * is slower, because there is no speculative decoding, but the drawn samples stay the same. Default false
 * @property {string} [forced] words to write instead of words that the model chooses; each step then has the attention for its word
 * @property {number | (number | null)[]} [lookAt] the only location of the picture to attend to, as its index among the keys of `maps`. One
 * index for all words, or a list with one index for each of the first words; null in the list lets the model choose
 * @property {AbortSignal} [signal] stops the run
 */

/**
 * The options for drawing sounds as codes.
 *
 * @typedef {object} CodeOptions
 * @property {number | bigint} [seed] seed of the noise, 0 to 2^64 - 1. The same seed draws the same result. Default: a random one
 * @property {number} [temperature] 0 to 100. Below 1, probable values are drawn more often; at 0, the most probable value is always taken.
 * With several beams, the temperature must be 0. Default 1, or 0 for translations and captions
 * @property {number} [topK] draw only from the k most probable values; 0: all. Default 0
 * @property {number} [topP] nucleus sampling: keep the most probable values, until their probabilities add up to this value, above 0 and at
 * most 1. Default 1
 * @property {Label} [label] the class to draw
 * @property {Label} [speaker] the speaker, for an audio model that has several
 * @property {number} [seconds] maximum length in seconds, above 0 and at most 120; the sound may end earlier. Default 2
 * @property {boolean} [probabilities] true: each step includes the model's whole distribution for each of the step's values, at temperature
 * 1 and without filters. This is slower, but the drawn samples stay the same. Default false
 * @property {number} [chunkSize] maximum number of elements in a step, rounded up to whole pixels if the model draws whole pixels. Default:
 * as many as the engine draws in about 10 ms
 * @property {AbortSignal} [signal] stops the run
 */

/**
 * The options for drawing pictures in one pass from latents. Without a label, the samples alternate between the classes.
 *
 * @typedef {object} LatentOptions
 * @property {number} [samples] number of images (or captions of the image) to draw, each with its own noise, 1 to 64. Default 1
 * @property {number | bigint} [seed] seed of the noise, 0 to 2^64 - 1. The same seed draws the same result. Default: a random one
 * @property {Label} [label] the class to draw
 * @property {ArrayLike<number> | ArrayLike<number>[]} [latent] the latent vector of the pictures, in the form of `step.latent`:
 * `info.latent` numbers, about -3 to 3; or a list with one vector per sample. Default: drawn from the seed
 * @property {boolean} [maps] true: each step is one position of each sample, and includes the attention of this position (`step.maps`). This
 * is slower, because there is no speculative decoding, but the drawn samples stay the same. Default false
 * @property {AbortSignal} [signal] stops the run
 */

/**
 * The options for drawing music.
 *
 * @typedef {object} NoteOptions
 * @property {number | bigint} [seed] seed of the noise, 0 to 2^64 - 1. The same seed draws the same result. Default: a random one
 * @property {number} [temperature] 0 to 100. Below 1, probable values are drawn more often; at 0, the most probable value is always taken.
 * With several beams, the temperature must be 0. Default 1, or 0 for translations and captions
 * @property {number} [topK] draw only from the k most probable values; 0: all. Default 0
 * @property {number} [topP] nucleus sampling: keep the most probable values, until their probabilities add up to this value, above 0 and at
 * most 1. Default 1
 * @property {number} [bars] maximum number of bars of music, 1 to 1000, including the given ones; the music may end earlier. Default: the
 * model's capacity
 * @property {number} [tempo] quarters per minute, 20 to 400, for playback and files. Default 84
 * @property {boolean} [parallels] false: no drawn voice moves in parallel fifths or octaves with a higher voice. The model has not learned
 * this rule of counterpoint. Default true
 * @property {boolean} [probabilities] true: each step includes the model's whole distribution for each of the step's values, at temperature
 * 1 and without filters. This is slower, but the drawn samples stay the same. Default false
 * @property {boolean} [maps] true: each step is one position of each sample, and includes the attention of this position (`step.maps`). This
 * is slower, because there is no speculative decoding, but the drawn samples stay the same. Default false
 * @property {number} [chunkSize] maximum number of elements in a step, rounded up to whole pixels if the model draws whole pixels. Default:
 * as many as the engine draws in about 10 ms
 * @property {AbortSignal} [signal] stops the run
 */

/**
 * The options for drawing pictures.
 *
 * @typedef {object} PictureOptions
 * @property {number} [samples] number of images (or captions of the image) to draw, each with its own noise, 1 to 64. Default 1
 * @property {number | bigint} [seed] seed of the noise, 0 to 2^64 - 1. The same seed draws the same result. Default: a random one
 * @property {number} [temperature] 0 to 100. Below 1, probable values are drawn more often; at 0, the most probable value is always taken.
 * With several beams, the temperature must be 0. Default 1, or 0 for translations and captions
 * @property {number} [topK] draw only from the k most probable values; 0: all. Default 0
 * @property {number} [topP] nucleus sampling: keep the most probable values, until their probabilities add up to this value, above 0 and at
 * most 1. Default 1
 * @property {Label} [label] the class to draw
 * @property {boolean} [probabilities] true: each step includes the model's whole distribution for each of the step's values, at temperature
 * 1 and without filters. This is slower, but the drawn samples stay the same. Default false
 * @property {boolean} [lookAhead] speculative decoding, for a single sample of a model with a draft (`info.lookAhead`): true computes
 * several pixels per pass, false computes one pixel per pass. Both give the same image. Default: the method that is faster on this machine,
 * measured during the first images
 * @property {number} [resample] lets neighbouring samples compete in groups of this size; the number of samples must be a multiple of it.
 * Every few rows, the less likely half of each group is replaced by copies of the other half, with new noise. At the end, the samples of
 * each group are sorted, the likeliest first. With larger groups, the images have fewer mistakes but are plainer. 0 or 1: no sample is
 * dropped. Default 0
 * @property {number} [resampleRows] number of rows (of elements, if the model draws blocks) between two resamplings, 1 to the image's
 * height. Default 4
 * @property {boolean} [maps] true: each step is one position of each sample, and includes the attention of this position (`step.maps`). This
 * is slower, because there is no speculative decoding, but the drawn samples stay the same. Default false
 * @property {number} [chunkSize] maximum number of elements in a step, rounded up to whole pixels if the model draws whole pixels. Default:
 * as many as the engine draws in about 10 ms
 * @property {AbortSignal} [signal] stops the run
 */

/**
 * The options for drawing audio.
 *
 * @typedef {object} SoundOptions
 * @property {number | bigint} [seed] seed of the noise, 0 to 2^64 - 1. The same seed draws the same result. Default: a random one
 * @property {number} [temperature] 0 to 100. Below 1, probable values are drawn more often; at 0, the most probable value is always taken.
 * With several beams, the temperature must be 0. Default 1, or 0 for translations and captions
 * @property {number} [topK] draw only from the k most probable values; 0: all. Default 0
 * @property {number} [topP] nucleus sampling: keep the most probable values, until their probabilities add up to this value, above 0 and at
 * most 1. Default 1
 * @property {Label} [label] the class to draw
 * @property {Label} [speaker] the speaker, for an audio model that has several
 * @property {number} [seconds] maximum length in seconds, above 0 and at most 120; the sound may end earlier. Default 2
 * @property {number} [silence] end the sound when it has stayed below one fifth of its loudest 50 ms for this many seconds, 0 to 120; 0:
 * only the model ends it. Default 0
 * @property {boolean} [probabilities] true: each step includes the model's whole distribution for each of the step's values, at temperature
 * 1 and without filters. This is slower, but the drawn samples stay the same. Default false
 * @property {number} [chunkSize] maximum number of elements in a step, rounded up to whole pixels if the model draws whole pixels. Default:
 * as many as the engine draws in about 10 ms
 * @property {AbortSignal} [signal] stops the run
 */

/**
 * The options of texts. They apply in this order: biases and penalties change the probabilities; top-k, typical, top-p and min-p each drop
 * some tokens; the temperature sharpens or flattens the remaining distribution; one token is drawn.
 *
 * @typedef {object} TextOptions
 * @property {number | bigint} [seed] seed of the noise, 0 to 2^64 - 1. The same seed draws the same result. Default: a random one
 * @property {number} [temperature] 0 to 100. Below 1, probable values are drawn more often; at 0, the most probable value is always taken.
 * With several beams, the temperature must be 0. Default 1, or 0 for translations and captions
 * @property {number} [topK] draw only from the k most probable values; 0: all. Default 0
 * @property {number} [typicalP] locally typical sampling: keep the values whose surprisal is closest to the expected surprisal, until their
 * probabilities add up to this value, 0 to 1; 1 keeps all values. Default 1
 * @property {number} [topP] nucleus sampling: keep the most probable values, until their probabilities add up to this value, above 0 and at
 * most 1. Default 1
 * @property {number} [minP] draw only from the values with at least this fraction of the largest probability, 0 to 1. Default 0
 * @property {number} [repetitionPenalty] 0.01 to 100; above 1, tokens that occur among the last tokens become less probable. Default 1
 * @property {number} [frequencyPenalty] from -100 to 100, subtracted from a token's logit once per occurrence. Default 0
 * @property {number} [presencePenalty] from -100 to 100, subtracted from the logit of each token that occurs at all. Default 0
 * @property {number} [penaltyLast] how many of the last tokens the penalties consider. Default 64
 * @property {Record<string, number> | Map<string | number, number>} [logitBias] biases to add to the logits of tokens. Each token is given
 * by its id, or by a string that is exactly one token; -Infinity forbids a token. At most 4096 biases
 * @property {boolean} [probabilities] true: each step includes the model's whole distribution for each of the step's values, at temperature
 * 1 and without filters. This is slower, but the drawn samples stay the same. Default false
 * @property {number} [maxTokens] maximum number of tokens to draw. Default: the rest of the context. If more tokens are requested, the older
 * half of the context is dropped whenever the context is full. For a translation, the default is 50 tokens more than the sentence has
 * [Vaswani et al. 2017], but at most the model's capacity; without a limit, unknown words may make the model repeat itself endlessly
 * @property {string | string[]} [stop] strings that end the run where they would appear; the output does not include them. The name of a
 * control token, such as '<|im_start|>', means that token
 * @property {Constraint} [constraint] a grammar, or an object of your own that returns a mask of the allowed tokens before each token is
 * drawn. Filters apply to the allowed tokens only. This is slower, because each token needs a message to the worker and back, and there is
 * no speculative decoding. If all tokens are allowed, the result is the same as without a constraint
 * @property {string[]} [oneOf] restricts the output to one of these 1 to 1000 strings; each token is drawn with its probability among the
 * tokens that continue one of them
 * @property {number} [keyBits] 8 or 16: bits of the cached keys, if the file's weights are quantised. 16 is more precise, but takes 50 %
 * more memory and some more time. Default: 16 if the keys have biases, as in Qwen 2, where a few channels are large; otherwise 8
 * @property {SavedState} [state] state (`saved.state`) of the saved run to continue, so that its tokens are not processed again. Only runs
 * with this option reuse the state
 * @property {number} [alternatives] number of most probable tokens to report at each step, with their nats. Default 0
 * @property {boolean} [maps] true: each step is one position of each sample, and includes the attention of this position (`step.maps`). This
 * is slower, because there is no speculative decoding, but the drawn samples stay the same. Default false
 * @property {AbortSignal} [signal] stops the run
 */

/**
 * The options of translations. By default, each step takes the most probable token.
 *
 * @typedef {object} TranslationOptions
 * @property {number | bigint} [seed] seed of the noise, 0 to 2^64 - 1. The same seed draws the same result. Default: a random one
 * @property {number} [temperature] 0 to 100. Below 1, probable values are drawn more often; at 0, the most probable value is always taken.
 * With several beams, the temperature must be 0. Default 1, or 0 for translations and captions
 * @property {boolean} [probabilities] true: each step includes the model's whole distribution for each of the step's values, at temperature
 * 1 and without filters. This is slower, but the drawn samples stay the same. Default false
 * @property {number} [maxTokens] maximum number of tokens to draw. Default: the rest of the context. If more tokens are requested, the older
 * half of the context is dropped whenever the context is full. For a translation, the default is 50 tokens more than the sentence has
 * [Vaswani et al. 2017], but at most the model's capacity; without a limit, unknown words may make the model repeat itself endlessly
 * @property {number} [beams] 1 to 16: number of hypotheses that the beam search keeps; when it ends, it returns the best one. With 1, the
 * most probable token of each step is returned immediately. Default 1
 * @property {number} [lengthPenalty] 0 to 2, for several beams: the nats of a translation of n tokens, including the end token, are divided
 * by ((5 + n) / 6) to this power, so that long translations are not penalised. Default 0.6
 * @property {boolean} [maps] true: each step is one position of each sample, and includes the attention of this position (`step.maps`). This
 * is slower, because there is no speculative decoding, but the drawn samples stay the same. Default false
 * @property {(step: SearchStep) => void} [onSearch] called after every step of a search with several beams
 * @property {AbortSignal} [signal] stops the run
 */

export {};
