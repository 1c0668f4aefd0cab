// SPDX-License-Identifier: MIT
// @ts-check

/** The events of the element. The events bubble and cross shadow roots. */

/** @import { NextPixelError } from '../base/error.js' */
/** @import { ModelInfo } from '../engine/protocol.js' */
/** @import { AnyStep, EndOfKinds } from '../kinds/types.js' */
/** @import { Picture } from '../sinks/pixels.js' */
/** @import { Finish } from '../runs/base-run.js' */

export class NextPixelReadyEvent extends Event {
  /** @param {ModelInfo} info */
  constructor(info) {
    super('nx-ready', { bubbles: true, composed: true });
    /** The model's kind, verbs, sizes and card. */
    this.info = info;
  }
}

export class NextPixelStepEvent extends Event {
  /** @param {AnyStep} step */
  constructor(step) {
    super('nx-step', { bubbles: true, composed: true });
    /** The step, which has pixels, a picture, samples or a token. For a model without steps, the property holds the whole result. */
    this.step = step;
  }
}

/** An Event with further properties for the result; each kind of model defines some of these properties. */
const EventWithResult = /** @type {new (type: string, init: EventInit) => Event & EndOfKinds} */ (Event);

/** @typedef {{ seed?: number | bigint, nats: number[], finish?: Finish, pictures?: Picture[], toBlob: (type?: string, quality?: number) => Promise<Blob> }} End */

export class NextPixelEndEvent extends EventWithResult {
  /** @param {End & EndOfKinds} end */
  constructor({ seed, nats, finish = 'end', pictures = [], toBlob, ...result }) {
    super('nx-end', { bubbles: true, composed: true });
    Object.assign(this, result);
    /** Why the run ended, as in `run.finish`; 'abort' after stop(). */
    this.finish = finish;
    /** The seed of the run, given or random; undefined if nothing is random. */
    this.seed = seed;
    /** The cost of each picture's drawn part, in nats. */
    this.nats = nats;
    /** The pictures, in the colours of the model; empty if the output is text or sound. */
    this.pictures = pictures;
    /** Returns the canvas as an image file, or the sound as a WAV file. */
    this.toBlob = toBlob;
  }
}

export class NextPixelProgressEvent extends Event {
  /**
   * @param {'load' | 'draw'} phase
   * @param {number | undefined} share
   * @param {number} [loaded]
   * @param {number} [total]
   */
  constructor(phase, share, loaded, total) {
    super('nx-progress', { bubbles: true, composed: true });
    /** 'load': the model is loading; 'draw': the model is drawing. */
    this.phase = phase;
    /** The finished fraction, 0 to 1; undefined if the server does not report the size of the model. */
    this.share = share;
    /** While loading, the number of bytes received. */
    this.loaded = loaded;
    /** While loading, the size of the model in bytes, if the server reports it. */
    this.total = total;
  }
}

export class NextPixelErrorEvent extends Event {
  /** @param {NextPixelError} error */
  constructor(error) {
    super('nx-error', { bubbles: true, composed: true, cancelable: true });
    this.error = error;
  }
}
