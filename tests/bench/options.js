// SPDX-License-Identifier: MIT
// @ts-check

/** Parses the command line of npm run bench. */

import { parseArgs } from 'node:util';

import { LLAMAS } from './language.js';
import { LLAMA_SIZES } from './llama.js';
import { POSITIONS, SIDES } from './models.js';
import { TOGETHER } from './probes.js';

export const HELP = `npm run bench [-- OPTIONS]

  --only LIST  sections, by commas; 'ours' among them leaves the other runtimes out. Default: all
                 w1       decoder of 6.3 M weights at positions ${POSITIONS.join(', ')}: ours and the others
                 products the matrix products of that decoder alone, 8 and 4 bits, one column and sixteen: ours and LiteRT's
                 kernels  what matrices, attention and drawing cost, as a share of the bare dot loop (with w1); gates, cells and queues, of their own
                 shipped  the files of weights/, the lower half of a picture through the library
                 ahead    the files of weights/ that have a draft: one sample with exact look-ahead and without
                 sound    samples of a sound, one after another, and how many times faster than they sound
                 gan      pictures made at once, and the convolutions of one alone
                 prefill  known pixels: 16 columns against one
                 samples  ${TOGETHER.join(', ')} samples that advance together
                 llama    language models of 110, 135 and 600 M weights in Q8_0, Q4_0 and Q4_K_M, three rounds: ours and the others
                 pixels   cost per pixel at ${SIDES.join(', ')} pixels a side
                 sizes    bytes of a page; in every run
  --native     in the section llama, llama.cpp itself too, which runs in no browser: installed into build/native-llama by npm
  --sizes LIST in the section llama, of ${Object.keys(LLAMAS).join(', ')}. Default: ${LLAMA_SIZES.join(', ')}, the last where there is time
  --runs N     rounds; each measures everything once. Default: as many as a quarter of an hour allows, at most 9
  --quick      two short rounds, to see whether it works
  --json       result for machines instead of tables (npm run -s leaves npm's own lines out)
  --write      puts the table into the chapter of numbers`;

const SECTIONS = ['w1', 'products', 'kernels', 'shipped', 'ahead', 'sound', 'gan', 'prefill', 'samples', 'llama', 'pixels', 'sizes'];

/** @param {string[]} args */
export function options(args) {
  const { values } = parseArgs({
    args,
    options: {
      only: { type: 'string' },
      native: { type: 'boolean' },
      sizes: { type: 'string' },
      runs: { type: 'string' },
      quick: { type: 'boolean' },
      json: { type: 'boolean' },
      write: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  const names = values.only?.split(',').filter(Boolean) ?? [];
  const unknown = names.filter((name) => name !== 'ours' && !SECTIONS.includes(name));
  if (unknown.length) throw new Error(`no section '${unknown[0]}'; there are ours, ${SECTIONS.join(', ')}`);
  const wanted = names.filter((name) => name !== 'ours');
  const sections = new Set(wanted.length ? wanted : SECTIONS);
  if (sections.has('kernels')) sections.add('w1'); // the kernels section uses the time of attention at positions of w1
  const sizes = values.sizes?.split(',').filter(Boolean);
  const strange = sizes?.find((size) => !(size in LLAMAS));
  if (strange) throw new Error(`no size '${strange}'; there are ${Object.keys(LLAMAS).join(', ')}`);
  const runs = values.runs === undefined ? (values.quick ? 2 : undefined) : Number(values.runs);
  if (runs !== undefined && !(Number.isInteger(runs) && runs >= 1 && runs <= 1000))
    throw new Error('--runs must be a whole number from 1 to 1000');
  return {
    ...values,
    sections,
    sizes,
    runs,
    withPeers: !names.includes('ours') && ['w1', 'products', 'llama'].some((name) => sections.has(name)),
    steps: values.quick ? 16 : 40,
  };
}
