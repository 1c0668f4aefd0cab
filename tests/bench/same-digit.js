// SPDX-License-Identifier: MIT
// Measures the microseconds per pixel of every model on the page "The same digit, every way". The models run in Node and draw one picture
// at a time, without input:
//
//   node tests/bench/same-digit.js [--rounds 15] [--json]
//
// In each round, every model draws one picture. The script prints the median and the minimum. On a shared machine, the minimum is closer to
// the true cost of a pixel.
// @ts-check
import './quiet.js';
import { parseArgs } from 'node:util';
import { load } from '../../web/lib/index.js';
import { SYSTEMS } from '../../web/pages/same-digit/systems.js';

const {
  values: { rounds, json },
} = parseArgs({ options: { rounds: { type: 'string', default: '15' }, json: { type: 'boolean', default: false } } });
const systems = await Promise.all(
  SYSTEMS.map(async ({ name, file }) => ({
    name,
    file,
    model: await load(new URL(`../../weights/${file}`, import.meta.url)),
    micros: /** @type {number[]} */ ([]),
  })),
);
for (let round = -1; round < Number(rounds); round++) {
  // the first round is a warm-up, because V8 still compiles code
  for (const { model, micros } of systems) {
    const started = performance.now();
    let pixels = 0;
    for await (const { values } of model.generate({ samples: 1, seed: 7 + round })) pixels += values.length;
    if (round >= 0) micros.push((1000 * (performance.now() - started)) / pixels);
  }
}
const table = systems.map(({ name, file, micros }) => {
  const sorted = [...micros].sort((a, b) => a - b);
  return { name, file, median: sorted[sorted.length >> 1], least: sorted[0] };
});
if (json) console.log(JSON.stringify(table));
else
  for (const { name, median, least } of table)
    console.log(`${name.padEnd(20)} ${median.toFixed(1).padStart(8)} µs a pixel (least ${least.toFixed(1)})`);
for (const { model } of systems) model.close();
