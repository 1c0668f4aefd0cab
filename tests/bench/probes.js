// SPDX-License-Identifier: MIT
// @ts-check

/** Defines the measurements of each section. Each section has a function that starts its contenders and returns the probes to run in every
 * round. */

import { existsSync } from 'node:fs';

import { POSITIONS, W1, imageModel, localShape, partShape } from './models.js';
import { key } from './summary.js';
import { CHAIN_TYPES, chainModel, chainOf } from './tflite.js';

/** @import { Arena, Probe } from './arena.js' */
/** @import { Build } from './summary.js' */
/** @import { WeightType } from './models.js' */

/**
 * @typedef {object} Stage
 * @property {Arena} arena
 * @property {Build[]} builds
 * @property {string} chosen                  the build that the library chooses in this browser
 * @property {WeightType[]} types
 * @property {Record<string, string>} models  maps a model's name (w1-q4, w1-q8 or a shipped model) to its address
 * @property {string[]} attending             names of the models for which facts.js can compute the work of a step
 * @property {(file: string, make: () => Uint8Array) => string} provide  writes a file and returns its address
 * @property {number} steps                   number of steps of a measurement
 */

/** Numbers of samples that are drawn together: in the engine (TOGETHER) and through the library (AT_ONCE). */
export const TOGETHER = [1, 2, 4, 8];
export const AT_ONCE = [1, 3];
/** The position at which the timed steps start. */
export const STEP = 128;
/** The known positions that the prefill section measures: `position` is the first one, `count` is their number. */
export const KNOWN = { position: 64, count: 64 };
/** Numbers of columns in the products section. */
export const CHAIN_COLUMNS = [1, 16];
/**
 * The shape of the smallest matrix product. Its matrix stays in a cache. If larger products have a lower speed, they are waiting for
 * memory.
 * @type {[rows: number, columns: number][]}
 */
const ONE = [[W1.width, W1.width]];
/** Sizes in megabytes of the memory that is read to measure the streaming rate. On most machines, the largest size does not fit in the
 * third-level cache. */
export const STREAMS = [4, 16, 64];

/** Starts the engine with a model. @param {Stage} stage @param {string} build @param {string} model  address of the model */
function core({ arena }, build, model) {
  return arena.start('ours', `${build} ${model}`, 'ours', 'startCore', { wasm: `/web/dist/${build}.wasm`, model });
}

/**
 * Starts the dot-product loop of each build of the stage, if build.sh has compiled it. Returns the probes.
 *
 * @param {Stage} stage
 * @param {string} out  the build folder
 * @param {number[]} [more]  megabytes to read in addition to STREAMS
 */
export async function ceilingProbes({ arena, builds }, out, more = []) {
  const streams = [...STREAMS, ...more];
  /** @type {Probe[]} */
  const probes = [];
  for (const { loop } of builds) {
    const file = `ceiling${loop === 'baseline' ? '' : `-${loop}`}.wasm`;
    if (!existsSync(`${out}/${file}`)) continue;
    const options = { wasm: `/build/${file}`, most: Math.max(...streams) };
    const target = await arena.start('ceiling', loop, 'ceiling', 'start', options);
    for (const method of ['one', 'four']) probes.push({ name: key('ceiling', loop, method), ...target, method });
    if (loop !== 'baseline') continue;
    for (const megabytes of streams) {
      probes.push({ name: key('ceiling', 'stream', megabytes), ...target, method: 'stream', args: { megabytes } });
    }
  }
  return probes;
}

/**
 * Returns two probes for each kernel other than matrix products. One measures the kernel, and the other measures the upper bound of its
 * speed.
 * @param {Stage} stage
 * @param {string} out  the build folder
 */
export async function loopProbes({ arena }, out) {
  if (!existsSync(`${out}/kernels.wasm`)) return [];
  const target = await arena.start('ceiling', 'kernels', 'ceiling', 'startKernels', { wasm: '/build/kernels.wasm' });
  return ['gates', 'gru', 'lstm', 'queue', 'patches'].flatMap((name) => [
    { name: key('loop', name), ...target, method: name },
    { name: key('loop', name, 'ceiling'), ...target, method: `${name}Ceiling` },
  ]);
}

/** @param {Stage} stage @param {string[]} peers  other runtimes; each is already started in a page of the same name */
export async function w1Probes(stage, peers) {
  /** @type {Probe[]} */
  const probes = [];
  for (const position of POSITIONS) {
    const task = { method: 'time', args: { position, steps: stage.steps } };
    for (const { name } of stage.builds) {
      for (const type of stage.types) {
        const target = await core(stage, name, stage.models[`w1-${type}`]);
        probes.push({ name: key('w1', position, 'ours', name, type), ...target, ...task });
      }
    }
    for (const id of peers) probes.push({ name: key('w1', position, id), page: id, target: id, ...task });
  }
  return probes;
}

/**
 * Returns the probes that run only the matrix products of W1, in each of our builds and in LiteRT.
 *
 * @param {Stage} stage
 * @param {string} out  the build folder
 * @param {boolean} withPeers
 */
export async function chainProbes({ arena, builds, provide }, out, withPeers) {
  const shapes = chainOf(W1);
  /** @type {Probe[]} */
  const probes = [];
  for (const type of CHAIN_TYPES) {
    for (const columns of CHAIN_COLUMNS) {
      const args = { times: 20, columns };
      for (const { name, loop } of builds) {
        const file = `products${loop === 'baseline' ? '' : `-${loop}`}.wasm`;
        if (!existsSync(`${out}/${file}`)) continue;
        const target = await arena.start('ceiling', `chain ${name} ${type}`, 'ceiling', 'startProducts', {
          wasm: `/build/${file}`,
          shapes,
          four: type === 'q4',
        });
        probes.push({ name: key('chain', type, columns, name), ...target, method: 'products', args });
        const alone = await arena.start('ceiling', `one ${name} ${type}`, 'ceiling', 'startProducts', {
          wasm: `/build/${file}`,
          shapes: ONE,
          four: type === 'q4',
        });
        probes.push({ name: key('chain', type, columns, name, 'one'), ...alone, method: 'products', args: { times: 600, columns } });
      }
      if (!withPeers) continue;
      const model = provide(`w1-${type}-${columns}.tflite`, () => chainModel(shapes, type, columns));
      const options = { peers: '/tests/bench/node_modules', model, columns, width: shapes[0][1] };
      const target = await arena.start('litert', `${type} ${columns}`, 'litert', 'start', options);
      probes.push({ name: key('chain', type, columns, 'litert'), ...target, method: 'products', args });
    }
  }
  return probes;
}

/** @param {Stage} stage */
export async function kernelProbes(stage) {
  /** @type {Probe[]} */
  const probes = [];
  const shapes = { one: partShape(1, 16), three: partShape(3, 16), values: partShape(1, 256) };
  // Both ranges consist of whole query blocks, so every measurement uses the same attention windows.
  const one = { method: 'time', args: { position: 256, steps: 64 } };
  const many = { method: 'prefill', args: { position: 256, count: 64, columns: 16 } };
  for (const type of stage.types) {
    const files = Object.fromEntries(
      Object.entries(shapes).map(([part, shape]) => [part, stage.provide(`part-${part}-${type}.gguf`, () => imageModel(shape, type))]),
    );
    for (const { name } of stage.builds) {
      for (const [blocks, file] of /** @type {[number, string][]} */ ([
        [1, files.one],
        [3, files.three],
      ])) {
        const target = await core(stage, name, file);
        probes.push({ name: key('kernel', 'one', blocks, type, name), ...target, ...one });
        probes.push({ name: key('kernel', 'many', blocks, type, name), ...target, ...many });
      }
      probes.push({ name: key('kernel', 'values', 256, type, name), ...(await core(stage, name, files.values)), ...one });
    }
  }
  return probes;
}

/** Returns the probes of the shipped models, which are called through the library. @param {Stage} stage @param {string[]} shipped */
export async function shippedProbes({ arena, builds, models }, shipped) {
  /** @type {Probe[]} */
  const probes = [];
  for (const model of shipped) {
    for (const { name: build } of builds) {
      const wasm = `/web/dist/${build}.wasm`;
      const target = await arena.start('ours', `library ${build} ${model}`, 'ours', 'startLibrary', { model: models[model], wasm });
      for (const samples of AT_ONCE) {
        probes.push({ name: key('shipped', model, samples, build), ...target, method: 'half', args: { samples } });
      }
    }
  }
  return probes;
}

/**
 * Returns the probes of shipped models with and without speculative decoding. The models are called through the library.
 * @param {Stage} stage
 * @param {string[]} drafted  names of the models with a draft layer
 */
export async function lookAheadProbes({ arena, builds, models }, drafted) {
  /** @type {Probe[]} */
  const probes = [];
  for (const model of drafted) {
    for (const { name } of builds) {
      const wasm = `/web/dist/${name}.wasm`;
      const target = await arena.start('ours', `library ${name} ${model}`, 'ours', 'startLibrary', { model: models[model], wasm });
      probes.push({ name: key('ahead', model, name), ...target, method: 'ahead' });
    }
  }
  return probes;
}

/**
 * Returns two kinds of probes for models that generate sounds sample by sample: the whole model, and only its matrix products.
 *
 * @param {Stage} stage
 * @param {{ name: string, shapes: [rows: number, columns: number][] }[]} sounds  files of weights/
 * @param {string} out  the build folder
 */
export async function soundProbes({ arena, builds }, sounds, out) {
  /** @type {Probe[]} */
  const probes = [];
  for (const { name: model, shapes } of sounds) {
    for (const { name, loop } of builds) {
      const options = { wasm: `/web/dist/${name}.wasm`, model: `/weights/${model}.gguf` };
      const target = await arena.start('ours', `sound ${name} ${model}`, 'ours', 'startSound', options);
      probes.push({ name: key('sound', model, name), ...target, method: 'sample', args: { steps: 1000, warm: 2000 } });
      const file = `products${loop === 'baseline' ? '' : `-${loop}`}.wasm`;
      if (!existsSync(`${out}/${file}`)) continue;
      const alone = await arena.start('ceiling', `products ${name} ${model}`, 'ceiling', 'startProducts', {
        wasm: `/build/${file}`,
        shapes,
      });
      probes.push({ name: key('products', model, name), ...alone, method: 'products' });
    }
  }
  return probes;
}

/**
 * Returns two kinds of probes for models that draw pictures in one pass: the whole model, and only its convolutions.
 *
 * @param {Stage} stage
 * @param {{ name: string, shapes: [rows: number, channels: number, side: number][] }[]} made  files of weights/
 * @param {string} out  the build folder
 */
export async function ganProbes({ arena, builds }, made, out) {
  /** @type {Probe[]} */
  const probes = [];
  for (const { name: model, shapes } of made) {
    for (const { name, loop } of builds) {
      const target = await arena.start('ours', `picture ${name} ${model}`, 'ours', 'startPicture', {
        wasm: `/web/dist/${name}.wasm`,
        model: `/weights/${model}.gguf`,
      });
      probes.push({ name: key('gan', model, name), ...target, method: 'picture' });
      const file = `products${loop === 'baseline' ? '' : `-${loop}`}.wasm`;
      if (!existsSync(`${out}/${file}`)) continue;
      const alone = await arena.start('ceiling', `convolutions ${name} ${model}`, 'ceiling', 'startConvolutions', {
        wasm: `/build/${file}`,
        shapes,
      });
      probes.push({ name: key('convolutions', model, name), ...alone, method: 'convolutions' });
    }
  }
  return probes;
}

/** @param {Stage} stage */
export async function prefillProbes(stage) {
  /** @type {Probe[]} */
  const probes = [];
  for (const { name } of stage.builds) {
    for (const model of stage.attending) {
      const target = await core(stage, name, stage.models[model]);
      for (const columns of [1, 16]) {
        probes.push({ name: key('prefill', model, columns, name), ...target, method: 'prefill', args: { ...KNOWN, columns } });
      }
    }
  }
  return probes;
}

/** @param {Stage} stage */
export async function sampleProbes(stage) {
  /** @type {Probe[]} */
  const probes = [];
  for (const { name } of stage.builds) {
    for (const model of stage.attending) {
      const target = await core(stage, name, stage.models[model]);
      for (const samples of TOGETHER) {
        const args = { position: STEP, steps: stage.steps, samples };
        probes.push({ name: key('samples', model, samples, name), ...target, method: 'time', args });
      }
    }
  }
  return probes;
}

/** @param {Stage} stage @param {readonly number[]} sides */
export async function pixelProbes(stage, sides) {
  /** @type {Probe[]} */
  const probes = [];
  for (const side of sides) {
    const shape = localShape(side),
      { queryBlock: aligned = 1 } = shape;
    const file = stage.provide(`local-${side}.gguf`, () => imageModel(shape, 'q8'));
    for (const { name } of stage.builds) {
      const target = await core(stage, name, file);
      probes.push({ name: key('pixel', side, name), ...target, method: 'middle', args: { steps: 4 * aligned, aligned } });
    }
  }
  return probes;
}
