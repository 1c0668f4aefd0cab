// SPDX-License-Identifier: MIT
// Made of web/lib/settings.js, web/lib/verbs and web/lib/element/attributes.js by node web/tools/options.js: change those.
// @ts-check

/**
 * The attributes of the element as properties. Reading gives what is in effect; setting never throws.
 *
 * @typedef {object} ElementProperties
 * @property {string} model Address of the weights, relative to the page.
 * @property {'caption' | 'chat' | 'complete' | 'generate' | 'super-resolve' | 'translate' | 'walk' | 'classify' | 'parse' | 'tag'} task What
 * the model is asked for. Default: the first of these that it can do.
 * @property {boolean} autoplay Begins by itself when it comes into sight. Default: no.
 * @property {boolean} controls Shows buttons and a line of text. Default: no.
 * @property {string} poster Address of a picture that is shown until the first pixel, if nothing stands inside the element. Default: what is
 * given to the model.
 * @property {number | undefined} width Pixels of the page that are kept free, so that nothing moves. Default: as many as the pictures have,
 * times `--nx-pixel`.
 * @property {number | undefined} height The same, from top to bottom. Default: as many as the pictures have, times `--nx-pixel`.
 * @property {string} cache `no-store`: the browser keeps no copy of the weights. Default: it keeps one.
 * @property {'lazy' | 'play'} loading When the model is fetched. Default: `lazy`, when the element comes near the screen; `play`: when it is
 * played.
 * @property {string} integrity `sha256-` and the base64 of the SHA-256 that the weights must have. Default: not checked.
 * @property {string} src Picture to complete or to enlarge, sound to go on with, or MIDI file to go on with or to harmonise.
 * @property {number} samples Images to draw, or captions of one, each with noise of its own, 1 to 64. Default 1.
 * @property {number | undefined} seed Of the noise, a whole number up to 2^53 - 1, which can be typed in. The same seed draws the same
 * again. Default: a random one.
 * @property {number} temperature 0 to 100; below 1 what is drawn keeps closer to the likely, 0 always takes the most probable. Default 1; of
 * a translation or a caption 0, and over 0 only with one beam.
 * @property {number} beams 1 to 16: how many translations are followed side by side, of which the best is told once all is known. 1: the
 * most probable token at every step, told as it comes. Default 1.
 * @property {string} prompt What the text begins with, the sentence to translate or to tag, or the first message of a talk.
 * @property {string} system The system message of a talk, which can be changed there where there are controls.
 * @property {number} topP Draw among the most probable values that together have this probability, over 0 to 1. Default 1.
 * @property {number | undefined} maxTokens The most tokens to draw. Default: as many as the context has room for; for more than that, the
 * older half of the context is forgotten whenever it is full. Of a translation 50 more than the sentence has, as in the paper, or as many as
 * the model has room for: what it does not know may lead it round in circles.
 * @property {number | undefined} rows Rows of it that are known; absent: half of them.
 * @property {string} voices Of a MIDI file, the voices that it has and that are held while the others are drawn, with spaces between;
 * absent: none, it is gone on with.
 * @property {number} tries Pictures drawn for each that is shown, its likeliest at the end; they compete on the way (`resample`). 4 to 8
 * make fewer slips and take as much longer; `samples` times `tries` is at most 64. Default 1.
 * @property {string} label The class to draw.
 * @property {string} speaker Of a model of sounds, the voice.
 * @property {number} seconds The most seconds to draw, over 0 to 120; a sound may end before. Default 2.
 * @property {number | undefined} bars The most bars of music, 1 to 1000, those that were given among them; it may end before. Default: as
 * many as the model has room for.
 * @property {number} tempo Quarters a minute, 20 to 400, at which music is played and written. Default 84.
 * @property {number} from Seed of the picture that a walk begins with. Default 1.
 * @property {number} to Seed of the one that it leads to. Default 2.
 * @property {number} steps Pictures of a walk. Default 30.
 * @property {string} shape `line`, `sphere` or `circle`. Default: `sphere`.
 */

export {};
