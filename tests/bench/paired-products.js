// SPDX-License-Identifier: MIT
// Compares three programs: another version of the library, this version, and LiteRT.js. Measures the speed of matrix products and of
// reading known pixels. One Chromium runs the three programs alternately.
//
//   git worktree add ../old COMMIT    (then in both folders, to compile build/products*.wasm: npm run bench -- --quick --only products)
//   node tests/bench/paired-products.js ../old [--seconds 85] [--builds relaxed,pairs]
//
// Prints the best round and the median of all rounds. On a shared machine, the best round is closest to the speed of an idle machine.
// @ts-check
import './quiet.js';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { launch } from '../browser/browser.js';
import { Arena } from './arena.js';
import { W1, imageModel } from './models.js';
import { serve } from './server.js';
import { median } from './summary.js';
import { CHAIN_TYPES, chainModel, chainOf } from './tflite.js';

/** @import { Probe } from './arena.js' */

const ROOT = fileURLToPath(new URL('../../', import.meta.url)),
  BUILD = `${ROOT}build`,
  OUT = `${BUILD}/bench`;
const COLUMNS = [1, 16],
  VERSIONS = ['old', 'new'];

const {
  values: { seconds, builds: wanted },
  positionals: [old],
} = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: 'string', default: '85' },
    builds: { type: 'string', default: 'relaxed,pairs' },
  },
});
if (!old) throw new Error('pass the folder of the other version: node tests/bench/paired-products.js FOLDER');
const builds = wanted.split(','),
  shapes = chainOf(W1),
  macs = shapes.reduce((sum, [rows, columns]) => sum + rows * columns, 0);

mkdirSync(OUT, { recursive: true });
for (const build of builds) {
  for (const [version, from] of [
    ['old', resolve(old)],
    ['new', ROOT],
  ]) {
    copyFileSync(`${from}/build/products-${build}.wasm`, `${OUT}/${version}-products-${build}.wasm`);
    copyFileSync(`${from}/web/dist/nextpixel-${build}.wasm`, `${OUT}/${version}-nextpixel-${build}.wasm`);
  }
}
const models = {
  digits: '/weights/digits.gguf',
  emoji: '/weights/emoji.gguf',
  ...Object.fromEntries(CHAIN_TYPES.map((type) => [`w1-${type}`, `/build/bench/w1-${type}.gguf`])),
};
for (const type of CHAIN_TYPES) writeFileSync(`${OUT}/w1-${type}.gguf`, imageModel(W1, type));

const server = await serve({ web: `${ROOT}web`, weights: `${ROOT}weights`, tests: `${ROOT}tests`, build: BUILD });
const browser = await launch();
try {
  const arena = new Arena(browser, server.url);
  /** @type {Probe[]} */
  const probes = [];
  for (const type of CHAIN_TYPES) {
    for (const columns of COLUMNS) {
      const work = { method: 'products', args: { times: 20, columns } };
      for (const build of builds) {
        for (const version of VERSIONS) {
          const target = await arena.start('ceiling', `${version} ${build} ${type}`, 'ceiling', 'startProducts', {
            wasm: `/build/bench/${version}-products-${build}.wasm`,
            shapes,
            four: type === 'q4',
          });
          probes.push({ name: `${type} ${columns} ${version} ${build}`, ...target, ...work });
        }
      }
      writeFileSync(`${OUT}/w1-${type}-${columns}.tflite`, chainModel(shapes, type, columns));
      const given = {
        peers: '/tests/bench/node_modules',
        model: `/build/bench/w1-${type}-${columns}.tflite`,
        columns,
        width: shapes[0][1],
      };
      probes.push({
        name: `${type} ${columns} litert`,
        ...(await arena.start('litert', `${type} ${columns}`, 'litert', 'start', given)),
        ...work,
      });
    }
  }
  for (const [model, address] of Object.entries(models)) {
    for (const build of builds) {
      for (const version of VERSIONS) {
        const target = await arena.start('ours', `${version} ${build} ${model}`, 'ours', 'startCore', {
          wasm: `/build/bench/${version}-nextpixel-${build}.wasm`,
          model: address,
        });
        for (const columns of COLUMNS) {
          probes.push({
            name: `${model} ${columns} ${version} ${build}`,
            ...target,
            method: 'prefill',
            args: { position: 64, count: 64, columns },
          });
        }
      }
    }
  }
  /** @type {Record<string, number[]>} */
  const times = {};
  for (const end = performance.now() + 1000 * Number(seconds); performance.now() < end; ) {
    for (const probe of probes) {
      const answer = await arena.measure(probe);
      (times[probe.name] ??= []).push(answer.ms ?? answer);
    }
  }
  console.log(`${Object.values(times)[0].length} rounds`);
  const best = (/** @type {string} */ name) => Math.min(...times[name]),
    middle = (/** @type {string} */ name) => median(times[name]);
  for (const type of CHAIN_TYPES) {
    for (const columns of COLUMNS) {
      const other = `${type} ${columns} litert`;
      console.log(`products of W1, ${type}, ${columns} columns: LiteRT.js ${best(other).toFixed(3)} ms`);
      for (const name of builds.flatMap((build) => VERSIONS.map((version) => `${type} ${columns} ${version} ${build}`))) {
        console.log(
          `  ${name}: ${best(name).toFixed(3)} ms, ${((macs * columns) / best(name) / 1e6).toFixed(1)} G multiply-adds a second; LiteRT.js takes ${(best(other) / best(name)).toFixed(2)} times as long (median ${(middle(other) / middle(name)).toFixed(2)})`,
        );
      }
    }
  }
  for (const model of Object.keys(models)) {
    for (const version of builds.flatMap((build) => VERSIONS.map((one) => `${one} ${build}`))) {
      const [one, many] = COLUMNS.map((columns) => best(`${model} ${columns} ${version}`));
      console.log(
        `known pixels, ${model}, ${version}: ${(1000 * one).toFixed(0)} us by one, ${(1000 * many).toFixed(0)} by ${COLUMNS[1]}, ${(one / many).toFixed(2)} times`,
      );
    }
  }
} finally {
  await browser.close();
  await server.close();
}
