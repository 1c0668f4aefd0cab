// SPDX-License-Identifier: MIT
// Runs a picture model and returns its samples as pictures, each with its nats.
// @ts-check
/** @import { PictureRun } from '../../../../web/lib/index.js' */
/** @import { AnyModel as Model } from '../../../../web/lib/model/of-kind.js' */

const PAPER = 128; // grey of the unknown part of a picture

/**
 * @param {Model} model
 * @param {PictureRun} run
 * @param {number} samples  number of samples that the run draws
 * @returns {Promise<{ pictures: Uint8Array[], nats: number[], given: Uint8Array }>}  the pictures, most probable first; the nats of
 *   each; and `given`, a picture with the known pixels in which all other pixels are grey
 */
export async function picturesOf(model, run, samples) {
  const { width, height, channels, positions } = model.info;
  const size = width * height * channels;
  const span = size / positions;
  const given = new Uint8Array(size).fill(PAPER);
  /** @param {Uint8Array} picture @param {number} from @param {Uint8Array} values */
  const put = (picture, from, values) =>
    values.forEach((value, i) => {
      picture[model.order[Math.floor((from + i) / span)] * span + ((from + i) % span)] = value;
    });
  put(given, 0, run.known);
  const drawn = Array.from({ length: samples }, () => ({ picture: given.slice(), nats: 0 }));
  for await (const { sample, from, values, nats, anew } of run) {
    put(drawn[sample].picture, from, values);
    if (anew) drawn[sample].nats = 0;
    for (const cost of nats) drawn[sample].nats += cost;
  }
  drawn.sort((a, b) => a.nats - b.nats);
  return { pictures: drawn.map(({ picture }) => picture), nats: drawn.map(({ nats }) => nats), given };
}
