// SPDX-License-Identifier: MIT
// Creates web/pages/<name>/still.png for every card on the front page, in the colours of the light theme. Each shows the card's live
// drawing, or the output of a text model, rendered by a browser.
//
//   node web/front/make-stills.js [NAME...]
//
// If the page's row in papers.js has no pictures, the still shows what the weights named in its page.html draw, continue, translate, tag or
// parse.
// @ts-check
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

import { parsePage } from '../tools/frame.js';
import { samplesOf } from '../pages/jukebox/levels.js';
import { RECORDINGS } from '../pages/jukebox/recordings.js';
import { looksOf } from '../pages/reading/looks.js';
import { DRAWINGS, SIGNS, unpack } from '../pages/snail/signs.js';
import { Codec, blank, load } from '../shell/library.js';
import { heatRamp, rgbOf } from '../shell/picture/palette.js';
import { encodePng } from '../shell/picture/png.js';
import { PAPERS } from './papers.js';
import { layout, shareOf } from './thumbs.js';
/** @import { Model } from '../shell/library.js' */
/** @import { Paper, Pictures } from './papers.js' */

const css = await readFile(new URL('../shell/page.css', import.meta.url), 'utf8');
/** Returns a colour of the light theme. @param {string} name */
const colour = (name) => rgbOf(css.match(new RegExp(`--${name}: (#[0-9a-f]{6})`))?.[1] ?? '');
const ink = colour('predicted');
const heat = heatRamp([0, 1, 2, 3, 4].map((i) => colour(`heat-${i}`)));

/** @param {Model} model @param {Pictures} pictures */
async function drawn(model, { file, samples, passes, ...options }) {
  const { width, channels } = model.info;
  const codec = new Codec({ ...model.info, positions: model.order.length }, model.order); // `positions` is 0 if a model draws in one pass
  const grid = layout(samples, model.info);
  const picture = blank(grid.width, grid.height);
  for await (const { sample, from, values, ahead } of model.generate({ samples, ...(passes && { lookAhead: true }), ...options })) {
    const { left, top } = grid.at(sample);
    for (let i = 0; i < values.length; i += channels) {
      const pixel = Math.floor(codec.place(from + i) / channels);
      const rgba = passes ? [...heat(shareOf(ahead[i])), 255] : channels === 1 ? [...ink, values[i]] : [...values.subarray(i, i + 3), 255];
      picture.data.set(rgba, 4 * ((top + Math.floor(pixel / width)) * grid.width + left + (pixel % width)));
    }
  }
  return encodePng(picture);
}

/**
 * For each verb, the text that the model of a page processes, with its font and options.
 *
 * @type {Record<'parse' | 'tag' | 'translate' | 'generate', { text: string, font: string, options: object }>}
 */
const TEXTS = {
  parse: { text: 'We saw a dog with one ear', font: '22px', options: { marginals: true } },
  tag: { text: 'Time flies like an arrow', font: '30px', options: { marginals: true } },
  generate: { text: 'Once upon a time', font: '18px', options: { seed: 1, temperature: 0.8, maxTokens: 50 } },
  translate: { text: 'Er hat im Garten einen Hund gesehen.', font: '15px', options: {} },
};

/**
 * Pages whose still shows attention: of each word of a translation, or of a text that the model reads.
 *
 * @type {Record<string, { file: string, text: string }>}
 */
const LOOKS = {
  alignment: { file: 'seq2seq-general.gguf', text: 'Ein Mann, der einen roten Hut trägt, spielt auf der Straße Gitarre.' },
  reading: { file: 'lstmn.gguf', text: 'The king had three sons, and the youngest of them was called Simpleton.' },
};
/** Texts of pages that do not use the text in TEXTS. @type {Record<string, string>} */
const OWN = { chat: 'Lily had a red ball. One day' };
/** Options that replace those in TEXTS for the pages in OWN. @type {Record<string, object>} */
const HOW = { chat: { seed: 2, temperature: 0.6, maxTokens: 43 } };
/**
 * Pages whose card shows canvases or a part of a figure, with a selector for these and the number of columns.
 *
 * @type {Record<string, { show: string, columns: number, count: number, side: number, wait?: string, clip?: number[] }>}
 */
const FIGURES = {
  pixelcnn: { show: '#figure-fields canvas', columns: 2, count: 2, side: 138 },
  sparse: { show: '#figure-patterns canvas', columns: 2, count: 2, side: 138 },
  'same-digit': { show: '.ending canvas', columns: 3, count: 6, side: 92, wait: '#transport[data-phase="done"]' },
  opened: { show: '.diagram', columns: 1, count: 1, side: 0, clip: [0, 0.42, 0.333] },
};

/** Size of a card's picture in pixels. */
const [WIDTH, HEIGHT] = [300, 200];

/**
 * Draws attention weights as squares with one row per step. The density of the ink is the square root of the weight.
 * @param {ArrayLike<number>[]} rows
 */
function squares(rows) {
  const columns = Math.max(...rows.map(({ length }) => length));
  const cell = Math.floor(Math.min(WIDTH / columns, HEIGHT / rows.length));
  const [left, top] = [Math.floor((WIDTH - cell * columns) / 2), Math.floor((HEIGHT - cell * rows.length) / 2)];
  const picture = blank(WIDTH, HEIGHT);
  rows.forEach((row, r) =>
    Array.from(row, (weight, c) => {
      // Few shades keep the PNG small.
      const rgba = [...ink, Math.round((Math.round(8 * Math.sqrt(weight)) * 255) / 8)];
      for (let y = 0; y < cell - 1; y++)
        for (let x = 0; x < cell - 1; x++) picture.data.set(rgba, 4 * ((top + r * cell + y) * WIDTH + left + c * cell + x));
    }),
  );
  return encodePng(picture);
}

/**
 * Draws the attention of a model, for each word of a translation or of a text that it has read.
 *
 * @param {{ file: string, text: string }} looks
 */
async function looked({ file, text }) {
  const model = await load(new URL(`../../weights/${file}`, import.meta.url));
  const rows = [];
  try {
    if (model.info.verbs.includes('translate'))
      for await (const { alignment = [] } of model.translate(text, { maps: true })) rows.push(alignment);
    else
      for await (const [map] of looksOf(model, model.tokenizer.encode(text), new AbortController().signal)) rows.push(map?.weights ?? []);
  } finally {
    model.close();
  }
  return squares(rows);
}

/** Draws held-out characters of the SNAIL page in a grid of three by three. */
async function signs() {
  const all = unpack(new Uint8Array(await readFile(new URL('../pages/snail/signs.bin', import.meta.url))));
  const [side, scale] = [28, 3];
  const picture = blank(WIDTH, HEIGHT);
  for (let k = 0; k < 6; k++) {
    const pixels = all[k * SIGNS * DRAWINGS + (k % 4) * DRAWINGS];
    const [left, top] = [8 + (k % 3) * 100, 8 + Math.floor(k / 3) * 100];
    for (let y = 0; y < side * scale; y++)
      for (let x = 0; x < side * scale; x++) {
        picture.data.set([...ink, pixels[Math.floor(y / scale) * side + Math.floor(x / scale)]], 4 * ((top + y) * WIDTH + left + x));
      }
  }
  return encodePng(picture);
}

/** Draws a recording of the VQ-VAE page: its top-level codes, its bottom-level codes, and its waveform. @param {Model} model */
async function codes(model) {
  const drawn = await model.encode({ samples: samplesOf(RECORDINGS[0].levels), sampleRate: model.info.sampleRate ?? 8000 });
  const { samples } = await model.decode(drawn);
  const picture = blank(WIDTH, HEIGHT);
  /** @param {number} x @param {number} top @param {number} bottom @param {number} alpha */
  const line = (x, top, bottom, alpha) => {
    for (let y = Math.round(top); y < Math.round(bottom); y++) picture.data.set([...ink, alpha], 4 * (y * WIDTH + x));
  };
  for (let x = 0; x < WIDTH; x++) {
    for (const [row, { name, codes: count }] of (model.info.codes ?? []).entries()) {
      const list = drawn[name];
      line(x, 8 + 44 * row, 46 + 44 * row, 40 + 30 * Math.floor((7 * list[Math.floor((x * list.length) / WIDTH)]) / count));
    }
    const some = samples.slice(Math.floor((x * samples.length) / WIDTH), Math.floor(((x + 1) * samples.length) / WIDTH));
    line(x, 146 - 50 * Math.max(0, ...some), 147 - 50 * Math.min(0, ...some), 255);
  }
  return encodePng(picture);
}

/** @param {Paper & { page: string }} paper */
async function still({ page, pictures }) {
  if (page in LOOKS) return looked(LOOKS[page]);
  if (page in FIGURES) return (await import('../../tests/browser/still-texts.js')).stillOfFigure(page, FIGURES[page]);
  const path = `web/pages/${page}/page.html`;
  const file = pictures?.file ?? parsePage(await readFile(new URL(`../../${path}`, import.meta.url), 'utf8'), path).facts.weights;
  if (!file) throw new Error(`${path} names no weights: list what the card shows in web/front/papers.js`);
  const model = await load(new URL(`../../weights/${file}`, import.meta.url));
  try {
    const { verbs, vocabulary } = model.info;
    if (verbs.includes('classify')) return await signs();
    const { stillOfScene, stillOfText } = await import('../../tests/browser/still-texts.js');
    if (verbs.includes('caption'))
      return await encodePng({ data: Uint8ClampedArray.from(await stillOfScene(['cat', 'bicycle'])), width: WIDTH, height: HEIGHT });
    if (model.info.kind === 'code') return await codes(model);
    if (model.info.kind === 'sound')
      return await stillOfText({
        file,
        verb: 'generate',
        text: '',
        font: '14px',
        options: { label: '7', speaker: 'jackson', seconds: 1, seed: 1 },
      });
    if (model.info.kind === 'note')
      return await stillOfText({ file, verb: 'generate', text: '', font: '14px', options: { bars: 8, seed: 2, temperature: 0.9 } });
    if (verbs.includes('generate') && vocabulary === 0)
      return await drawn(model, pictures ?? { file, seed: 1, samples: 6, temperature: 1 });
    const verb = /** @type {const} */ (['parse', 'tag', 'translate']).find((name) => verbs.includes(name)) ?? 'generate';
    return await stillOfText({
      file,
      verb,
      ...TEXTS[verb],
      ...(page in OWN && { text: OWN[page] }),
      ...(page in HOW && { options: HOW[page] }),
    });
  } finally {
    model.close();
  }
}

const wanted = process.argv.slice(2);
for (const paper of PAPERS) {
  const { page } = paper;
  if (!page || (wanted.length && !wanted.includes(page))) continue;
  const png = await still({ ...paper, page });
  await writeFile(fileURLToPath(new URL(`../pages/${page}/still.png`, import.meta.url)), png);
  console.log(`${page}: ${png.length} bytes`);
}
