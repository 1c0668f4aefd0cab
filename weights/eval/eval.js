// SPDX-License-Identifier: MIT
// Measures a shipped file on held-out data, such as images or texts, with the wasm engine:
//
//   npm run eval -- weights/digits.gguf --images 10000 [--data data/mnist] [--labels] [--json]
//   npm run eval -- weights/emoji-sr.gguf --data data/emoji-test.u8.gz
//   npm run eval -- weights/stories.gguf --data build/stories-test.txt
//   npm run eval -- weights/crf-en.gguf --data FILE.conllu
//   npm run eval -- weights/snail-omniglot.gguf --data data/omniglot
//   npm run eval -- weights/captions.gguf --data build/scenes-test.u8.gz
//   npm run eval -- weights/wavenet.gguf --data build/fsdd-test [--labels]
//   npm run eval -- weights/jukebox-codes.gguf --data build/fsdd-test [--out build/coded]
//   npm run eval -- weights/chorales.gguf --data build/chorales-test.json
//   npm run eval -- weights/de-en.gguf --data build/multi30k-test.tsv [--beams 4] [--length-penalty 0.6] [--lengths] [--show]
//   npm run eval -- weights/opened.gguf --data build/letters-test.tsv
//   npm run eval -- weights/sagan-emoji.gguf
//
// Without --data, the script reads the small held-out set in tests/golden/, if there is one for the model's data set.
// --labels gives the model each image's class. --wasm uses another build of the library. The result is the mean negative log-likelihood in
// nats per image and in bits per dimension (a channel of a pixel). Images are first reduced to the model's number of levels, or to the
// colours of its palette.
//
// For a super-resolution model, the input is the downscaled image. One sample of each image is downscaled again and compared with the
// input, and so is the bicubic upsampling; the seed of a sample is the index of the image. The results are:
//   - the PSNR in dB between the downscaled sample and the input, over all images (null in JSON if they are equal)
//   - the PSNR between the sample and the original image
//   - the mean difference of neighbouring pixels, in the samples and in the originals
//   - the nats of the samples; if they are far more than the nats of the originals, the model diverges while it samples
//
// --temperatures 1,0.8 draws one sample at each of these temperatures. --of 24 uses the most probable of this many samples instead.
// --resample 8 --resample-rows 4 resamples them in groups while they are drawn, like the library's options resample and resampleRows.
//
// --data takes a folder with the four standard MNIST files, or a file of pictures:
//   NAME.u8.gz  the pixels, bytes of shape (count, height, width, channels), compressed by gzip
//   NAME.json   { "width", "height", "channels", "labels" }; other keys are ignored. The default sizes are the model's. "labels" are class
//               indices or names, one per image; only --labels needs them
//
// --each FILE.csv also writes a row for each scored input, in order: its index, its nats, and its number of elements (channels, tokens,
// samples). npm run eval -- --compare ONE.csv OTHER.csv compares two such files of two models on the same inputs. It prints the mean
// difference of their nats, and the standard error of this mean.
//
// For a language model, --data is a file of texts separated by form feeds. The results are the nats per byte and per token. --images is the
// number of texts.
//
// For a tagging model, --data is a treebank in CoNLL-U, or a file with a word, a tab and its tag on each line and an empty line after each
// sentence. The results are the fraction of words with the correct tag, this fraction for words that are not in the training data, and the
// nats per word of the treebank's tags. --images is the number of sentences.
//
// For a dependency parser, --data is a treebank in CoNLL-U, or a file with tab-separated lines and an empty line after each sentence:
// column 1 is the word, column 3 is the index of its head, and column 2 is not used. The results are the fraction of words with the correct
// head, including punctuation, and the nats per word of the treebank's heads. --images is the number of sentences.
//
// For a few-shot classifier of characters, --data is a folder with the evaluation part of Omniglot (weights/train/data/omniglot.py). The
// result is the accuracy over 2,000 episodes (or over --images episodes) of seed 1, 5-way and 20-way, with one example per class.
//
// For a captioning model, --data is a file of scenes (weights/train/held_out.py scenes). The results are BLEU-1 and BLEU-4, the fraction of
// entirely correct captions, the nats per word of the references, and the fraction of generated nouns for which attention is on the named
// object. The second line of the output is for a control: the same model with a white image as its input. --images is the number of scenes.
// --show prints each caption with its reference.
//
// For an audio model, --data is a WAV file, or a folder of WAV files. The results are the nats and bits per sample. With --labels, the
// model also gets the digit and the speaker from the file name DIGIT_SPEAKER_TAKE.wav. --images is the number of recordings.
//
// For a model of audio codes, --data is also a WAV file or a folder of WAV files. The result is the spectral convergence in dB of the
// sounds decoded from each level. It is 20 log10(|S - S'| / |S|), where S and S' are the magnitudes of the spectra of the original and of
// the decoded sound. --out writes the decoded sounds to the subfolders top and bottom, for weights/train/listen.py.
//
// For a music model, --data is a JSON file: for each piece, a list of notes { start, length, pitch, voice }. The results are the nats per
// note and per time step, and some statistics of harmony (harmony.js): the number of parallel fifths and octaves, how often voices cross,
// and how many beats are a chord. The statistics are computed for these pieces and for the same number of generated pieces, sampled at
// --temperatures. --images is the number of pieces.
//
// For a translation model, each line of the file --data is a sentence, a tab and its translation. A first line that names the languages is
// skipped. The results are lower-cased BLEU (bleu.js), the nats per reference, and the time per translation. --beams 1 (the default) is
// greedy decoding. --images is the number of sentences. --show prints each sentence with its reference and its translation. --lengths sorts
// the sentences by length and prints BLEU for each quarter; it also prints the entropy of the attention weights over the sentence.
//
// For a model that reverses single words (data set letters), each line of the file --data is a word, a tab and the correct answer. The
// result is the number of entirely correct answers.
//
// A model that generates all pixels in one pass has no likelihood. It is measured by weights/train/frechet.py, which needs PyTorch and the
// data set.
// @ts-check
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { load } from '../../web/lib/index.js';
import { readMnist, readPictures, readSmallSet } from './held-out.js';
import { tellPictures } from './pictures.js';
import { evaluationOf } from './reports.js';

/** @import { Translator } from './translation.js' */
/** @import { AnyModel } from '../../web/lib/model/of-kind.js' */

/**
 * Measures a model that generates all pixels in one pass. It runs a Python script, because the metric needs features that PyTorch computes.
 * @param {string} file
 */
function measureAtOnce(file) {
  const script = fileURLToPath(new URL('../train/frechet.py', import.meta.url));
  const python = ['python3', '/usr/bin/python3'].find((name) => spawnSync(name, ['-c', 'import torch, PIL']).status === 0) ?? 'python3';
  process.exitCode = spawnSync(python, [script, path.resolve(file)], { stdio: 'inherit' }).status ?? 1;
}

/**
 * Runs a measurement on the data of --data. If the data have another format, the error names the path.
 * @template T
 * @param {string} data
 * @param {() => Promise<T> | T} measure
 */
async function measuring(data, measure) {
  try {
    return await measure();
  } catch (error) {
    const { code = '', message } = /** @type {{ code?: string, message: string }} */ (error);
    if (!(error instanceof SyntaxError) && !/^[EZ][A-Z_]+$/.test(code)) throw error; // not a file-system, gzip or JSON error
    throw new Error(`--data ${data} is not what such a model is measured on (${message}): npm run eval -- --help says what is`);
  }
}

/**
 * Records all scores of a model, and writes them to the file of --each when the process ends.
 *
 * @param {any} model
 * @param {string} file
 */
function recordEach(model, file) {
  const rows = ['input,nats,elements'];
  const score = model.score.bind(model);
  model.score = async (/** @type {any} */ what, /** @type {any} */ options) => {
    const one = await score(what, options);
    rows.push([rows.length - 1, one.nats, (one.perElement ?? one.perToken).length].join());
    return one;
  };
  process.once('exit', () => writeFileSync(file, `${rows.join('\n')}\n`));
}

/**
 * Computes the mean difference of the nats in two files of --each, and its standard error.
 *
 * @param {string} one
 * @param {string} other
 */
export function compared(one, other) {
  const [a, b] = [one, other].map((text) =>
    text
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => Number(line.split(',')[1])),
  );
  if (a.length !== b.length || a.length < 2 || ![...a, ...b].every(Number.isFinite))
    throw new Error(`--compare needs two files of --each on the same inputs, at least two of them: there are ${a.length} and ${b.length}`);
  const differences = b.map((nats, i) => nats - a[i]);
  const mean = differences.reduce((sum, difference) => sum + difference, 0) / a.length;
  const variance = differences.reduce((sum, difference) => sum + (difference - mean) ** 2, 0) / (a.length - 1);
  return `${a.length} inputs: the second costs ${mean.toFixed(4)} nats more, standard error ${Math.sqrt(variance / a.length).toFixed(4)}`;
}

/** Minimum and maximum of each option that takes a whole number. @type {Record<string, [number, number]>} */
const WHOLE = { images: [1, Infinity], of: [1, 64], resample: [0, 64], 'resample-rows': [1, Infinity], beams: [1, 16] };

/**
 * Throws an error if an option that takes a number is not a number, or is out of range.
 * @param {Record<string, unknown>} options  of the command line
 */
export function checkNumbers(options) {
  for (const [name, [low, high]] of Object.entries(WHOLE)) {
    const text = options[name];
    if (text === undefined || (/^\d+$/.test(String(text)) && Number(text) >= low && Number(text) <= high)) continue;
    throw new Error(`--${name} takes a whole number from ${low} ${high === Infinity ? 'on' : `to ${high}`}, not ${JSON.stringify(text)}`);
  }
  const isNumber = (/** @type {string} */ text) => /^(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text.trim()) && Number.isFinite(Number(text));
  if (!String(options.temperatures).split(',').every(isNumber))
    throw new Error('--temperatures takes numbers from 0 on, with commas between them');
  const { 'length-penalty': penalty } = options;
  if (penalty !== undefined && !isNumber(String(penalty)))
    throw new Error(`--length-penalty takes a number from 0 on, not ${JSON.stringify(penalty)}`);
}

/** The header comment of this file. */
const HELP = readFileSync(new URL(import.meta.url), 'utf8')
  .split('// @ts-check')[0]
  .split('\n')
  .slice(1)
  .map((line) => line.replace(/^\/\/ ?/, ''))
  .join('\n')
  .trim();

async function main() {
  const { values: options, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      images: { type: 'string' },
      data: { type: 'string' },
      labels: { type: 'boolean', default: false },
      wasm: { type: 'string' },
      temperatures: { type: 'string', default: '1' },
      of: { type: 'string', default: '1' },
      resample: { type: 'string', default: '0' },
      'resample-rows': { type: 'string' },
      json: { type: 'boolean', default: false },
      beams: { type: 'string', default: '1' },
      'length-penalty': { type: 'string' },
      lengths: { type: 'boolean', default: false },
      show: { type: 'boolean', default: false },
      out: { type: 'string' },
      each: { type: 'string' },
      compare: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (options.help) {
    console.log(HELP);
    return;
  }
  if (options.compare && positionals.length === 2) {
    console.log(compared(readFileSync(positionals[0], 'utf8'), readFileSync(positionals[1], 'utf8')));
    return;
  }
  if (positionals.length !== 1) {
    console.error(
      'usage: npm run eval -- FILE [--images N] [--data FOLDER | FILE.u8.gz] [--labels] [--temperatures 1,0.8] [--of N] [--resample N] [--resample-rows N] ' +
        '[--beams N] [--length-penalty A] [--lengths] [--show] [--out FOLDER] [--each FILE.csv] [--wasm FILE] [--json]; --compare ONE.csv OTHER.csv; --help says more',
    );
    process.exit(2);
  }
  checkNumbers(options);
  for (const [what, file] of [
    ['', positionals[0]],
    ['--data ', options.data],
    ['--wasm ', options.wasm],
  ]) {
    if (file !== undefined && !existsSync(file)) throw new Error(`${what}${file}: no such file`);
  }
  const model = /** @type {AnyModel} */ (
    await load(path.resolve(positionals[0]), options.wasm === undefined ? {} : { wasmUrl: path.resolve(options.wasm) })
  );
  const { info } = model;
  if (options.each !== undefined) recordEach(model, options.each);
  if (!info.verbs.includes('score') && info.verbs.includes('walk')) {
    model.close();
    measureAtOnce(positionals[0]);
    return;
  }
  const evaluate = evaluationOf(info);
  if (evaluate) {
    const translator = /** @type {Translator} */ (/** @type {unknown} */ (model));
    if (options.data === undefined)
      readSmallSet(info); // reports the missing arguments
    else {
      const { data } = options;
      await measuring(data, () => evaluate(/** @type {any} */ (translator), positionals[0], { ...options, data }));
    }
    model.close();
    return;
  }
  await tellPictures(model, positionals[0], options, (data) =>
    measuring(data, () => (statSync(data).isDirectory() ? readMnist(data, info) : readPictures(data, info))),
  );
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  await main().catch((error) => {
    if (error instanceof TypeError && !('code' in error)) throw error; // a bug in this script, not in its input
    console.error(`npm run eval: ${error.message}`);
    process.exitCode = 1;
  });
}
