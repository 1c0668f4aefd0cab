#!/usr/bin/env node
// SPDX-License-Identifier: MIT
// @ts-check

/**
 * The command-line interface. `npx nextpixel` prints the usage. Results go to stdout; progress and errors go to stderr. The exit code is 0
 * on success, 1 after an error, and 2 for wrong usage.
 */

import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { parseArgs } from 'node:util';

import { load } from 'nextpixel';

const USAGE = `nextpixel info FILE                        describe a weight file, as JSON
nextpixel generate FILE [PROMPT]           print a generated text, or write --out drawn.ppm, .wav or .mid
nextpixel score FILE [INPUT ...]           print -log p of texts or pictures (.ppm, .pgm)
nextpixel compare FILE OTHER [INPUT ...]   print the mean difference between two files on the same inputs, with its standard error
nextpixel serve FILE                       answer POST /score and /generate, and GET /info, on 127.0.0.1

FILE is a path or an address. Without INPUT, each line of stdin is a text. The PROMPT - reads all of stdin.

--seed N --max-tokens N --temperature N --top-k N --top-p N --label L --seconds N --bars N    options for drawing
--source TEXT     the source sentence, to score its translation
--csv             print CSV instead of JSON lines
--elements        with score: also print the nats of each element
--json            with generate: also print tokens and nats
--workers N       score N inputs in parallel (default 1)
--port N          with serve: the port (default 8080)
`;

const OPTIONS = /** @type {const} */ ({
  seed: { type: 'string' },
  'max-tokens': { type: 'string' },
  temperature: { type: 'string' },
  'top-k': { type: 'string' },
  'top-p': { type: 'string' },
  label: { type: 'string' },
  seconds: { type: 'string' },
  bars: { type: 'string' },
  source: { type: 'string' },
  out: { type: 'string' },
  csv: { type: 'boolean' },
  elements: { type: 'boolean' },
  json: { type: 'boolean' },
  workers: { type: 'string' },
  port: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
});

/** Thrown if the command line is wrong; the program then prints the usage. */
class Usage extends Error {}

/** @param {string} text */
const progress = (text) => {
  process.stderr.write(`${text}\n`);
};

/** @param {string | undefined} text @param {string} name */
function numberOf(text, name) {
  if (text === undefined) return undefined;
  if (text.trim() === '' || !Number.isFinite(Number(text))) throw new Usage(`--${name} must be a number, not ${text}`);
  return Number(text);
}

async function stdin() {
  const chunks = [];
  for await (const chunk of process.stdin) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** @param {string} file @param {number} [workers] */
async function opened(file, workers = 1) {
  progress(`opening ${file}`);
  const source = /^https?:/.test(file)
    ? file
    : new Uint8Array(
        await readFile(file).catch((error) => {
          throw new Error(`${file} cannot be read: ${error.code}`);
        }),
      );
  return /** @type {any} */ (await load(source, { workers }));
}

/** Reads a binary 8-bit PPM or PGM image. @param {string} file */
async function pictureOf(file) {
  const bytes = await readFile(file);
  const [head, magic, width, height, most] = /^P([56])\s+(?:#.*\n\s*)*(\d+)\s+(\d+)\s+(\d+)\s/.exec(bytes.toString('latin1', 0, 200)) ?? [];
  if (!head || most !== '255') throw new Error(`${file} is not a binary 8-bit PPM or PGM image`);
  const data = new Uint8ClampedArray(4 * Number(width) * Number(height)).fill(255);
  const channels = magic === '6' ? 3 : 1;
  for (let i = 0; i < data.length / 4; i++)
    for (let c = 0; c < 3; c++) data[4 * i + c] = bytes[head.length + channels * i + (channels === 3 ? c : 0)];
  return { data, width: Number(width), height: Number(height) };
}

/** Returns the inputs to score, each with its name. @param {string[]} given @param {any} model */
async function inputsOf(given, model) {
  if (model.info.kind === 'picture') {
    if (given.length === 0) throw new Usage('to score with a model of pictures, name the picture files');
    return Promise.all(given.map(async (name) => ({ name, input: await pictureOf(name) })));
  }
  const texts = given.length > 0 ? given : (await stdin()).split('\n').filter((line) => line !== '');
  if (texts.length === 0) throw new Usage('there is nothing to score: give texts as arguments, or one per line on stdin');
  return texts.map((name) => ({ name, input: name }));
}

/** @param {any} model @param {any[]} inputs @param {object} options */
async function scoresOf(model, inputs, options) {
  const all = [];
  for (let at = 0; at < inputs.length; at += 64) {
    all.push(...(await model.score(inputs.slice(at, at + 64), options)));
    if (inputs.length > 64) progress(`${Math.min(at + 64, inputs.length)} of ${inputs.length}`);
  }
  return all;
}

/** @param {unknown} value */
const cell = (value) => (/[",\n]/.test(String(value)) ? `"${String(value).replaceAll('"', '""')}"` : String(value));

/** @param {any} score */
const elementsOf = ({ perToken, perElement }) => [...(perToken ?? perElement ?? [])];

/** @param {Record<string, unknown>[]} rows @param {boolean} csv */
function print(rows, csv) {
  if (!csv) for (const row of rows) process.stdout.write(`${JSON.stringify(row)}\n`);
  else
    process.stdout.write(
      [Object.keys(rows[0]), ...rows.map((row) => Object.values(row))].map((row) => `${row.map(cell).join(',')}\n`).join(''),
    );
}

/** @param {any} model @param {string | undefined} prompt @param {any} options */
async function drawn(model, prompt, options) {
  if (model.info.verbs.includes('translate')) return model.translate(prompt ?? '', options);
  return model.info.kind === 'text' ? model.generate(prompt ?? '', options) : model.generate(options);
}

/** Encodes the result of a run in the format of the output file's extension. @param {any} run @param {string} out */
async function bytesOf(run, out) {
  if (out.endsWith('.wav')) return new Uint8Array(await (await run.wav()).arrayBuffer());
  if (out.endsWith('.mid')) return new Uint8Array(await (await run.midi()).arrayBuffer());
  if (!out.endsWith('.ppm')) throw new Usage('--out ends in .ppm, .wav or .mid');
  const [{ data, width, height }] = await run.pictures();
  return Buffer.concat([
    Buffer.from(`P6\n${width} ${height}\n255\n`),
    Buffer.from(data.filter((/** @type {number} */ _, /** @type {number} */ i) => i % 4 < 3)),
  ]);
}

/** @param {number[]} differences */
function paired(differences) {
  const n = differences.length;
  const mean = differences.reduce((sum, one) => sum + one, 0) / n;
  const variance = differences.reduce((sum, one) => sum + (one - mean) ** 2, 0) / (n - 1);
  return { n, mean, standardError: n > 1 ? Math.sqrt(variance / n) : null };
}

/** @param {string[]} args */
async function main(args) {
  const {
    values,
    positionals: [command, file, ...rest],
  } = parseArgs({ args, options: OPTIONS, allowPositionals: true });
  if (values.help) return void process.stdout.write(USAGE);
  if (!['info', 'generate', 'score', 'compare', 'serve'].includes(command ?? ''))
    throw new Usage(command ? `there is no command ${command}` : 'a command is missing');
  if (!file) throw new Usage(`${command} needs a FILE`);
  const options = Object.fromEntries(
    Object.entries({
      seed: numberOf(values.seed, 'seed'),
      maxTokens: numberOf(values['max-tokens'], 'max-tokens'),
      temperature: numberOf(values.temperature, 'temperature'),
      topK: numberOf(values['top-k'], 'top-k'),
      topP: numberOf(values['top-p'], 'top-p'),
      label: values.label,
      seconds: numberOf(values.seconds, 'seconds'),
      bars: numberOf(values.bars, 'bars'),
    }).filter(([, value]) => value !== undefined),
  );
  const asked = values.source === undefined ? {} : { source: values.source };
  const workers = numberOf(values.workers, 'workers');
  const model = await opened(file, workers);
  try {
    if (command === 'info') print([{ ...model.info }], false);
    if (command === 'generate') {
      const run = await drawn(model, rest[0] === '-' ? await stdin() : rest[0], options);
      if (values.out) await writeFile(values.out, await bytesOf(run, values.out));
      else if (values.json || model.info.kind !== 'text') {
        const steps = [];
        for await (const { maps, ...step } of run) steps.push(step);
        print(
          steps.map((step) =>
            Object.fromEntries(
              Object.entries(step).map(([name, value]) => [name, ArrayBuffer.isView(value) ? [.../** @type {any} */ (value)] : value]),
            ),
          ),
          false,
        );
      } else for await (const { text } of run) process.stdout.write(text);
      if (!values.out && !values.json && model.info.kind === 'text') process.stdout.write('\n');
    }
    if (command === 'score') {
      const inputs = await inputsOf(rest, model);
      const scores = await scoresOf(
        model,
        inputs.map(({ input }) => input),
        asked,
      );
      print(
        scores.map((score, i) => ({
          input: inputs[i].name,
          nats: score.nats,
          elements: elementsOf(score).length,
          natsPerElement: score.nats / (elementsOf(score).length || 1),
          ...(values.elements && { each: values.csv ? elementsOf(score).join(' ') : elementsOf(score) }),
        })),
        values.csv ?? false,
      );
    }
    if (command === 'compare') {
      const [other, ...given] = rest;
      if (!other) throw new Usage('compare needs two files');
      const against = await opened(other, workers);
      const inputs = await inputsOf(given, model);
      const [one, two] = [
        await scoresOf(
          model,
          inputs.map(({ input }) => input),
          asked,
        ),
        await scoresOf(
          against,
          inputs.map(({ input }) => input),
          asked,
        ),
      ];
      against.close();
      print([{ file, other, ...paired(two.map(({ nats }, i) => nats - one[i].nats)) }], values.csv ?? false);
    }
    if (command === 'serve') await serve(model, numberOf(values.port, 'port') ?? 8080);
  } finally {
    model.close();
  }
}

/** @param {any} model @param {number} port */
async function serve(model, port) {
  const server = createServer(async (request, response) => {
    const answer = (/** @type {number} */ status, /** @type {unknown} */ body) =>
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
    try {
      if (request.method === 'GET' && request.url === '/info') return void answer(200, model.info);
      if (request.method !== 'POST' || !['/score', '/generate'].includes(request.url ?? ''))
        return void answer(404, { error: 'GET /info, POST /score or POST /generate' });
      const chunks = [];
      let bytes = 0;
      for await (const chunk of request) {
        chunks.push(chunk);
        if ((bytes += chunk.length) > 1e7) return void answer(413, { error: 'more than 10 MB' });
      }
      const { inputs, prompt, ...options } = JSON.parse(Buffer.concat(chunks).toString());
      if (request.url === '/score') {
        const scores = await model.score(Array.isArray(inputs) ? inputs : [inputs], options);
        return void answer(
          200,
          scores.map((/** @type {any} */ score) => ({ nats: score.nats, each: elementsOf(score) })),
        );
      }
      const steps = [];
      for await (const step of await drawn(model, prompt, options)) steps.push(step);
      answer(200, {
        text: steps.map(({ text }) => text ?? '').join(''),
        tokens: steps.map(({ token }) => token),
        nats: steps.flatMap(({ nats }) => (ArrayBuffer.isView(nats) ? [.../** @type {any} */ (nats)] : nats)),
      });
    } catch (error) {
      answer(400, { error: error instanceof Error ? error.message : String(error) });
    }
  });
  await /** @type {Promise<void>} */ (
    new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, '127.0.0.1', resolve);
    })
  );
  progress(`listening on http://127.0.0.1:${/** @type {any} */ (server.address()).port}/`);
  await new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, resolve);
  });
  server.close();
  server.closeAllConnections();
}

process.stdout.on('error', (error) => {
  if (/** @type {any} */ (error).code === 'EPIPE') process.exit(0);
});
try {
  await main(process.argv.slice(2));
} catch (error) {
  const wrong = error instanceof Usage || /^ERR_PARSE_ARGS/.test(/** @type {any} */ (error)?.code);
  process.stderr.write(`nextpixel: ${error instanceof Error ? error.message : error}\n${wrong ? `\n${USAGE}` : ''}`);
  process.exitCode = wrong ? 2 : 1;
}
