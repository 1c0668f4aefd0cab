// SPDX-License-Identifier: MIT
// Generated from web/lib/settings.js, web/lib/verbs and web/lib/element/attributes.js by node web/tools/options.js: edit those files.

/** The attributes of <next-pixel> in JSX. */
export interface NextPixelAttributes {
  /** Address of the weights, relative to the page. */
  model?: string;
  /** The model's task. Default: the first one that the model supports. */
  task?: 'caption' | 'chat' | 'complete' | 'generate' | 'super-resolve' | 'translate' | 'walk' | 'classify' | 'parse' | 'tag';
  /** Starts automatically when the element comes into view. Default: no. */
  autoplay?: boolean | '';
  /** Shows buttons and a line of text. Default: no. */
  controls?: boolean | '';
  /** Address of a picture to show until the first pixel is drawn, if the element is empty. Default: the model's input. */
  poster?: string;
  /** Width to reserve on the page, in CSS pixels, so that nothing moves. Default: the width of the pictures times `--nx-pixel`. */
  width?: number | string;
  /** Height to reserve on the page, in CSS pixels. Default: the height of the pictures times `--nx-pixel`. */
  height?: number | string;
  /** `no-store`: the browser does not cache the weights. Default: it caches them. */
  cache?: 'default' | 'no-store';
  /** When to fetch the model. Default: `lazy`, when the element comes near the screen; `play`: when the visitor presses Play. */
  loading?: 'lazy' | 'play';
  /** `sha256-` followed by the base64 digest that the weights must have. Default: not checked. */
  integrity?: string;
  /** Picture to complete or enlarge, sound to continue, or MIDI file to continue or harmonise. */
  src?: string;
  /** Number of images (or captions of the image) to draw, each with its own noise, 1 to 64. Default 1. */
  samples?: number | string;
  /** Seed of the noise, a whole number up to 2^53 - 1. The same seed draws the same result. Default: a random one. */
  seed?: number | string;
  /** 0 to 100. Below 1, probable values are drawn more often; at 0, the most probable value is always taken. With several beams, the
   * temperature must be 0. Default 1, or 0 for translations and captions. */
  temperature?: number | string;
  /** 1 to 16: number of hypotheses that the beam search keeps; when it ends, it returns the best one. With 1, the most probable token of
   * each step is returned immediately. Default 1. */
  beams?: number | string;
  /** The beginning of the text, the sentence to translate or tag, or the first message. */
  prompt?: string;
  /** The system message of a chat; the visitor can edit it if there are controls. */
  system?: string;
  /** A chat template in the Jinja language, which replaces the file's template. */
  template?: string;
  /** Nucleus sampling: keep the most probable values, until their probabilities add up to this value, above 0 and at most 1. Default 1. */
  'top-p'?: number | string;
  /** Maximum number of tokens to draw. Default: the rest of the context. If more tokens are requested, the older half of the context is
   * dropped whenever the context is full. For a translation, the default is 50 tokens more than the sentence has [Vaswani et al. 2017], but
   * at most the model's capacity; without a limit, unknown words may make the model repeat itself endlessly. */
  'max-tokens'?: number | string;
  /** Number of known rows of the picture; absent: half of the rows. */
  rows?: number | string;
  /** For a MIDI file, the names of the voices to keep, separated by spaces; all other voices are drawn; absent: the file is continued. */
  voices?: string;
  /** Number of pictures to draw for each picture that is shown; these pictures compete while they are drawn (`resample`), and the likeliest
   * one is shown. With 4 to 8 tries, the pictures have fewer mistakes but take 4 to 8 times as long; `samples` times `tries` is at most 64.
   * Default 1. */
  tries?: number | string;
  /** The class to draw. */
  label?: string;
  /** The speaker, for an audio model that has several. */
  speaker?: string;
  /** Maximum length in seconds, above 0 and at most 120; the sound may end earlier. Default 2. */
  seconds?: number | string;
  /** Maximum number of bars of music, 1 to 1000, including the given ones; the music may end earlier. Default: the model's capacity. */
  bars?: number | string;
  /** Quarters per minute, 20 to 400, for playback and files. Default 84. */
  tempo?: number | string;
  /** Seed of the first picture of a walk. Default 1. */
  from?: number | string;
  /** Seed of the last picture of a walk. Default 2. */
  to?: number | string;
  /** Number of pictures of a walk. Default 30. */
  steps?: number | string;
  /** `line`, `sphere` or `circle`. Default: `sphere`. */
  shape?: string;
}
