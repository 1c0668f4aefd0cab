// SPDX-License-Identifier: MIT

/** The attributes of <next-pixel>, as JSX has them. */
export interface NextPixelAttributes {
  /** Address of the weights. */
  model?: string;
  task?: 'complete' | 'generate' | 'super-resolve' | 'tokens' | 'translate';
  /** Picture to complete or to enlarge. */
  src?: string;
  rows?: number | string;
  samples?: number | string;
  /** Pictures drawn for each that is shown. */
  tries?: number | string;
  seed?: number | string;
  temperature?: number | string;
  'top-p'?: number | string;
  /** A class of the model, by name. */
  label?: string;
  /** Of task="tokens": what the text begins with. */
  prompt?: string;
  'max-tokens'?: number | string;
  beams?: number | string;
  autoplay?: boolean | '';
  controls?: boolean | '';
  /** Pixels of the page, so that room is kept before the model is there. */
  width?: number | string;
  height?: number | string;
  /** 'no-store': the browser keeps no copy of the weights. */
  cache?: 'default' | 'no-store';
  /** 'sha256-' and the digest of the weights in base64. */
  integrity?: string;
}
