// SPDX-License-Identifier: MIT
// Measures a shipped file (a model) on held-out data, for example on images or texts, with the wasm engine:
//
//   npm run eval -- FILE.gguf [--data FILE] [--images N] [--json]
//
// --data is the path of the held-out data, and --images limits the number of inputs. For each kind of model, kinds/NAME/evaluation.js
// documents the data format, the results and further options; npm run eval -- --help prints this documentation. --wasm FILE uses another
// build of the library.
//
// --each FILE.csv also writes a table with one row per scored input, in order. The columns are the index of the input, its nats, and the
// number of its elements (channels, tokens, samples). npm run eval -- --compare ONE.csv OTHER.csv compares the files of two models that
// scored the same inputs. This command prints the mean difference between the nats of the two models, and the standard error of this mean.
// @ts-check
import { existsSync, readFileSync, readdirSync, realpathSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { load } from '../../web/lib/index.js';
import { noData } from './held-out.js';

/** @import { AnyModel } from '../../web/lib/model/of-kind.js' */
/** @import { DataSet } from './held-out.js' */

/**
 * The exports of kinds/NAME/evaluation.js. DATA_SETS are the known data sets for this kind of model; a kind without DATA_SETS needs no
 * --data. `evaluate` measures a model and prints the result.
 * @typedef {{ DATA_SETS?: DataSet[], evaluate: (model: AnyModel, file: string, options: any) => Promise<void> }} Evaluation
 */

/** This folder has a subfolder for each kind of model, with its evaluation. */
const KINDS = new URL('kinds/', import.meta.url);

/** Returns the evaluation for a kind of model. @param {string} kind @returns {Promise<Evaluation>} */
const evaluationOf = (kind) => import(`./kinds/${kind}/evaluation.js`);

/**
 * Runs a measurement on the file or folder given with --data. If the format of the data is wrong, the error message contains the path.
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
 * Records all scores of a model, and writes them to the file given with --each when the process ends.
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
 * Computes the mean difference between the nats in two files written by --each, and the standard error of this mean.
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
 * @param {Record<string, unknown>} options  the command-line options
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

/** Returns the comment at the top of a script. @param {URL} script */
const commentOf = (script) =>
  readFileSync(script, 'utf8')
    .split('// @ts-check')[0]
    .split('\n')
    .slice(1)
    .map((line) => line.replace(/^\/\/ ?/, ''))
    .join('\n')
    .trim();

/** Returns the comments of this script and of all evaluations. */
const help = () =>
  [new URL(import.meta.url), ...readdirSync(KINDS).map((kind) => new URL(`${kind}/evaluation.js`, KINDS))].map(commentOf).join('\n\n');

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
    console.log(help());
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
  const { data } = options;
  const { DATA_SETS, evaluate } = await evaluationOf(info.kind);
  if (data === undefined && DATA_SETS) throw noData(info, DATA_SETS);
  const measure = () => evaluate(model, positionals[0], options);
  await (data === undefined ? measure() : measuring(data, measure));
  model.close();
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  await main().catch((error) => {
    if (error instanceof TypeError && !('code' in error)) throw error; // a bug in this script, not in its input
    console.error(`npm run eval: ${error.message}`);
    process.exitCode = 1;
  });
}
