// SPDX-License-Identifier: MIT
// Measures a model with the evaluation for its kind, and prints the result as a sentence or as JSON.
// @ts-check
import path from 'node:path';

import { scoreCaptions } from './captions.js';
import { scoreCodes } from './codes.js';
import { LETTERS } from './held-out.js';
import { scoreHeads } from './heads.js';
import { scoreMusic } from './music.js';
import { scoreSigns } from './signs.js';
import { scoreSounds } from './sounds.js';
import { scoreTags } from './tags.js';
import { scoreTexts } from './text.js';
import { scoreTranslations } from './translation.js';
import { scoreWords } from './words.js';

/** @import { AnyModel as Model } from '../../web/lib/model/of-kind.js' */
/** @import { AnyInfo as ModelInfo } from '../../web/lib/engine/protocol.js' */
/** @import { Translator } from './translation.js' */

/** @param {Model} model @param {string} file @param {{ data: string, images?: string, json: boolean }} options */
async function tellTexts(model, file, { data, images = 'Infinity', json }) {
  const live = !json && process.stderr.isTTY;
  const result = await scoreTexts(model, data, Number(images), (done) => {
    if (live) process.stderr.write(`\r${done}`);
  });
  if (live) process.stderr.write('\r');
  if (json) console.log(JSON.stringify({ file: path.basename(file), ...result }));
  else
    console.log(
      `${path.basename(file)}: ${result.texts} texts, ${result.bytes.toLocaleString('en')} bytes, ${result.tokens.toLocaleString('en')} tokens: ` +
        `${result.natsPerByte.toFixed(4)} nats a byte (${result.bitsPerByte.toFixed(3)} bits), ${result.natsPerToken.toFixed(3)} a token ` +
        `(perplexity ${result.perplexity.toFixed(2)}); ${Math.round(result.tokensPerSecond)} tokens scored a second`,
    );
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
    most: Number(images),
    beams: Number(beams),
    lengthPenalty: penalty === undefined ? undefined : Number(penalty),
    lengths,
    say: (done) => {
      if (live) process.stderr.write(`\r${done}`);
    },
    tell: show ? (...lines) => console.log(lines.join('\n    ')) : undefined,
  });
  if (live) process.stderr.write('\r');
  if (json) console.log(JSON.stringify({ file: path.basename(file), ...result }));
  else
    console.log(
      `${path.basename(file)}: ${result.sentences} sentences, ${beams === '1' ? 'greedy' : `${beams} beams`}: BLEU ${result.bleu.toFixed(2)} ` +
        `(lower-cased, 13a; ${result.lengthRatio.toFixed(3)} of the references' length), ${result.nats.toFixed(2)} nats a reference, ` +
        `${result.natsPerToken.toFixed(3)} a token; ${(1000 * result.secondsPerSentence).toFixed(1)} ms a sentence` +
        (result.byLength
          ? `; by words of the sentence ${result.byLength.map(({ words, bleu }) => `${words.join('-')}: ${bleu.toFixed(2)}`).join(', ')}; ` +
            `entropy of attention ${(result.entropy ?? 0).toFixed(3)} nats, its weights add up to ${(result.looked ?? 0).toFixed(2)}`
          : ''),
    );
}

/** @param {Model} model @param {string} file @param {{ data: string, images?: string, json: boolean }} options */
async function tellTags(model, file, { data, images = 'Infinity', json }) {
  const live = !json && process.stderr.isTTY;
  const result = await scoreTags(model, data, Number(images), (done) => {
    if (live) process.stderr.write(`\r${done}`);
  });
  if (live) process.stderr.write('\r');
  if (json) console.log(JSON.stringify({ file: path.basename(file), ...result }));
  else
    console.log(
      `${path.basename(file)}: ${result.sentences} sentences, ${result.words} words: ${(100 * result.accuracy).toFixed(2)} % get the right tag, ` +
        `${(100 * result.unseenAccuracy).toFixed(2)} % of the ${result.unseen} unseen in training; ${result.natsPerWord.toFixed(4)} nats a word; ` +
        `${Math.round(result.wordsPerSecond)} words a second`,
    );
}

/** @param {Model} model @param {string} file @param {{ data: string, images?: string, json: boolean }} options */
async function tellHeads(model, file, { data, images = 'Infinity', json }) {
  const live = !json && process.stderr.isTTY;
  const result = await scoreHeads(model, data, Number(images), (done) => {
    if (live) process.stderr.write(`\r${done}`);
  });
  if (live) process.stderr.write('\r');
  if (json) console.log(JSON.stringify({ file: path.basename(file), ...result }));
  else
    console.log(
      `${path.basename(file)}: ${result.sentences} sentences, ${result.words} words: ${(100 * result.attachment).toFixed(2)} % get the right head, ` +
        `in ${(100 * result.whole).toFixed(2)} % of the sentences all words do; ${result.natsPerWord.toFixed(4)} nats a word of the ${result.projective} sentences without crossing arcs; ` +
        `${Math.round(result.wordsPerSecond)} words a second`,
    );
}

/** @param {Model} model @param {string} file @param {{ data: string, images?: string, json: boolean }} options */
async function tellSigns(model, file, { data, images = '2000', json }) {
  const live = !json && process.stderr.isTTY;
  for (const ways of [5, 20]) {
    const result = await scoreSigns(model, data, ways, Number(images), (done) => {
      if (live) process.stderr.write(`\r${done}`);
    });
    if (live) process.stderr.write('\r');
    if (json) console.log(JSON.stringify({ file: path.basename(file), ...result }));
    else
      console.log(
        `${path.basename(file)}: ${result.episodes} questions of ${ways} characters, one example each: ${(100 * result.accuracy).toFixed(2)} % right ` +
          `(standard error ${(100 * result.standardError).toFixed(2)}), ${result.nats.toFixed(4)} nats; ${result.ms.toFixed(1)} ms a question`,
      );
  }
}

/** @param {Model} model @param {string} file @param {{ data: string, images?: string, labels: boolean, json: boolean }} options */
async function tellSounds(model, file, { data, images = 'Infinity', labels, json }) {
  const live = !json && process.stderr.isTTY;
  const result = await scoreSounds(model, data, {
    most: Number(images),
    labels,
    say: (done) => {
      if (live) process.stderr.write(`\r${done}`);
    },
  });
  if (live) process.stderr.write('\r');
  if (json) console.log(JSON.stringify({ file: path.basename(file), labels, ...result }));
  else
    console.log(
      `${path.basename(file)}: ${result.sounds} sounds${labels ? ' with labels' : ''}, ${result.seconds.toFixed(1)} s: ${result.bitsPerSample.toFixed(3)} bits a sample ` +
        `(standard error ${result.standardError.toFixed(3)}), ${result.natsPerSample.toFixed(4)} nats; scored ${result.timesRealTime.toFixed(1)} times as fast as they sound`,
    );
}

/** @param {Model} model @param {string} file @param {{ data: string, images?: string, out?: string, json: boolean }} options */
async function tellCodes(model, file, { data, images = 'Infinity', out, json }) {
  const live = !json && process.stderr.isTTY;
  const result = await scoreCodes(model, data, {
    most: Number(images),
    out,
    say: (done) => {
      if (live) process.stderr.write(`\r${done}`);
    },
  });
  if (live) process.stderr.write('\r');
  const { convergence, bits, timesRealTime } = result;
  if (json) console.log(JSON.stringify({ file: path.basename(file), ...result }));
  else
    console.log(
      `${path.basename(file)}: ${result.sounds} sounds, ${result.seconds.toFixed(1)} s: spectral convergence from the top level ${convergence.top.toFixed(2)} dB (${Math.round(bits.top)} bits a second), ` +
        `from the bottom level ${convergence.bottom.toFixed(2)} dB (${Math.round(bits.bottom)}); encoded ${timesRealTime.encode.toFixed(1)} times as fast as they sound, decoded ${timesRealTime.decode.toFixed(1)} times`,
    );
}

/** @param {Model} model @param {string} file @param {{ data: string, images?: string, show: boolean, json: boolean }} options */
async function tellCaptions(model, file, { data, images = 'Infinity', show, json }) {
  const live = !json && !show && process.stderr.isTTY;
  for (const blank of [false, true]) {
    const result = await scoreCaptions(model, data, {
      most: Number(images),
      blank,
      say: (done) => {
        if (live) process.stderr.write(`\r${done}`);
      },
      tell: show && !blank ? (...lines) => console.log(lines.join('\n    ')) : undefined,
    });
    if (live) process.stderr.write('\r');
    if (json) console.log(JSON.stringify({ file: path.basename(file), blank, ...result }));
    else
      console.log(
        `${path.basename(file)}${blank ? ' with a blank picture' : ''}: ${result.scenes} scenes: BLEU-1 ${result.bleu1.toFixed(2)}, BLEU-4 ${result.bleu4.toFixed(2)}, ` +
          `${(100 * result.right).toFixed(2)} % entirely right (${(100 * result.sureRight).toFixed(1)} % of the ${(100 * result.sure).toFixed(1)} % that it is sure of, ${(100 * result.unsureRight).toFixed(1)} % of the others), ${result.natsPerWord.toFixed(4)} nats a word, looked at ${(100 * result.looked).toFixed(2)} % of ${result.nouns} objects that it named; ` +
          `${result.ms.toFixed(1)} ms a caption`,
      );
  }
}

/** @param {Model} model @param {string} file @param {{ data: string, images?: string, temperatures: string, json: boolean }} options */
async function tellMusic(model, file, { data, images = 'Infinity', temperatures, json }) {
  const live = !json && process.stderr.isTTY;
  const temperature = Number(temperatures.split(',')[0]);
  const result = await scoreMusic(model, data, {
    most: Number(images),
    temperature,
    say: (done) => {
      if (live) process.stderr.write(`\r${done}   `);
    },
  });
  if (live) process.stderr.write('\r');
  if (json) return console.log(JSON.stringify({ file: path.basename(file), ...result }));
  const rules = (/** @type {import('./music.js').Rules} */ { fifths, octaves, crossings, chords }) =>
    `parallel fifths ${fifths.toFixed(2)} a piece, octaves ${octaves.toFixed(2)}; voices cross at ${crossings.toFixed(1)} % of moments; ${chords.toFixed(1)} % of beats are a chord`;
  console.log(
    `${path.basename(file)}: ${result.pieces} pieces: ${result.natsPerNote.toFixed(3)} nats a note, ${result.natsPerTick.toFixed(3)} a time step (standard error ${result.standardError.toFixed(3)})`,
  );
  console.log(`  these:           ${rules(result.given)}`);
  console.log(
    `  drawn at ${temperature.toFixed(2)}:   ${rules(result.drawn)}; ${result.outOfRange} notes out of range; ${result.msPerId.toFixed(2)} ms an id`,
  );
}

/** @param {Model} model @param {string} file @param {{ data: string, json: boolean }} options */
async function tellWords(model, file, { data, json }) {
  const { words, right, wrong } = await scoreWords(model, data);
  if (json) console.log(JSON.stringify({ file: path.basename(file), words, right }));
  else
    console.log(
      `${path.basename(file)}: ${right} of ${words} words right (${((100 * right) / words).toFixed(2)} %)${wrong.length > 0 ? `; wrong: ${wrong.slice(0, 20).join(', ')}` : ''}`,
    );
}

/** Returns the evaluation for a model; undefined for picture models, which pictures.js measures. @param {ModelInfo} info */
export function evaluationOf(info) {
  if (info.kind === 'sound') return tellSounds;
  if (info.kind === 'code') return tellCodes;
  if (info.kind === 'note') return tellMusic;
  if (LETTERS.test(info.card.dataset ?? '')) return tellWords;
  if (info.kind === 'text' && info.verbs.includes('generate')) return tellTexts;
  return EVALUATIONS[info.verbs.find((name) => name in EVALUATIONS) ?? ''];
}

/** The evaluation for each verb.
 * @type {Record<string, (model: any, file: string, options: any) => Promise<void>>} */
const EVALUATIONS = { translate: tellTranslations, tag: tellTags, parse: tellHeads, classify: tellSigns, caption: tellCaptions };
