// SPDX-License-Identifier: MIT
// Generates spoken digits with a model and writes them as WAV files DIGIT_SPEAKER_SEED.wav. The speakers alternate, and the seeds start at
// --first:
//
//   node weights/eval/kinds/sound/say.js weights/wavenet.gguf build/said [--count 200] [--first 0] [--temperature 1] [--top-p 1] [--seconds 1.5] [--quiet 0] [--tries 1]
//
// A sound is defective if it is too short, is too quiet or does not end. With --tries 5, a defective sound is generated again, up to 5
// tries in all, as on the page (web/pages/wavenet/defect.js). The last line of the output gives the number of sounds that are still
// defective after all tries.
//
// `python3 weights/train/listen.py build/said` then prints the fraction of the digits that a classifier recognises.
// @ts-check
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { load } from '../../../../web/lib/index.js';
import { APART, defectOf } from '../../../../web/pages/wavenet/defect.js';

const {
  values: { count, first, temperature, 'top-p': topP, seconds, quiet, tries },
  positionals: [file, folder],
} = parseArgs({
  allowPositionals: true,
  options: {
    count: { type: 'string', default: '200' },
    first: { type: 'string', default: '0' },
    temperature: { type: 'string', default: '1' },
    'top-p': { type: 'string', default: '1' },
    seconds: { type: 'string', default: '1.5' },
    quiet: { type: 'string', default: '0' },
    tries: { type: 'string', default: '1' },
  },
});
if (!file || !folder) {
  console.error(
    'usage: node weights/eval/kinds/sound/say.js FILE FOLDER [--count 200] [--first 0] [--temperature 1] [--top-p 1] [--seconds 1.5] [--quiet 0] [--tries 1]',
  );
  process.exit(2);
}
mkdirSync(folder, { recursive: true });
const model = /** @type {import('../../../../web/lib/index.js').ModelOf<'sound'>} */ (await load(path.resolve(file)));
const { classes, speakers = [] } = model.info;
const began = performance.now();
let [sounded, ended] = [0, 0];
/** @type {number[]} milliseconds until playback could start */
const waits = [];
/** @type {Record<string, number>} */
const defects = { short: 0, quiet: 0, endless: 0 };
for (let i = 0; i < Number(count); i++) {
  const [label, speaker] = [classes[i % classes.length], speakers[Math.floor(i / classes.length) % speakers.length]];
  for (let attempt = 1; ; attempt++) {
    const pressed = performance.now();
    const seed = Number(first) + i + (attempt - 1) * APART;
    const run = model.generate({
      label,
      speaker,
      seconds: Number(seconds),
      temperature: Number(temperature),
      topP: Number(topP),
      ...(Number(quiet) > 0 && { silence: Number(quiet) }),
      seed,
    });
    let waited = 0;
    for await (const { samples = [] } of run) if (samples.length > 0) waited ||= performance.now() - pressed;
    const samples = await run.samples();
    sounded += samples.length / run.sampleRate;
    const isEnded = run.finish === 'end' && samples.length < run.most;
    const defect = defectOf(samples, { rate: run.sampleRate, ended: isEnded });
    if (defect && attempt < Number(tries)) continue;
    if (defect) defects[defect]++;
    if (waited) waits.push(waited);
    if (isEnded) ended++;
    writeFileSync(path.join(folder, `${label}_${speaker}_${Number(first) + i}.wav`), new Uint8Array(await (await run.wav()).arrayBuffer()));
    break;
  }
}
model.close();
const [middle = 0, most = 0] = [waits.sort((a, b) => a - b)[waits.length >> 1], waits.at(-1)];
console.log(
  `${count} sounds in ${folder}, ${sounded.toFixed(1)} s, ${ended} of which the model ended itself; ${((1000 * sounded) / (performance.now() - began)).toFixed(1)} times real time, the first of each after ${middle.toFixed(0)} ms (median, at most ${most.toFixed(0)})`,
);
console.log(`${defects.short} too short, ${defects.quiet} too quiet, ${defects.endless} without an end`);
