// SPDX-License-Identifier: MIT
// For an audio model, --data is a WAV file, or a folder of WAV files. The results are the nats and bits per sample. With --labels, the
// model is conditioned on the digit and the speaker, which are taken from the file name DIGIT_SPEAKER_TAKE.wav. --images is the number of
// recordings.
//
//   npm run eval -- weights/wavenet.gguf --data build/fsdd-test [--labels]
// @ts-check
import { RECORDINGS } from '../../files.js';
import { reporter } from '../../reporter.js';
import { scoreSounds } from './sounds.js';

/** @import { AnyModel as Model } from '../../../../web/lib/model/of-kind.js' */

export const DATA_SETS = RECORDINGS;

/** @param {Model} model @param {string} file @param {{ data: string, images?: string, labels: boolean, json: boolean }} options */
export async function evaluate(model, file, { data, images = 'Infinity', labels, json }) {
  const { say, print } = reporter(file, { json });
  const result = await scoreSounds(model, data, { most: Number(images), labels, say });
  print(
    { labels, ...result },
    `: ${result.sounds} sounds${labels ? ' with labels' : ''}, ${result.seconds.toFixed(1)} s: ${result.bitsPerSample.toFixed(3)} bits a sample ` +
      `(standard error ${result.standardError.toFixed(3)}), ${result.natsPerSample.toFixed(4)} nats; scored ${result.timesRealTime.toFixed(1)} times as fast as they sound`,
  );
}
