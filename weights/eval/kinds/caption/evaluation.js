// SPDX-License-Identifier: MIT
// For a captioning model, --data is a file of scenes (weights/train/held_out.py scenes). The results are:
//   - BLEU-1 and BLEU-4
//   - the fraction of the captions that are entirely correct
//   - the nats of the reference captions, per word
//   - the fraction of the generated nouns for which the model attends to the named object
// The second line of the output is the control: the same model with a white image as its input. --images is the number of scenes.
// --show prints each caption with its reference.
//
//   npm run eval -- weights/captions.gguf --data build/scenes-test.u8.gz
// @ts-check
import { reporter } from '../../reporter.js';
import { scoreCaptions } from './captions.js';

/** @import { AnyModel as Model } from '../../../../web/lib/model/of-kind.js' */
/** @import { DataSet } from '../../held-out.js' */

/** @type {DataSet[]} */
export const DATA_SETS = [
  { dataset: /^scenes/, data: 'build/scenes-test.u8.gz', make: 'python3 weights/train/held_out.py scenes build/scenes-test' },
];

/** @param {Model} model @param {string} file @param {{ data: string, images?: string, show: boolean, json: boolean }} options */
export async function evaluate(model, file, { data, images = 'Infinity', show, json }) {
  const { say, print } = reporter(file, { json, show });
  for (const blank of [false, true]) {
    const result = await scoreCaptions(model, data, {
      most: Number(images),
      blank,
      say,
      tell: show && !blank ? (...lines) => console.log(lines.join('\n    ')) : undefined,
    });
    print(
      { blank, ...result },
      `${blank ? ' with a blank picture' : ''}: ${result.scenes} scenes: BLEU-1 ${result.bleu1.toFixed(2)}, BLEU-4 ${result.bleu4.toFixed(2)}, ` +
        `${(100 * result.right).toFixed(2)} % entirely right (${(100 * result.sureRight).toFixed(1)} % of the ${(100 * result.sure).toFixed(1)} % that it is sure of, ${(100 * result.unsureRight).toFixed(1)} % of the others), ${result.natsPerWord.toFixed(4)} nats a word, looked at ${(100 * result.looked).toFixed(2)} % of ${result.nouns} objects that it named; ` +
        `${result.ms.toFixed(1)} ms a caption`,
    );
  }
}
