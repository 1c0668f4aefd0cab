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
// Without --data it reads the small set of tests/golden/ that is held out of the model's data set, where there is one. --labels tells the model each image's class, --wasm
// takes another build of the library. The result is
// the mean negative log-likelihood in nats per image and in bits per dimension (a channel of a pixel), of the image as the model
// sees it: at its number of levels, or in the colours of its palette.
//
// For a model that enlarges, the image's own reduction is the input. One sample of each image (its seed is the image's number) is
// reduced again and compared with that input, beside the same for bicubic upsampling: PSNR in dB of all images together (in JSON,
// null where there is no difference at all); likewise with the image itself; how much neighbouring pixels of it differ, beside those of the originals; and
// the nats of what was drawn, all samples of it: much more than an original's means that the model gets lost while it draws.
// --temperatures 1,0.8 draws such a sample at each of these temperatures; --of 24 takes the likeliest of so many samples instead, and
// --resample 8 --resample-rows 4 has these compete in groups of so many while they are drawn: the options of these names.
//
// --data takes a folder with the four standard MNIST files, or a file of pictures:
//   NAME.u8.gz  gzip of count x height x width x channels bytes, nothing else
//   NAME.json   { "width", "height", "channels", "labels" } and whatever else; sizes that are missing are the model's; labels
//               (count) are class indices or names, and needed for --labels only
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
// For a model of captions --data is a file of scenes (weights/train/held_out.py scenes); the result is BLEU-1 and BLEU-4, the share of captions wholly right, nats a
// word of the references, and the share of nouns that were written with a look at what they name; the second line is of the same model before white paper.
// --images is the number of scenes, --show prints each with its reference.
//
// For a model of sounds --data is a WAV file or a folder of them; the result is nats and bits a sample. With --labels the model is told digit and speaker, which
// the names say: DIGIT_SPEAKER_TAKE.wav. --images is the number of sounds.
//
// For a model of sounds by codes --data is the same; the result is the spectral convergence of what is made of each level's codes, in dB: 20 log10 of the distance of the magnitudes
// of their spectra from the sound's, in parts of these. --out writes these sounds to folders top and bottom in that one, for weights/train/listen.py.
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
import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { parseArgs } from 'node:util';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { bicubic } from '../../web/pages/colour/bicubic.js';
import { reduce } from '../../web/lib/kinds/picture/image.js';
import { load } from '../../web/lib/index.js';
import { picturesOf } from './drawn.js';
import { scoreCaptions } from './captions.js';
import { scoreCodes } from './codes.js';
import { scoreHeads } from './heads.js';
import { scoreMusic } from './music.js';
import { scoreSigns } from './signs.js';
import { scoreSounds } from './sounds.js';
import { scoreTags } from './tags.js';
import { scoreTexts } from './text.js';
import { scoreTranslations } from './translation.js';
import { scoreWords } from './words.js';

/** @import { Model, ModelInfo } from '../../web/lib/index.js' */
/** @import { Translator } from './translation.js' */
/** @typedef {{ pixels: Uint8Array, labels: (string | number)[] | undefined, count: number }} Pictures */

/**
 * Reads an idx file, the container of MNIST: two zero bytes, a type (8: unsigned bytes), the number of dimensions, each dimension as
 * a big-endian 32-bit number, then the data.
 * @param {string} file
 */
function readIdx(file) {
  const bytes = gunzipSync(readFileSync(file));
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.getUint16(0) !== 0 || bytes[2] !== 8) throw new Error(`${file} is not an idx file of bytes`);
  const shape = Array.from({ length: bytes[3] }, (_, i) => view.getUint32(4 + 4 * i));
  const data = bytes.subarray(4 + 4 * shape.length);
  if (data.length !== shape.reduce((a, b) => a * b, 1)) throw new Error(`${file} is cut short`);
  return { shape, data };
}

/** The test images of MNIST. @param {string} folder @param {ModelInfo} info @returns {Pictures} */
function readMnist(folder, { width, height, channels }) {
  const file = path.join(folder, 't10k-images-idx3-ubyte.gz');
  if (!existsSync(file)) throw new Error(`${file} is missing: put the four standard MNIST files there`);
  const { shape, data } = readIdx(file);
  if (shape[1] !== height || shape[2] !== width || channels !== 1) throw new Error(`${file} has images of another size than the model`);
  return { pixels: data, labels: [...readIdx(path.join(folder, 't10k-labels-idx1-ubyte.gz')).data], count: shape[0] };
}

/** A file of pictures and what stands beside it. @param {string} file @param {ModelInfo} info @returns {Pictures} */
export function readPictures(file, info) {
  const sidecar = file.replace(/(\.u8)?\.gz$/, '') + '.json';
  if (sidecar === `${file}.json`) throw new Error(`${file} should be NAME.u8.gz, with NAME.json beside it`);
  const about = JSON.parse(readFileSync(sidecar, 'utf8'));
  for (const key of /** @type {const} */ (['width', 'height', 'channels'])) {
    if ((about[key] ?? info[key]) !== info[key]) throw new Error(`${file}: ${key} is ${about[key]}, the model's ${info[key]}`);
  }
  const pixels = gunzipSync(readFileSync(file));
  const count = pixels.length / (info.width * info.height * info.channels);
  if (!Number.isInteger(count) || count === 0) throw new Error(`${file} does not hold a whole number of images of the model's size`);
  if (about.labels && about.labels.length !== count) throw new Error(`${file} has ${count} images and ${about.labels.length} labels`);
  return { pixels, labels: about.labels, count };
}

/** The data set of words and the same backwards: its models answer in letters, not in sentences. */
const LETTERS = /\bletters\.py\b/;

/**
 * Data sets by what the card of a model says it was trained on: the small held-out set of tests/golden/, if there is one, and what makes
 * the whole of it. The first that fits counts.
 * @type {{ dataset: RegExp, small?: string, data: string, make?: string }[]}
 */
const DATA_SETS = [
  { dataset: /^scenes/, data: 'build/scenes-test.u8.gz', make: 'python3 weights/train/held_out.py scenes build/scenes-test' },
  { dataset: /\bbinari[sz]ed MNIST/i, small: 'fvsbn-test100', data: 'build/binarised-test.u8.gz', make: 'python3 weights/train/held_out.py binarised_mnist build/binarised-test' },
  { dataset: /\bMNIST\b/, small: 'digits-test100', data: 'data/mnist', make: 'python3 weights/train/prepare.py mnist' },
  {
    dataset: /\bNoto Emoji\b/,
    small: 'emoji-test100',
    data: 'build/emoji-test.u8.gz',
    make: 'python3 weights/train/held_out.py emoji build/emoji-test',
  },
  { dataset: /\bTinyStories\b/, data: 'build/stories-test.txt', make: 'python3 weights/train/held_out.py stories build/stories-test' },
  { dataset: /\bMulti30k\b/, data: 'build/multi30k-test.tsv', make: 'python3 weights/train/held_out.py multi30k build/multi30k-test' },
  { dataset: /\bEnglish Web Treebank\b/, data: 'build/ewt-test.tsv', make: 'xz -dc data/ud_ewt/test.tsv.xz >build/ewt-test.tsv' },
  { dataset: /\bOmniglot\b/, data: 'data/omniglot', make: 'python3 weights/train/prepare.py omniglot' },
  { dataset: /\bSpoken Digit\b/, data: 'build/fsdd-test', make: 'python3 weights/train/held_out.py fsdd build/fsdd-test' },
  { dataset: LETTERS, data: 'build/letters-test.tsv', make: 'python3 weights/train/held_out.py letters build/letters-test' },
  { dataset: /\bJSB Chorales\b/, data: 'build/chorales-test.json', make: 'python3 weights/train/held_out.py chorales build/chorales-test' },
  { dataset: /\bCIFAR-10\b/, data: 'build/cifar10-test.u8.gz', make: 'python3 weights/train/held_out.py cifar10 build/cifar10-test' },
];

/** The small set of pictures that a model's training has not seen. @param {ModelInfo} info */
export function readSmallSet(info) {
  const { dataset } = info.card;
  const known = DATA_SETS.find((set) => set.dataset.test(dataset ?? ''));
  if (known?.small) return readPictures(fileURLToPath(new URL(`../../tests/golden/${known.small}.u8.gz`, import.meta.url)), info);
  const what = dataset === undefined ? `${info.name} does not say what it was trained on` : `Nothing in tests/golden is held out of "${dataset}"`;
  throw new Error(`${what}: pass --data ${known ? `${known.data}, which ${known.make} writes` :
    'FILE.u8.gz, as the beginning of weights/eval/eval.js describes it'}`);
}

/** Squared differences, summed up. @param {ArrayLike<number>} a @param {ArrayLike<number>} b */
function squaredError(a, b) {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] - b[i]) ** 2;
  return sum;
}

/**
 * How much neighbouring pixels differ, of 255: the mean of the absolute differences to the right and below, each direction by itself.
 *
 * @param {Uint8Array} picture  (height, width, channels)
 * @param {{ height: number, width: number, channels: number }} shape
 */
function roughness(picture, { height, width, channels }) {
  let right = 0, below = 0;
  const row = width * channels;
  picture.forEach((value, i) => {
    if (i % row < row - channels) right += Math.abs(value - picture[i + channels]);
    if (i < picture.length - row) below += Math.abs(value - picture[i + row]);
  });
  return (right / (height * (row - channels)) + below / ((height - 1) * row)) / 2;
}

/**
 * Of enlarged pictures: how well they agree with their input, as squared errors of their reductions, and with the original, how rough they are, and the mean
 * of the nats of all that were drawn.
 * @param {Model} model
 * @param {{ data: Uint8Array, width: number, height: number }} image
 * @param {{ label?: string | number, seed: number }} options
 * @param {number[]} temperatures  a sample at each
 * @param {{ samples: number, resample: number, resampleRows?: number }} contest  samples, of which it is the likeliest
 */
async function consistency(model, image, options, temperatures, contest) {
  const { info } = model;
  const { inputWidth: width, inputHeight: height, channels } = info;
  const samples = [];
  let input = new Uint8Array();
  const back = (/** @type {Uint8Array} */ picture) => squaredError(reduce(picture, info, width, height), input);
  for (const temperature of temperatures) {
    const run = model.superResolve(image, { ...options, ...contest, temperature });
    input = /** @type {Uint8Array<ArrayBuffer>} */ (await run.input);
    const { pictures: [picture], nats } = await picturesOf(model, run, contest.samples);
    samples.push({
      error: back(picture), originalError: squaredError(picture, image.data), roughness: roughness(picture, info),
      nats: nats.reduce((a, b) => a + b, 0) / contest.samples,
    });
  }
  return { samples, bicubic: back(new Uint8Array(bicubic(input, { width, height, channels }, info))) };
}

/** @param {Model} model @param {string} file @param {{ data: string, images?: string, json: boolean }} options */
async function tellTexts(model, file, { data, images = 'Infinity', json }) {
  const live = !json && process.stderr.isTTY;
  const result = await scoreTexts(model, data, Number(images), (done) => { if (live) process.stderr.write(`\r${done}`); });
  if (live) process.stderr.write('\r');
  if (json) console.log(JSON.stringify({ file: path.basename(file), ...result }));
  else console.log(`${path.basename(file)}: ${result.texts} texts, ${result.bytes.toLocaleString('en')} bytes, ${result.tokens.toLocaleString('en')} tokens: ` +
    `${result.natsPerByte.toFixed(4)} nats a byte (${result.bitsPerByte.toFixed(3)} bits), ${result.natsPerToken.toFixed(3)} a token ` +
    `(perplexity ${result.perplexity.toFixed(2)}); ${Math.round(result.tokensPerSecond)} tokens scored a second`);
}

/**
 * @param {Translator} model
 * @param {string} file
 * @param {{ data: string, images?: string, beams: string, 'length-penalty'?: string, lengths: boolean, show: boolean,
 *   json: boolean }} options
 */
async function tellTranslations(model, file, { data, images = 'Infinity', beams, 'length-penalty': penalty, lengths, show, json }) {
  const live = !json && !show && process.stderr.isTTY;
  const result = await scoreTranslations(model, data, {
    most: Number(images), beams: Number(beams), lengthPenalty: penalty === undefined ? undefined : Number(penalty), lengths,
    say: (done) => { if (live) process.stderr.write(`\r${done}`); },
    tell: show ? (...lines) => console.log(lines.join('\n    ')) : undefined,
  });
  if (live) process.stderr.write('\r');
  if (json) console.log(JSON.stringify({ file: path.basename(file), ...result }));
  else console.log(`${path.basename(file)}: ${result.sentences} sentences, ${beams === '1' ? 'greedy' : `${beams} beams`}: BLEU ${result.bleu.toFixed(2)} ` +
    `(lower-cased, 13a; ${result.lengthRatio.toFixed(3)} of the references' length), ${result.nats.toFixed(2)} nats a reference, ` +
    `${result.natsPerToken.toFixed(3)} a token; ${(1000 * result.secondsPerSentence).toFixed(1)} ms a sentence` +
    (result.byLength ? `; by words of the sentence ${result.byLength.map(({ words, bleu }) => `${words.join('-')}: ${bleu.toFixed(2)}`).join(', ')}; ` +
      `entropy of attention ${(result.entropy ?? 0).toFixed(3)} nats, its weights add up to ${(result.looked ?? 0).toFixed(2)}` : ''));
}

/** @param {Model} model @param {string} file @param {{ data: string, images?: string, json: boolean }} options */
async function tellTags(model, file, { data, images = 'Infinity', json }) {
  const live = !json && process.stderr.isTTY;
  const result = await scoreTags(model, data, Number(images), (done) => { if (live) process.stderr.write(`\r${done}`); });
  if (live) process.stderr.write('\r');
  if (json) console.log(JSON.stringify({ file: path.basename(file), ...result }));
  else console.log(`${path.basename(file)}: ${result.sentences} sentences, ${result.words} words: ${(100 * result.accuracy).toFixed(2)} % get their tag, ` +
    `${(100 * result.unseenAccuracy).toFixed(2)} % of the ${result.unseen} that training never saw; ${result.natsPerWord.toFixed(4)} nats a word; ` +
    `${Math.round(result.wordsPerSecond)} words a second`);
}

/** @param {Model} model @param {string} file @param {{ data: string, images?: string, json: boolean }} options */
async function tellHeads(model, file, { data, images = 'Infinity', json }) {
  const live = !json && process.stderr.isTTY;
  const result = await scoreHeads(model, data, Number(images), (done) => { if (live) process.stderr.write(`\r${done}`); });
  if (live) process.stderr.write('\r');
  if (json) console.log(JSON.stringify({ file: path.basename(file), ...result }));
  else console.log(`${path.basename(file)}: ${result.sentences} sentences, ${result.words} words: ${(100 * result.attachment).toFixed(2)} % get their parent, ` +
    `in ${(100 * result.whole).toFixed(2)} % of the sentences all do; ${result.natsPerWord.toFixed(4)} nats a word of the ${result.projective} sentences without crossing arcs; ` +
    `${Math.round(result.wordsPerSecond)} words a second`);
}

/** @param {Model} model @param {string} file @param {{ data: string, images?: string, json: boolean }} options */
async function tellSigns(model, file, { data, images = '2000', json }) {
  const live = !json && process.stderr.isTTY;
  for (const ways of [5, 20]) {
    const result = await scoreSigns(model, data, ways, Number(images), (done) => { if (live) process.stderr.write(`\r${done}`); });
    if (live) process.stderr.write('\r');
    if (json) console.log(JSON.stringify({ file: path.basename(file), ...result }));
    else console.log(`${path.basename(file)}: ${result.episodes} questions of ${ways} signs, one example each: ${(100 * result.accuracy).toFixed(2)} % right ` +
      `(standard error ${(100 * result.standardError).toFixed(2)}), ${result.nats.toFixed(4)} nats; ${result.ms.toFixed(1)} ms a question`);
  }
}

/** @param {Model} model @param {string} file @param {{ data: string, images?: string, labels: boolean, json: boolean }} options */
async function tellSounds(model, file, { data, images = 'Infinity', labels, json }) {
  const live = !json && process.stderr.isTTY;
  const result = await scoreSounds(model, data, { most: Number(images), labels, say: (done) => { if (live) process.stderr.write(`\r${done}`); } });
  if (live) process.stderr.write('\r');
  if (json) console.log(JSON.stringify({ file: path.basename(file), labels, ...result }));
  else console.log(`${path.basename(file)}: ${result.sounds} sounds${labels ? ' with labels' : ''}, ${result.seconds.toFixed(1)} s: ${result.bitsPerSample.toFixed(3)} bits a sample ` +
    `(standard error ${result.standardError.toFixed(3)}), ${result.natsPerSample.toFixed(4)} nats; scored ${result.timesRealTime.toFixed(1)} times as fast as they sound`);
}

/** @param {Model} model @param {string} file @param {{ data: string, images?: string, out?: string, json: boolean }} options */
async function tellCodes(model, file, { data, images = 'Infinity', out, json }) {
  const live = !json && process.stderr.isTTY;
  const result = await scoreCodes(model, data, { most: Number(images), out, say: (done) => { if (live) process.stderr.write(`\r${done}`); } });
  if (live) process.stderr.write('\r');
  const { convergence, bits, timesRealTime } = result;
  if (json) console.log(JSON.stringify({ file: path.basename(file), ...result }));
  else console.log(`${path.basename(file)}: ${result.sounds} sounds, ${result.seconds.toFixed(1)} s: spectral convergence from the top level ${convergence.top.toFixed(2)} dB (${Math.round(bits.top)} bits a second), ` +
    `from the bottom level ${convergence.bottom.toFixed(2)} dB (${Math.round(bits.bottom)}); encoded ${timesRealTime.encode.toFixed(1)} times as fast as they sound, decoded ${timesRealTime.decode.toFixed(1)} times`);
}

/** @param {Model} model @param {string} file @param {{ data: string, images?: string, show: boolean, json: boolean }} options */
async function tellCaptions(model, file, { data, images = 'Infinity', show, json }) {
  const live = !json && !show && process.stderr.isTTY;
  for (const blank of [false, true]) {
    const result = await scoreCaptions(model, data, {
      most: Number(images), blank, say: (done) => { if (live) process.stderr.write(`\r${done}`); },
      tell: show && !blank ? (...lines) => console.log(lines.join('\n    ')) : undefined,
    });
    if (live) process.stderr.write('\r');
    if (json) console.log(JSON.stringify({ file: path.basename(file), blank, ...result }));
    else console.log(`${path.basename(file)}${blank ? ' before white paper' : ''}: ${result.scenes} scenes: BLEU-1 ${result.bleu1.toFixed(2)}, BLEU-4 ${result.bleu4.toFixed(2)}, ` +
      `${(100 * result.right).toFixed(2)} % wholly right (${(100 * result.sureRight).toFixed(1)} % of the ${(100 * result.sure).toFixed(1)} % that it is sure of, ${(100 * result.unsureRight).toFixed(1)} % of the others), ${result.natsPerWord.toFixed(4)} nats a word, looked at ${(100 * result.looked).toFixed(2)} % of ${result.nouns} things that it named; ` +
      `${result.ms.toFixed(1)} ms a caption`);
  }
}

/** @param {Model} model @param {string} file @param {{ data: string, images?: string, temperatures: string, json: boolean }} options */
async function tellMusic(model, file, { data, images = 'Infinity', temperatures, json }) {
  const live = !json && process.stderr.isTTY;
  const temperature = Number(temperatures.split(',')[0]);
  const result = await scoreMusic(model, data, { most: Number(images), temperature, say: (done) => { if (live) process.stderr.write(`\r${done}   `); } });
  if (live) process.stderr.write('\r');
  if (json) return console.log(JSON.stringify({ file: path.basename(file), ...result }));
  const rules = (/** @type {import('./music.js').Rules} */ { fifths, octaves, crossings, chords }) => `parallel fifths ${fifths.toFixed(2)} a piece, octaves ${octaves.toFixed(2)}; voices cross at ${crossings.toFixed(1)} % of moments; ${chords.toFixed(1)} % of beats are a chord`;
  console.log(`${path.basename(file)}: ${result.pieces} pieces: ${result.natsPerNote.toFixed(3)} nats a note, ${result.natsPerTick.toFixed(3)} a time step (standard error ${result.standardError.toFixed(3)})`);
  console.log(`  these:           ${rules(result.given)}`);
  console.log(`  drawn at ${temperature.toFixed(2)}:   ${rules(result.drawn)}; ${result.outOfRange} notes out of range; ${result.msPerId.toFixed(2)} ms an id`);
}

/** @param {Model} model @param {string} file @param {{ data: string, json: boolean }} options */
async function tellWords(model, file, { data, json }) {
  const { words, right, wrong } = await scoreWords(model, data);
  if (json) console.log(JSON.stringify({ file: path.basename(file), words, right }));
  else console.log(`${path.basename(file)}: ${right} of ${words} words right (${((100 * right) / words).toFixed(2)} %)${wrong.length > 0 ? `; wrong: ${wrong.slice(0, 20).join(', ')}` : ''}`);
}

/** What makes pictures at once is measured by features that PyTorch computes. @param {string} file */
function measureAtOnce(file) {
  const script = fileURLToPath(new URL('../train/frechet.py', import.meta.url));
  const python = ['python3', '/usr/bin/python3'].find((name) => spawnSync(name, ['-c', 'import torch, PIL']).status === 0) ?? 'python3';
  process.exitCode = spawnSync(python, [script, path.resolve(file)], { stdio: 'inherit' }).status ?? 1;
}

/** What measures this model; of pictures that are drawn nothing: main() does. @param {ModelInfo} info */
function evaluationOf(info) {
  if (info.kind === 'sound') return tellSounds;
  if (info.kind === 'code') return tellCodes;
  if (info.kind === 'note') return tellMusic;
  if (LETTERS.test(info.card.dataset ?? '')) return tellWords;
  if (info.kind === 'text' && info.verbs.includes('generate')) return tellTexts;
  return EVALUATIONS[info.verbs.find((name) => name in EVALUATIONS) ?? ''];
}

/** How models with one of these verbs are measured; those of pictures are in main().
 * @type {Record<string, (model: any, file: string, options: any) => Promise<void>>} */
const EVALUATIONS = { translate: tellTranslations, tag: tellTags, parse: tellHeads, classify: tellSigns, caption: tellCaptions };

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

/** The beginning of this file. */
const HELP = readFileSync(new URL(import.meta.url), 'utf8').split('// @ts-check')[0].split('\n').slice(1).map((line) => line.replace(/^\/\/ ?/, '')).join('\n').trim();

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
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (options.help) {
    console.log(HELP);
    return;
  }
  if (positionals.length !== 1) {
    console.error('usage: npm run eval -- FILE [--images N] [--data FOLDER | FILE.u8.gz] [--labels] [--temperatures 1,0.8] [--of N] [--resample N] [--resample-rows N] ' +
      '[--beams N] [--length-penalty A] [--lengths] [--show] [--out FOLDER] [--wasm FILE] [--json]; --help says more');
    process.exit(2);
  }
  for (const [what, file] of [['', positionals[0]], ['--data ', options.data], ['--wasm ', options.wasm]]) {
    if (file !== undefined && !existsSync(file)) throw new Error(`${what}${file}: no such file`);
  }
  const model = await load(path.resolve(positionals[0]), options.wasm === undefined ? {} : { wasmUrl: path.resolve(options.wasm) });
  const { info } = model;
  if (!info.verbs.includes('score') && info.verbs.includes('walk')) {
    model.close();
    measureAtOnce(positionals[0]);
    return;
  }
  const evaluate = evaluationOf(info);
  if (evaluate) {
    const translator = /** @type {Translator} */ (/** @type {unknown} */ (model));
    if (options.data === undefined) readSmallSet(info); // says what to pass
    else {
      const { data } = options;
      await measuring(data, () => evaluate(/** @type {any} */ (translator), positionals[0], { ...options, data }));
    }
    model.close();
    return;
  }
  const { width, height, channels } = info;
  const size = width * height * channels;
  const { data } = options;
  const pictures = data === undefined ? readSmallSet(info) : await measuring(data, () => (statSync(data).isDirectory() ? readMnist(data, info) : readPictures(data, info)));
  const { pixels, labels } = pictures;
  if (options.labels && !labels) throw new Error('These images have no labels');
  const count = Math.min(Number(options.images ?? pictures.count), pictures.count);
  if (!(count >= 1)) throw new Error('--images takes a positive number');

  const temperatures = options.temperatures.split(',').map(Number);
  if (!temperatures.every((t) => t >= 0)) throw new Error('--temperatures takes numbers from 0 on, with commas between them');
  const of = Number(options.of);
  const contest = { samples: of, resample: Number(options.resample), resampleRows: options['resample-rows'] === undefined ? undefined : Number(options['resample-rows']) };
  if (!Number.isInteger(of) || of < 1 || of > 64) throw new Error('--of takes a whole number from 1 to 64');
  const drawings = temperatures.map(() => ({ error: 0, originalError: 0, roughness: 0, nats: 0 }));
  let sum = 0, squares = 0, bicubicError = 0, originals = 0, scoring = 0;
  for (let i = 0; i < count; i++) {
    const image = { data: pixels.subarray(i * size, (i + 1) * size), width, height };
    const label = options.labels ? labels?.[i] : undefined;
    const started = performance.now();
    const { nats } = await model.score(image, { label });
    scoring += performance.now() - started;
    sum += nats;
    squares += nats * nats;
    if (info.inputWidth > 0) {
      const enlarged = await consistency(model, image, { label, seed: i }, temperatures, contest);
      enlarged.samples.forEach((sample, t) => {
        drawings[t].error += sample.error;
        drawings[t].originalError += sample.originalError;
        drawings[t].roughness += sample.roughness / count;
        drawings[t].nats += sample.nats / count;
      });
      bicubicError += enlarged.bicubic;
      originals += roughness(image.data, info) / count;
    }
    if (!options.json && process.stderr.isTTY && i % 20 === 19) process.stderr.write(`\r${i + 1} of ${count}: ${(sum / (i + 1)).toFixed(2)} nats`);
  }
  model.close();

  const nats = sum / count;
  const psnr = (/** @type {number} */ error, numbers = info.inputWidth * info.inputHeight * channels) =>
    10 * Math.log10((255 ** 2 * count * numbers) / error);
  const result = {
    file: path.relative(fileURLToPath(new URL('../..', import.meta.url)), path.resolve(positionals[0])),
    images: count,
    labels: options.labels,
    nats,
    standardError: Math.sqrt(Math.max(0, squares / count - nats * nats) / count),
    bitsPerDim: nats / (size * Math.LN2),
    secondsPerImage: scoring / 1000 / count,
    ...(info.inputWidth > 0 && { consistency: {
      psnr: psnr(drawings[0].error), bicubicPsnr: psnr(bicubicError), roughness: originals,
      temperatures: temperatures.map((temperature, t) => ({
        temperature, psnr: psnr(drawings[t].error), originalPsnr: psnr(drawings[t].originalError, size), roughness: drawings[t].roughness, nats: drawings[t].nats,
      })),
    } }),
  };
  if (options.json) {
    console.log(JSON.stringify(result));
    return;
  }
  if (process.stderr.isTTY) process.stderr.write('\r');
  console.log(`${result.file}: ${count} images${options.labels ? ' with labels' : ''}: ${nats.toFixed(2)} nats (standard error ` +
    `${result.standardError.toFixed(2)}), ${result.bitsPerDim.toFixed(4)} bits/dim, ${(1000 * result.secondsPerImage).toFixed(0)} ms an image`);
  if (result.consistency) {
    console.log(`reduced again, ${of > 1 ? `the likeliest of ${of} samples` : 'one sample'} of each against its ${info.inputWidth} x ${info.inputHeight} input: PSNR ` +
      `${result.consistency.temperatures.map(({ temperature, psnr }) => `${psnr.toFixed(2)} dB at temperature ${temperature}`).join(', ')}; ` +
      `bicubic ${result.consistency.bicubicPsnr.toFixed(2)} dB`);
    console.log(`against the originals ${result.consistency.temperatures.map(({ temperature, originalPsnr }) => `${originalPsnr.toFixed(2)} dB at temperature ${temperature}`).join(', ')}`);
    console.log(`neighbouring pixels differ, of 255, by ${result.consistency.temperatures.map((one) => `${one.roughness.toFixed(1)} at temperature ${one.temperature}`).join(', ')}; ` +
      `${result.consistency.roughness.toFixed(1)} in the originals`);
    console.log(`drawing cost ${result.consistency.temperatures.map((one) => `${one.nats.toFixed(0)} nats a sample at temperature ${one.temperature}`).join(', ')}; ` +
      `${nats.toFixed(0)} the originals`);
  }
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  await main().catch((error) => {
    if (error instanceof TypeError && !('code' in error)) throw error; // of this command, not of what it was given
    console.error(`npm run eval: ${error.message}`);
    process.exitCode = 1;
  });
}
