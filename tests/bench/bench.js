// SPDX-License-Identifier: MIT
// Measures the speed of nextpixel and of other common runtimes in one headless Chromium. Each round runs every measurement once.
//
//   npm run bench -- [--only ours,w1] [--runs 9] [--quick] [--json] [--write]
//
// build.sh compiles the loops of ceiling.c and then runs this file. options.js and probes.js define the measurements, and summary.js
// computes the figures. Progress is printed to stderr.
// @ts-check
import './quiet.js';
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

import { fittingOf } from '../../web/lib/model/describe.js';
import { launch } from '../browser/browser.js';
import { Core } from '../js/core.js';
import { readGGUF } from '../js/gguf.js';
import { wasmModule } from '../js/helpers.js';
import { Arena } from './arena.js';
import { workOf } from './facts.js';
import { POSITIONS, SIDES, TYPES, W1, imageModel, partShape, productMacs } from './models.js';
import { HELP, options } from './options.js';
import { NATIVE, installNative, startNative } from './native.js';
import { LITERT, LLAMA_PEERS, MODULES, PEERS, install } from './peers.js';
import { LLAMA_ALWAYS, LLAMA_LONGEST, LLAMA_ROUNDS, LLAMA_SIZES, STREAM, llamaProbes, llamaResult } from './llama.js';
import {
  AT_ONCE,
  CHAIN_COLUMNS,
  KNOWN,
  STEP,
  STREAMS,
  TOGETHER,
  ceilingProbes,
  chainProbes,
  ganProbes,
  kernelProbes,
  lookAheadProbes,
  loopProbes,
  pixelProbes,
  prefillProbes,
  sampleProbes,
  shippedProbes,
  soundProbes,
  w1Probes,
} from './probes.js';
import { serve } from './server.js';
import { sizes as library } from './size.js';
import { assemble, key } from './summary.js';
import { markdown, replaceTable, text } from './table.js';
import { CHAIN_TYPES } from './tflite.js';

/** @import { Probe } from './arena.js' */
/** @import { WeightType } from './models.js' */
/** @import { Build, Samples } from './summary.js' */

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const OUT = path.resolve(ROOT, process.env.OUT || 'build');
const DIST = `${ROOT}web/dist/`;
/**
 * Maps each build of the library to the name of its dot-product loop in ceiling.c. The baseline build comes first. Missing builds are
 * skipped.
 */
const BUILDS = { nextpixel: 'baseline', 'nextpixel-relaxed': 'relaxed', 'nextpixel-pairs': 'pairs' };
const WEIGHT_TYPES = /** @type {WeightType[]} */ (Object.keys(TYPES));

const Q8_0 = 8; // the GGUF code for this tensor type

/**
 * Default number of rounds, and time limits in minutes from the start. A round does not begin if it would end after the limit. `first` is
 * the limit for all sections except llama; `all` is the limit for the llama section.
 */
const ROUNDS = 9;
const MINUTES = { first: 5, all: 14 };

/** Maximum load average. If other programs cause a higher load, the results are worthless. */
const BUSY = 0.7;

/** @param {string} line */
const say = (line) => void process.stderr.write(`${line}\n`);

/** Returns the total gzip size of files. Each file is compressed separately, as a server sends it. @param {Iterable<string>} files */
function gzipped(files) {
  let sum = 0;
  for (const file of files) sum += gzipSync(readFileSync(file), { level: 9 }).length;
  return sum;
}

/** @returns {Build[]} */
function readBuilds() {
  const builds = Object.entries(BUILDS)
    .filter(([name]) => existsSync(`${DIST}${name}.wasm`))
    .map(([name, loop]) => {
      const file = `${DIST}${name}.wasm`;
      return { name, loop, bytes: readFileSync(file).length, gzip: gzipped([file]) };
    });
  if (builds[0]?.loop !== 'baseline') throw new Error('web/dist/nextpixel.wasm is missing: ./build.sh wasm makes it');
  return builds;
}

/**
 * Returns the value of a metadata key.
 * @param {Uint8Array} file
 * @param {string} key  the key without the prefix that names the architecture
 */
function says(file, key) {
  const { metadata } = readGGUF(file);
  return metadata[`${metadata['general.architecture']}.${key}`];
}

/**
 * Returns the shipped models that draw pictures pixel by pixel. The keys are the models' names. The benchmark draws the lower half of a
 * picture with these models. Models that enlarge pictures cannot do this, so they are left out.
 *
 * @returns {Record<string, Uint8Array>}
 */
function readShipped() {
  const files = readdirSync(`${ROOT}weights`)
    .filter((file) => file.endsWith('.gguf'))
    .sort();
  return Object.fromEntries(
    files
      .map((file) => /** @type {const} */ ([path.basename(file, '.gguf'), readFileSync(`${ROOT}weights/${file}`)]))
      .filter(
        ([, bytes]) =>
          says(bytes, 'image.height') && !says(bytes, 'input.height') && fittingOf(new Core(wasmModule, bytes)).kind.name === 'picture',
      ),
  );
}

/** Describes the shipped models that generate sounds sample by sample. For each model, returns the sample rate, the shapes of the matrix
 * products in file order, and the multiply-adds per sample.
 * @returns {{ name: string, rate: number, shapes: [rows: number, columns: number][], macs: number }[]} */
function readSounds() {
  return readdirSync(`${ROOT}weights`)
    .filter((file) => file.endsWith('.gguf'))
    .sort()
    .flatMap((file) => {
      const bytes = readFileSync(`${ROOT}weights/${file}`),
        rate = says(bytes, 'sound.rate');
      if (!rate || readGGUF(bytes).metadata['general.architecture'] !== 'wavenet') return [];
      const products = Object.entries(readGGUF(bytes).tensors).filter(([name]) => /(gate|mix|head\.0|output)\.weight$/.test(name));
      const shapes = products.map(([, { shape }]) => /** @type {[number, number]} */ ([shape[0], shape[1]]));
      return [{ name: path.basename(file, '.gguf'), rate, shapes, macs: shapes.reduce((sum, [rows, columns]) => sum + rows * columns, 0) }];
    });
}

/** Describes the shipped models that draw a picture in one pass. For each model, `shapes` lists the convolutions with 8-bit weights in file
 * order. `macs` is the number of multiply-adds per picture in these convolutions, and `all` is the number in all convolutions and matrix
 * products.
 * @returns {{ name: string, shapes: [rows: number, channels: number, side: number][], macs: number, all: number }[]} */
function readMade() {
  return readdirSync(`${ROOT}weights`)
    .filter((file) => file.endsWith('.gguf'))
    .sort()
    .flatMap((file) => {
      const bytes = readFileSync(`${ROOT}weights/${file}`);
      if (!says(bytes, 'latent_length')) return [];
      const side = says(bytes, 'image.height'),
        blocks = says(bytes, 'channels').length - 1;
      /** @type {[number, number, number][]} */
      const shapes = [];
      let all = 0;
      for (const [
        name,
        {
          shape: [rows, columns],
          type,
        },
      ] of Object.entries(readGGUF(bytes).tensors)) {
        if (!columns || name.includes('norm')) continue;
        const block = /^blk\.(\d+)\.(conv)?/.exec(name);
        // A block computes its skip connection before it enlarges the picture.
        const width = block
          ? side >> (blocks - 1 - Number(block[1]) + (block[2] ? 0 : 1))
          : name === 'output.weight'
            ? side
            : name.startsWith('attn')
              ? says(bytes, 'attention.size')
              : 1;
        all += rows * columns * width ** 2;
        if (block?.[2] && type === Q8_0) shapes.push([rows, columns / 9, width]);
      }
      return [
        {
          name: path.basename(file, '.gguf'),
          shapes,
          macs: shapes.reduce((sum, [rows, channels, width]) => sum + 9 * rows * channels * width ** 2, 0),
          all,
        },
      ];
    });
}

/** Writes a file. @param {string} file @param {() => Uint8Array} make @returns {string} address of the file on the server */
function provide(file, make) {
  writeFileSync(`${OUT}/bench/${file}`, make());
  return `/build/bench/${file}`;
}

/** Starts each of the other runtimes in its own page. @param {Arena} arena @param {string[]} served  files served so far; the list grows */
async function startPeers(arena, served) {
  const peers = [];
  for (const { id, name, page, file, model } of PEERS) {
    say(`starting ${name} ...`);
    const before = served.length;
    const address = file && model ? provide(file, model) : undefined;
    await arena.start(id, id, page, 'start', { peers: '/tests/bench/node_modules', model: address, shape: W1 });
    peers.push({ id, name, gzip: gzipped(new Set(served.slice(before).filter((one) => one.startsWith(MODULES)))) });
  }
  return peers;
}

/**
 * Returns the name of the build that the library chooses in this browser.
 *
 * @param {Arena} arena
 * @param {Build[]} builds
 * @param {string} model  address of a model file
 */
async function choice(arena, builds, model) {
  const target = await arena.start('ours', 'choice', 'ours', 'startChoice', { model });
  const url = await arena.measure({ name: 'the choice of a build', ...target, method: 'wasm' });
  const chosen = path.basename(new URL(url).pathname, '.wasm');
  if (builds.some(({ name }) => name === chosen)) return chosen;
  throw new Error(`the library chose ${chosen}, which this benchmark does not know`);
}

/**
 * @param {Arena} arena
 * @param {Probe[]} probes
 * @param {number} runs
 * @param {number} [until]  deadline, in milliseconds on the clock of performance.now(). A round does not begin if it would end after the
 *   deadline. The first round always runs
 */
async function measure(arena, probes, runs, until = Infinity) {
  /** @type {Samples} */
  const samples = {};
  /** Number of pixels in the lower half of a picture, by model. @type {Record<string, number>} */
  const pixels = {};
  let rounds = 0;
  for (let round = 0; round < runs; round++) {
    const begun = performance.now();
    /** Seconds spent on the probes of this round, by the first part of a probe's name. @type {Record<string, number>} */
    const spent = {};
    // Each round starts at a different probe, so a slow phase of the machine does not always affect the same probes.
    const first = Math.floor((round * probes.length) / runs);
    for (const probe of [...probes.slice(first), ...probes.slice(0, first)]) {
      const before = performance.now(),
        answer = await arena.measure(probe),
        [section] = probe.name.split('/');
      spent[section] = (spent[section] ?? 0) + (performance.now() - before) / 1000;
      const parts = answer.parts ? Object.entries(answer.parts) : [['', answer.ms ?? answer]];
      for (const [part, ms] of parts) (samples[part ? key(probe.name, part) : probe.name] ??= []).push(ms);
      if (answer.pixels) pixels[probe.name.split('/')[1]] = answer.pixels;
    }
    rounds++;
    const now = performance.now();
    const parts = Object.entries(spent).map(([section, seconds]) => `${section} ${seconds.toFixed(1)}`);
    say(`round ${round + 1} of ${runs}: ${((now - begun) / 1000).toFixed(1)} s: ${parts.join(', ')}`);
    if (now + (now - begun) > until) break;
  }
  return { samples, pixels, rounds };
}

/** Returns the number of multiply-adds for one position whose value is given. The prefill section measures such positions.
 * @param {Uint8Array} file */
function knownMacs(file) {
  const { macs, headMacs } = workOf(file, { from: KNOWN.position, to: KNOWN.position + KNOWN.count });
  return macs - headMacs;
}

/** Returns the number of multiply-adds in one block of a `partShape` model: those of the matrix products, and those of attention with the
 * mean number of keys. */
function blockMacs() {
  const shape = partShape(1, 0),
    { width, queryBlock = 0 } = shape;
  return productMacs(shape) + ((queryBlock + 1) / 2) * 2 * width;
}

/** Returns the size in bytes of a core's second-level cache, or 1 MiB if the system does not report the size. Current processors have at
 * least 1 MiB. */
function cacheBytes() {
  const file = '/sys/devices/system/cpu/cpu0/cache/index2/size';
  const found = existsSync(file) ? /^(\d+)K/.exec(readFileSync(file, 'utf8')) : null;
  return found ? 1024 * Number(found[1]) : 2 ** 20;
}

async function main() {
  const {
    sections,
    runs,
    withPeers: wanted,
    native: wantNative,
    sizes: llamaSizes,
    steps,
    quick,
    json,
    write,
    help,
  } = options(process.argv.slice(2));
  if (help) return void console.log(HELP);
  const missing = wanted ? install(say) : undefined,
    withPeers = wanted && missing === undefined;
  if (missing) say(`note: ${missing}`);
  const nativeFolder = `${OUT}/native-llama`,
    noNative = wantNative && sections.has('llama') ? installNative(nativeFolder, say) : 'nobody asked for it';
  if (wantNative && noNative) say(`note: ${noNative}`);
  const builds = readBuilds();
  const load = [loadavg()[0]];
  if (load[0] > BUSY) say(`note: the load is ${load[0].toFixed(1)}, so other programs run on this machine and the figures will be off`);
  mkdirSync(`${OUT}/bench`, { recursive: true });
  const begun = performance.now();

  say('writing random models ...');
  const decoders = Object.fromEntries(WEIGHT_TYPES.map((type) => [type, imageModel(W1, type)]));
  const shipped = readShipped();
  const models = Object.fromEntries([
    ...WEIGHT_TYPES.map((type) => [`w1-${type}`, provide(`w1-${type}.gguf`, () => decoders[type])]),
    ...Object.keys(shipped).map((name) => [name, `/weights/${name}.gguf`]),
  ]);
  const drafted = Object.keys(shipped).filter((name) => 'draft.output.weight' in readGGUF(shipped[name]).tensors);
  const files = Object.fromEntries(
    [...WEIGHT_TYPES.map((type) => /** @type {const} */ ([`w1-${type}`, decoders[type]])), ...Object.entries(shipped)].filter(
      ([, file]) => readGGUF(file).metadata['general.architecture'] === 'image-transformer',
    ),
  );
  const sides = quick ? SIDES.slice(0, 2) : SIDES;

  const server = await serve({ web: `${ROOT}web`, weights: `${ROOT}weights`, tests: `${ROOT}tests`, build: OUT });
  const browser = await launch();
  try {
    const arena = new Arena(browser, server.url);
    const chosen = await choice(arena, builds, models['w1-q8']);
    const stage = { arena, builds, chosen, types: WEIGHT_TYPES, models, attending: Object.keys(files), provide, steps };
    const peers = withPeers && sections.has('w1') ? await startPeers(arena, server.files) : [];
    say('starting ours ...');
    const probes = await ceilingProbes(stage, OUT, sections.has('llama') ? [STREAM] : []);
    if (sections.has('w1'))
      probes.push(
        ...(await w1Probes(
          stage,
          peers.map(({ id }) => id),
        )),
      );
    if (sections.has('products')) probes.push(...(await chainProbes(stage, OUT, withPeers)));
    if (sections.has('kernels')) probes.push(...(await loopProbes(stage, OUT)), ...(await kernelProbes(stage)));
    if (sections.has('shipped')) probes.push(...(await shippedProbes(stage, Object.keys(shipped))));
    if (sections.has('ahead')) probes.push(...(await lookAheadProbes(stage, drafted)));
    const sounds = readSounds();
    if (sections.has('sound')) probes.push(...(await soundProbes(stage, sounds, OUT)));
    const made = readMade();
    if (sections.has('gan')) probes.push(...(await ganProbes(stage, made, OUT)));
    if (sections.has('prefill')) probes.push(...(await prefillProbes(stage)));
    if (sections.has('samples')) probes.push(...(await sampleProbes(stage)));
    if (sections.has('pixels')) probes.push(...(await pixelProbes(stage, sides)));

    const { samples, pixels, rounds } = await measure(arena, probes, runs ?? ROUNDS, runs ? undefined : begun + 60_000 * MINUTES.first);
    const until = begun + 60_000 * MINUTES.all,
      llama = performance.now();
    for (const [i, size] of sections.has('llama') ? (llamaSizes ?? LLAMA_SIZES).entries() : []) {
      // The sizes are measured one by one, because some machines do not have the memory for all of them together.
      const now = performance.now();
      if (!llamaSizes && i >= LLAMA_ALWAYS && now + (now - llama) / i > until) {
        say(`llama ${size}: left out, because it would take more than ${MINUTES.all} minutes`);
        continue;
      }
      const native = noNative
        ? undefined
        : (/** @type {string} */ address) => startNative(nativeFolder, `${OUT}/bench/${path.basename(address)}`, LLAMA_LONGEST);
      const some = await llamaProbes(stage, size, withPeers, say, native);
      const left = Math.max(1, (llamaSizes?.length ?? LLAMA_ALWAYS) - i); // the remaining time is divided equally among the remaining sizes
      Object.assign(samples, (await measure(arena, some, Math.min(runs ?? ROUNDS, LLAMA_ROUNDS), now + (until - now) / left)).samples);
      await arena.close((name) => name.includes(size));
    }
    load.push(loadavg()[0]);
    const result = assemble(samples, {
      machine: {
        cpu: cpus()[0]?.model ?? 'unknown',
        cores: cpus().length,
        cacheBytes: cacheBytes(),
        browser: `Chromium ${browser.version()}`,
        date: new Date().toISOString(),
        runs: rounds,
        load,
        args: process.argv.slice(2).join(' '),
      },
      builds,
      chosen,
      cacheBytes: cacheBytes(),
      positions: POSITIONS,
      types: WEIGHT_TYPES,
      peers,
      sides,
      streams: STREAMS,
      sounds,
      made,
      chain: { other: LITERT, types: CHAIN_TYPES, columns: CHAIN_COLUMNS, macs: productMacs(W1), least: W1.width ** 2 },
      together: TOGETHER,
      atOnce: AT_ONCE,
      blockMacs: blockMacs(),
      w1Work: Object.fromEntries(
        WEIGHT_TYPES.flatMap((type) =>
          POSITIONS.map((position) => [key(type, position), workOf(decoders[type], { from: position, to: position + 1 })]),
        ),
      ),
      shipped: Object.keys(shipped).map((name) => ({ name, pixels: pixels[name] ?? 0 })),
      models: Object.entries(files).map(([name, file]) => ({
        name,
        macs: knownMacs(file),
        work: workOf(file, { from: STEP - steps / 2, to: STEP + steps / 2 }),
      })),
      sizes: {
        // A page loads only one of the builds.
        'nextpixel, library and wasm': library.library.gzip + Math.max(...builds.map(({ gzip }) => gzip)),
        ...Object.fromEntries(peers.map(({ name, gzip }) => [name, gzip])),
      },
    });
    const languages = llamaResult(samples, [...LLAMA_PEERS, NATIVE], result.ceiling.dots[chosen].four);
    Object.assign(result, {
      llama: languages.rows,
      missing,
      summary: { ...result.summary, llama: languages.summary },
      goals: [...result.goals, ...languages.goals],
    });
    console.log(json ? JSON.stringify(result, null, 2) : text(result));
    if (write) {
      const chapter = `${ROOT}web/manual/chapters/numbers.md`;
      writeFileSync(chapter, replaceTable(readFileSync(chapter, 'utf8'), markdown(result)));
      say('web/manual/chapters/numbers.md: written');
    }
  } finally {
    await browser.close();
    await server.close();
  }
}

main().catch((error) => {
  console.error(`bench: ${error.message}`);
  process.exitCode = 1;
});
