// SPDX-License-Identifier: MIT
// For a model of audio codes, --data is a WAV file or a folder of WAV files. The script encodes each sound into two levels of codes, and
// decodes each level separately. The result is the spectral convergence of each level, 20 log10(|S - S'| / |S|) in dB. S are the magnitudes
// of the spectra of the original sound, and S' those of the decoded sound. --out writes the decoded sounds to the subfolders top and
// bottom, for weights/train/listen.py.
//
//   npm run eval -- weights/jukebox-codes.gguf --data build/fsdd-test [--out build/coded]
// @ts-check
import { RECORDINGS } from '../../files.js';
import { reporter } from '../../reporter.js';
import { scoreCodes } from './codes.js';

/** @import { AnyModel as Model } from '../../../../web/lib/model/of-kind.js' */

export const DATA_SETS = RECORDINGS;

/** @param {Model} model @param {string} file @param {{ data: string, images?: string, out?: string, json: boolean }} options */
export async function evaluate(model, file, { data, images = 'Infinity', out, json }) {
  const { say, print } = reporter(file, { json });
  const result = await scoreCodes(model, data, { most: Number(images), out, say });
  const { convergence, bits, timesRealTime } = result;
  print(
    result,
    `: ${result.sounds} sounds, ${result.seconds.toFixed(1)} s: spectral convergence from the top level ${convergence.top.toFixed(2)} dB (${Math.round(bits.top)} bits a second), ` +
      `from the bottom level ${convergence.bottom.toFixed(2)} dB (${Math.round(bits.bottom)}); encoded ${timesRealTime.encode.toFixed(1)} times as fast as they sound, decoded ${timesRealTime.decode.toFixed(1)} times`,
  );
}
