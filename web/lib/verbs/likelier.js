// SPDX-License-Identifier: MIT
// @ts-check

/** @import { ImageSource } from '../kinds/picture/image.js' */
/** @import { Model } from '../model/model.js' */

export const task = 'likelier';
export const draws = false;
export const names = ['signal'];

/**
 * Which of some images the model finds the most probable.
 *
 * @this {Model}
 * @param {ImageSource[]} images
 * @param {{ signal?: AbortSignal }} [options]
 * @returns {Promise<number>} its index
 */
export async function start(images, options = {}) {
  const scores = await Promise.all(images.map((image) => this.score(image, options)));
  return scores.reduce((best, { nats }, i) => (nats < scores[best].nats ? i : best), 0);
}
