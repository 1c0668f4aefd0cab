// SPDX-License-Identifier: MIT
// @ts-check

/** Code that several kinds share for planning and running their tasks (tests/kinds/NAME/engines.js). This code also runs in pages. */

/** @import { AnyInfo as ModelInfo } from '../../web/lib/engine/protocol.js' */
/** @import { AnyModel as Model } from '../../web/lib/model/of-kind.js' */
/** @import { PlannedRun, Work } from './plan.js' */

/** For audio tasks: the number of known samples, and the maximum number of samples to draw after them. */
const KNOWN_SAMPLES = 300;
const MOST_SOUNDED = 400;

/**
 * Returns the index of the class that a task names, or -1.
 *
 * @param {Work} work
 * @param {string[]} classes
 */
export function chosen({ label }, classes) {
  const last = classes.length - 1; // -1 if there are no classes
  return { none: -1, first: Math.min(0, last), middle: last >> 1, last }[label ?? 'none'];
}

/**
 * Converts a task on pictures to a task on audio, with a speaker if the task has a class.
 *
 * @param {Work} work
 * @param {ModelInfo} info
 */
export function sounding(work, { classes, speakers = [] }) {
  const label = chosen(work, classes);
  return {
    task: work.task === 'score' ? 'score-sound' : 'sound',
    samples: 1,
    known: work.task === 'generate' ? 0 : KNOWN_SAMPLES,
    draw: MOST_SOUNDED,
    label,
    speaker: label < 0 || speakers.length === 0 ? -1 : (label + 1) % speakers.length,
  };
}

/**
 * Saves the run after its first step, and resumes it.
 *
 * @template {AsyncIterable<unknown> & { save(): unknown }} R
 * @param {Model} model
 * @param {R} run
 * @returns {Promise<R>}
 */
export async function halfWay(model, run) {
  for await (const _ of run) break;
  return /** @type {any} */ (model.resume(/** @type {any} */ (run.save())));
}

/**
 * Returns arbitrary token ids below the vocabulary's size, as known_ids() of native.c does.
 *
 * @param {{ vocabulary: number }} info
 * @param {number} count
 */
export const idsOf = ({ vocabulary }, count) => Uint32Array.from({ length: count }, (_, i) => (7 * i * i + 3 * i + 1) % vocabulary);

/**
 * Returns audio whose 8-bit levels are the ids of idsOf().
 *
 * @param {ModelInfo} info
 * @param {number} count
 */
export function knownSound({ sampleRate = 1 }, count) {
  const data = Float32Array.from(idsOf({ vocabulary: 256 }, count), (level) => {
    const f = (2 * level) / 255 - 1;
    return (Math.sign(f) * (256 ** Math.abs(f) - 1)) / 255;
  });
  return { samples: data, sampleRate };
}

/** @param {PlannedRun} run */
export function labelOf({ label }) {
  return label < 0 ? undefined : label;
}

/** @param {PlannedRun} run */
export function speakerOf({ speaker }) {
  return speaker < 0 ? undefined : speaker;
}

/**
 * Draws a disc in front of a gradient. The pixels are computed with integer arithmetic, as in picture() of native.c.
 *
 * @param {{ width: number, height: number, channels: number }} shape
 */
export function pictureOf({ width, height, channels }) {
  const data = Uint8Array.from({ length: width * height * channels }, (_, i) => {
    const channel = i % channels;
    const x = Math.floor(i / channels) % width;
    const y = Math.floor(i / channels / width);
    const inside = 25 * ((2 * x + 1 - width) ** 2 + (2 * y + 1 - height) ** 2) < 16 * width * height;
    return inside ? 250 - Math.floor((60 * y) / height) - 40 * channel : 10 + Math.floor((50 * x) / width) + 30 * channel;
  });
  return { data, width, height };
}

/**
 * The shape of the small picture from which super-resolution starts.
 *
 * @param {ModelInfo} info
 */
export const inputShape = ({ inputWidth, inputHeight, channels }) => ({ width: inputWidth, height: inputHeight, channels });
