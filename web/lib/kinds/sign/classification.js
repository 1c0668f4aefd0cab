// SPDX-License-Identifier: MIT
// @ts-check

/** The results of model.classify(). */

import { exp } from '../../base/elementary.js';
import { Answer } from '../../runs/answer.js';
import { ProbabilitySheet } from './probability-sheet.js';

/** @import { ImageSource } from '../../media/image.js' */
/** @import { AttentionMap } from '../../runs/attention-map.js' */
/** @import { Canvas } from '../../sinks/canvas.js' */
/** @import { ProbabilitySheetOptions } from './probability-sheet.js' */

/**
 * A picture and its label. Pictures from the page are scaled to the size that the model reads, as for complete(). The model expects light
 * ink on dark paper. A mostly light picture is assumed to be dark ink on light paper, and is inverted. Raw pixels must have the
 * size `info.width` x `info.height`.
 *
 * @typedef {{ image: ImageSource, label: string | number }} Example
 */

/**
 * @typedef {object} ClassifyOptions
 * @property {Example[]} support  the examples, one or more for each label. The order of the examples matters slightly, because the model's
 *   convolutions depend on it. The model takes at most 1,024 examples, and at most as many different labels as it has outputs
 * @property {boolean} [maps]     whether to return the weights of the attention layers. Default false
 * @property {AbortSignal} [signal]
 */

/** @typedef {{ label: string, p: number, nats: number }} LabelProbability  nats: -log p */

/**
 * The result of model.classify(): the possible labels of a picture, with their probabilities. A classification can be read and shown like a
 * run. The only step is the classification itself.
 *
 * @extends {Answer<Classification>}
 */
export class Classification extends Answer {
  /** Every label of the examples with its probability, the most probable label first. @type {LabelProbability[]} */
  probabilities;
  /** The most probable label. @type {string} */
  label;
  /** -log p of the most probable label. @type {number} */
  nats;
  /**
   * If requested: for each attention layer of the model, the weight of every example, in the order of `support`. The query is the picture
   * to classify, whose position follows the positions of the examples. The weights and the query's attention to itself add up to 1.
   * @type {AttentionMap[] | undefined}
   */
  maps;

  /**
   * @internal
   * @param {string[]} labels
   * @param {Float32Array} logs   log p of each label, possibly followed by more values
   * @param {AttentionMap[]} [maps]
   */
  constructor(labels, logs, maps) {
    super();
    this.probabilities = labels
      .map((label, i) => ({ label, p: exp(logs[i]), nats: Math.max(0, -logs[i]) }))
      .sort((a, b) => a.nats - b.nats);
    [{ label: this.label, nats: this.nats }] = this.probabilities;
    this.maps = maps;
  }

  /**
   * Draws as many labels as fit, the most probable first, with bars proportional to their probability. The canvas keeps its size on the
   * page and uses the device's full resolution. Its style sets the font and the colours. For screen readers, the probabilities are also set
   * as the text inside the canvas element.
   *
   * @param {Canvas} canvas
   * @param {ProbabilitySheetOptions & { signal?: AbortSignal }} [options]
   * @returns {Promise<string>} the probabilities as text: 'a 97 %, b 2 %'
   */
  async drawTo(canvas, options = {}) {
    return this.show(canvas, options);
  }

  /** @param {Canvas} canvas @param {ProbabilitySheetOptions} [options] @internal */
  sink(canvas, options) {
    return new ProbabilitySheet(canvas, options);
  }

  /** @internal */
  whole() {
    return this;
  }
}
