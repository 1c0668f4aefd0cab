// SPDX-License-Identifier: MIT
// Made of web/lib/settings.js, web/lib/verbs and web/lib/element/attributes.js by node web/tools/options.js: change those.

/** The attributes of <next-pixel>, as JSX has them. */
export interface NextPixelAttributes {
  /** Address of the weights, relative to the page. */
  model?: string;
  /** What the model is asked for. Default: the first of these that it can do. */
  task?: 'caption' | 'chat' | 'complete' | 'generate' | 'super-resolve' | 'translate' | 'walk' | 'classify' | 'parse' | 'tag';
  /** Begins by itself when it comes into sight. Default: no. */
  autoplay?: boolean | '';
  /** Shows buttons and a line of text. Default: no. */
  controls?: boolean | '';
  /** Address of a picture that is shown until the first pixel, if nothing stands inside the element. Default: what is given to the model. */
  poster?: string;
  /** Pixels of the page that are kept free, so that nothing moves. Default: as many as the pictures have, times `--nx-pixel`. */
  width?: number | string;
  /** The same, from top to bottom. Default: as many as the pictures have, times `--nx-pixel`. */
  height?: number | string;
  /** `no-store`: the browser keeps no copy of the weights. Default: it keeps one. */
  cache?: 'default' | 'no-store';
  /** When the model is fetched. Default: `lazy`, when the element comes near the screen; `play`: when it is played. */
  loading?: 'lazy' | 'play';
  /** `sha256-` and the base64 of the SHA-256 that the weights must have. Default: not checked. */
  integrity?: string;
  /** Picture to complete or to enlarge, sound to go on with, or MIDI file to go on with or to harmonise. */
  src?: string;
  /** Images to draw, or captions of one, each with noise of its own, 1 to 64. Default 1. */
  samples?: number | string;
  /** Of the noise, a whole number up to 2^53 - 1, which can be typed in. The same seed draws the same again. Default: a random one. */
  seed?: number | string;
  /** 0 to 100; below 1 what is drawn keeps closer to the likely, 0 always takes the most probable. Default 1; of a translation or a caption
   * 0, and over 0 only with one beam. */
  temperature?: number | string;
  /** 1 to 16: how many translations are followed side by side, of which the best is told once all is known. 1: the most probable token at
   * every step, told as it comes. Default 1. */
  beams?: number | string;
  /** What the text begins with, the sentence to translate or to tag, or the first message of a talk. */
  prompt?: string;
  /** The system message of a talk, which can be changed there where there are controls. */
  system?: string;
  /** Draw among the most probable values that together have this probability, over 0 to 1. Default 1. */
  'top-p'?: number | string;
  /** The most tokens to draw. Default: as many as the context has room for; for more than that, the older half of the context is forgotten
   * whenever it is full. Of a translation 50 more than the sentence has, as in the paper, or as many as the model has room for: what it does
   * not know may lead it round in circles. */
  'max-tokens'?: number | string;
  /** Rows of it that are known; absent: half of them. */
  rows?: number | string;
  /** Of a MIDI file, the voices that it has and that are held while the others are drawn, with spaces between; absent: none, it is gone on
   * with. */
  voices?: string;
  /** Pictures drawn for each that is shown, its likeliest at the end; they compete on the way (`resample`). 4 to 8 make fewer slips and take
   * as much longer; `samples` times `tries` is at most 64. Default 1. */
  tries?: number | string;
  /** The class to draw. */
  label?: string;
  /** Of a model of sounds, the voice. */
  speaker?: string;
  /** The most seconds to draw, over 0 to 120; a sound may end before. Default 2. */
  seconds?: number | string;
  /** The most bars of music, 1 to 1000, those that were given among them; it may end before. Default: as many as the model has room for. */
  bars?: number | string;
  /** Quarters a minute, 20 to 400, at which music is played and written. Default 84. */
  tempo?: number | string;
  /** Seed of the picture that a walk begins with. Default 1. */
  from?: number | string;
  /** Seed of the one that it leads to. Default 2. */
  to?: number | string;
  /** Pictures of a walk. Default 30. */
  steps?: number | string;
  /** `line`, `sphere` or `circle`. Default: `sphere`. */
  shape?: string;
}
