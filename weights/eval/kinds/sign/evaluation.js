// SPDX-License-Identifier: MIT
// For a few-shot classifier of characters, --data is a folder with the evaluation part of Omniglot (weights/train/data/omniglot.py). The
// results are the 5-way and the 20-way accuracy with one example per class. Each accuracy is measured on 2,000 episodes (or on --images
// episodes), sampled with seed 1.
//
//   npm run eval -- weights/snail-omniglot.gguf --data data/omniglot
// @ts-check
import { reporter } from '../../reporter.js';
import { scoreSigns } from './signs.js';

/** @import { AnyModel as Model } from '../../../../web/lib/model/of-kind.js' */
/** @import { DataSet } from '../../held-out.js' */

/** @type {DataSet[]} */
export const DATA_SETS = [{ dataset: /\bOmniglot\b/, data: 'data/omniglot', make: 'python3 weights/train/prepare.py omniglot' }];

/** @param {Model} model @param {string} file @param {{ data: string, images?: string, json: boolean }} options */
export async function evaluate(model, file, { data, images = '2000', json }) {
  const { say, print } = reporter(file, { json });
  for (const ways of [5, 20]) {
    const result = await scoreSigns(model, data, ways, Number(images), say);
    print(
      result,
      `: ${result.episodes} questions of ${ways} characters, one example each: ${(100 * result.accuracy).toFixed(2)} % right ` +
        `(standard error ${(100 * result.standardError).toFixed(2)}), ${result.nats.toFixed(4)} nats; ${result.ms.toFixed(1)} ms a question`,
    );
  }
}
