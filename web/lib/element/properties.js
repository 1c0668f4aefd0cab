// SPDX-License-Identifier: MIT
// Made of web/lib/settings.js, web/lib/verbs and web/lib/element/attributes.js by node web/tools/options.js: change those.
// @ts-check

/**
 * The attributes of the element as properties. Reading gives what is in effect; setting never throws.
 *
 * @typedef {object} ElementProperties
 * @property {string} model Address of the weights, relative to the page.
 * @property {'caption' | 'chat' | 'complete' | 'generate' | 'super-resolve' | 'translate' | 'walk' | 'classify' | 'parse' | 'tag'} task The
 * model's task. Default: the first one that the model supports.
 * @property {boolean} autoplay Starts automatically when it comes into view. Default: no.
 * @property {boolean} controls Shows buttons and a line of text. Default: no.
 * @property {string} poster Address of a picture that is shown until the first pixel, if the element is empty. Default: the model's input.
 * @property {number | undefined} width Pixels of the page to reserve, so that nothing moves. Default: as many as the pictures have, times
 * `--nx-pixel`.
 * @property {number | undefined} height The same, from top to bottom. Default: as many as the pictures have, times `--nx-pixel`.
 * @property {string} cache `no-store`: the browser keeps no copy of the weights. Default: it keeps one.
 * @property {'lazy' | 'play'} loading When the model is fetched. Default: `lazy`, when the element comes near the screen; `play`: when it is
 * played.
 * @property {string} integrity `sha256-` and the base64 of the SHA-256 that the weights must have. Default: not checked.
 * @property {string} src Picture to complete or to enlarge, sound to continue, or MIDI file to continue or to harmonise.
 * @property {number} samples Number of images (or captions of the image) to draw, each with its own noise, 1 to 64. Default 1.
 * @property {number | undefined} seed Of the noise, a whole number up to 2^53 - 1, which can be typed in. The same seed draws the same
 * again. Default: a random one.
 * @property {number} temperature 0 to 100; values below 1 favour likely values, 0 always takes the most probable one. Default 1; for a
 * translation or a caption 0, and above 0 only with one beam.
 * @property {number} beams 1 to 16: number of hypotheses of the beam search; the best one is returned at the end. 1: the most probable token
 * at every step, returned as it comes. Default 1.
 * @property {string} prompt The beginning of the text, the sentence to translate or to tag, or the first message.
 * @property {string} system The system message of a chat, which the visitor can edit if there are controls.
 * @property {string} template The chat template, in the language Jinja, instead of that of the file.
 * @property {number} topP Draw from the most probable values whose total probability is this, over 0 to 1. Default 1.
 * @property {number | undefined} maxTokens Maximum number of tokens to draw. Default: the rest of the context; if more are requested, the
 * older half of the context is dropped whenever it is full. For a translation, 50 more than the sentence has, as in the paper, or the
 * model's capacity, because unknown words may make it loop.
 * @property {number | undefined} rows Rows of it that are known; absent: half of them.
 * @property {string} voices For a MIDI file, the names of its voices, which are kept while the others are drawn, separated by spaces;
 * absent: none, it is continued.
 * @property {number} tries Pictures drawn for each that is shown, its likeliest at the end; they compete on the way (`resample`). 4 to 8
 * make fewer slips and take as much longer; `samples` times `tries` is at most 64. Default 1.
 * @property {string} label The class to draw.
 * @property {string} speaker The speaker, for an audio model that has several.
 * @property {number} seconds Maximum length in seconds, over 0 to 120; the sound may end before. Default 2.
 * @property {number | undefined} bars Maximum number of bars of music, 1 to 1000, including the given ones; the music may end before.
 * Default: the model's capacity.
 * @property {number} tempo Quarters per minute, 20 to 400, for playback and files. Default 84.
 * @property {number} from Seed of the picture that a walk begins with. Default 1.
 * @property {number} to Seed of the one that it leads to. Default 2.
 * @property {number} steps Pictures of a walk. Default 30.
 * @property {string} shape `line`, `sphere` or `circle`. Default: `sphere`.
 */

export {};
