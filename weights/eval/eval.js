// SPDX-License-Identifier: MIT
// Measures a shipped file on held-out images or texts, through the wasm:
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
// Without --data it reads the small held-out set of the model's data set in tests/golden/, if there is one. --labels gives the model each
// image's class, --wasm uses another build of the library. The result is the mean negative log-likelihood in nats per image and in bits per
// dimension (a channel of a pixel), of the image as the model sees it: at its number of levels, or in the colours of its palette.
//
// For a model that enlarges, the image's own reduction is the input. One sample of each image (its seed is the image's number) is reduced
// again and compared with that input, and so is bicubic upsampling: PSNR in dB of all images together (in JSON, null without any
// difference); likewise with the image itself; how much neighbouring pixels of it differ, compared with those of the originals; and the
// nats of all drawn samples: many more than for an original mean that the model goes astray while it draws. --temperatures 1,0.8 draws such
// a sample at each of these temperatures; --of 24 uses the likeliest of this many samples instead, and --resample 8 --resample-rows 4 makes
// them compete in groups while they are drawn: the options of these names.
//
// --data takes a folder with the four standard MNIST files, or a file of pictures:
//   NAME.u8.gz  gzip of count x height x width x channels bytes, nothing else
//   NAME.json   { "width", "height", "channels", "labels" } and whatever else; sizes that are missing are the model's; labels
//               (count) are class indices or names, and needed for --labels only
//
// --each FILE.csv also writes a row for each input that was scored, in their order: its number, its nats, and its elements (channels, tokens, samples). Two such files,
// of two models on the same inputs, are compared by npm run eval -- --compare ONE.csv OTHER.csv: the mean difference of their nats with its standard error, which comes
// from the differences input by input.
//
// For a model of language --data is a file of texts with form feeds between them; the result is nats per byte and per token. --images is the
// number of texts.
//
// For a model that tags --data is a treebank, as CoNLL-U or as lines of a word, a tab and its tag with empty lines between sentences; the result is the share of
// words that get their tag, of those that training never saw too, and the nats of the treebank's tags a word. --images is the number of sentences.
//
// For a model of the parents of words --data is a treebank, as CoNLL-U or as lines of a word, a column, and the number of its parent, apart by tabs, with empty lines
// between sentences; the result is the share of words that get their parent, punctuation counted, and the nats of the treebank's parents a word. --images is the
// number of sentences.
//
// For a model that names signs --data is a folder with the evaluation part of Omniglot (weights/train/data/omniglot.py); the result is the share of 2,000 questions
// of seed 1, or --images of them, that are answered rightly, of 5 signs and of 20, one example each.
//
// For a model of captions --data is a file of scenes (weights/train/held_out.py scenes); the result is BLEU-1 and BLEU-4, the fraction of
// entirely correct captions, nats a word of the references, and the fraction of nouns written with attention on their object; the second
// line is the same model given white paper. --images is the number of scenes, --show prints each with its reference.
//
// For an audio model --data is a WAV file or a folder of them; the result is nats and bits a sample. With --labels the model is given digit
// and speaker from the file names: DIGIT_SPEAKER_TAKE.wav. --images is the number of sounds.
//
// For a model of audio codes --data is the same; the result is the spectral convergence of each level's decoded sounds, in dB: 20 log10 of
// the distance of the magnitudes of their spectra from the sound's, in parts of these. --out writes these sounds to folders top and bottom
// in that one, for weights/train/listen.py.
//
// For a model of music --data is a file of JSON: of each piece a list of notes { start, length, pitch, voice }. The result is nats a note and a time step, and, of these pieces and of as
// many that the model draws at --temperatures, how many parallel fifths and octaves they have, how often voices cross, and how many beats are a chord (harmony.js). --images is the number of pieces.
//
// For a model that translates --data is a file of a sentence, a tab and its translation a line; the result is lower-cased BLEU (bleu.js), the nats of a
// reference, and the time of a translation. --beams 1, which is the default, takes the most probable word each time. --images is the number of sentences,
// --show prints each with its reference and its translation; --lengths tells BLEU by the length of the sentence, a quarter of them each, and how sharp
// attention is: the entropy of its weights over the sentence.
//
// For a model of single words (data set letters) --data is a file of a word, a tab and its answer a line; the result is how many are answered to the last letter.
//
// A model that makes pictures at once has no likelihood: weights/train/frechet.py measures it, which needs PyTorch and the data set.
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

/** What makes pictures at once is measured by features that PyTorch computes. @param {string} file */
function measureAtOnce(file) {
  const script = fileURLToPath(new URL('../train/frechet.py', import.meta.url));
  const python = ['python3', '/usr/bin/python3'].find((name) => spawnSync(name, ['-c', 'import torch, PIL']).status === 0) ?? 'python3';
  process.exitCode = spawnSync(python, [script, path.resolve(file)], { stdio: 'inherit' }).status ?? 1;
}

/**
 * Measures on what --data says; what cannot be read there is said with its name.
 * @template T
 * @param {string} data
 * @param {() => Promise<T> | T} measure
 */
async function measuring(data, measure) {
  try {
    return await measure();
  } catch (error) {
    const { code = '', message } = /** @type {{ code?: string, message: string }} */ (error);
    if (!(error instanceof SyntaxError) && !/^[EZ][A-Z_]+$/.test(code)) throw error; // of a file that is missing, a folder, another form
    throw new Error(`--data ${data} is not what such a model is measured on (${message}): npm run eval -- --help says what is`);
  }
}

/**
 * Writes what each score of a model was, when the process ends.
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
 * The mean difference of two files of --each, and its standard error.
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

/** The beginning of this file. */
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
      readSmallSet(info); // reports the arguments to pass
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
    if (error instanceof TypeError && !('code' in error)) throw error; // of this command, not of its input
    console.error(`npm run eval: ${error.message}`);
    process.exitCode = 1;
  });
}
