// SPDX-License-Identifier: MIT
// Counts how many of twenty everyday German sentences a model translates correctly. The sentences are in weights/train/data/everyday.tsv;
// none of them is in a training pair:
//
//   node weights/eval/kinds/text/everyday.js weights/de-en.gguf [--beams 4]
//
// Each line of the file is a sentence, a tab, and a pattern of the correct translations: regular expressions separated by " | ".
// Before a translation is matched with the pattern, it is converted to lower case, its punctuation is removed and its contractions are
// expanded ("I'm" becomes "i am").
// @ts-check
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { fileURLToPath } from 'node:url';
import { load } from '../../../../web/lib/index.js';

/** Contractions and their expansions. @type {[RegExp, string][]} */
const SHORT = [
  [/\bwon't\b/g, 'will not'],
  [/\bcan't\b|\bcannot\b/g, 'can not'],
  [/n't\b/g, ' not'],
  [/\bi'm\b/g, 'i am'],
  [/'re\b/g, ' are'],
  [/'ve\b/g, ' have'],
  [/'ll\b/g, ' will'],
  [/'d\b/g, ' would'],
  [/\b(he|she|it|that|what|where|who|how|there|here|name)'s\b/g, '$1 is'],
];

/** Normalises a translation, so that it can be matched with the regular expressions of everyday.tsv. @param {string} text */
export function plain(text) {
  const written = SHORT.reduce((so, [short, long]) => so.replace(short, long), text.toLowerCase().replaceAll('’', "'"));
  return written.replace(/[^\p{L}\p{N}]+/gu, ' ').trim();
}

/** @param {string} text  contents of everyday.tsv @returns {{ source: string, right: RegExp }[]} */
function readEveryday(text) {
  return text
    .trim()
    .split('\n')
    .map((line) => {
      const [source, right] = line.split('\t');
      return {
        source,
        right: new RegExp(
          `^(?:${right
            .split(' | ')
            .map((each) => each.trim())
            .join('|')})$`,
        ),
      };
    });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const {
    values: { beams },
    positionals: [file],
  } = parseArgs({ allowPositionals: true, options: { beams: { type: 'string', default: '4' } } });
  if (!file) {
    console.error('usage: node weights/eval/kinds/text/everyday.js FILE [--beams 4]');
    process.exit(2);
  }
  const model = await load(path.resolve(file));
  const all = readEveryday(readFileSync(new URL('../../../train/data/everyday.tsv', import.meta.url), 'utf8'));
  let rights = 0;
  for (const { source, right } of all) {
    const found = await model.translate(source, { beams: Number(beams) }).text();
    const isRight = right.test(plain(found));
    rights += Number(isRight);
    console.log(`${isRight ? 'right' : '     '}  ${source}  ->  ${found}`);
  }
  model.close();
  console.log(`${rights} of ${all.length} right`);
}
