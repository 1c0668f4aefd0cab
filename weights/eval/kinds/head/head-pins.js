// SPDX-License-Identifier: MIT
// Searches a treebank for pins that have an effect, and lists them. A pin replaces the head of one word with another likely head. A pin has
// an effect if it changes the heads of other words in the sentence. The examples of web/pages/structure were chosen from this list.
//
//     node weights/eval/kinds/head/head-pins.js validation.tsv [weights/parents-en.gguf [sentences at most]]
// @ts-check
import { fileURLToPath } from 'node:url';

import { load } from '../../../../web/lib/index.js';
import { readText } from '../../files.js';
import { readHeads } from './heads.js';

/** A pin counts as sensible if the model gives the pinned head at least this probability. */
const SENSIBLE = 0.05;
const [file, weights = fileURLToPath(new URL('../../../parents-en.gguf', import.meta.url)), most = '2000'] = process.argv.slice(2);
if (!file) throw new Error('usage: node weights/eval/kinds/head/head-pins.js validation.tsv [weights [sentences at most]]');

const model = await load(weights);
let pins = 0;
const found = [];
for (const { words } of readHeads(readText(file))
  .filter(({ words: all }) => all.length >= 5 && all.length <= 12)
  .slice(0, Number(most))) {
  const { heads, marginals = new Float32Array(0) } = await model.parse(words, { marginals: true });
  for (let m = 1; m <= words.length; m++) {
    for (let head = 0; head <= words.length; head++) {
      const p = marginals[(m - 1) * (words.length + 1) + head];
      if (head === heads[m - 1] || p < SENSIBLE) continue;
      pins++;
      const pinned = await model.parse(words, { pinned: { [m]: head } });
      const moved = pinned.heads.flatMap((now, i) =>
        i + 1 === m || now === heads[i] ? [] : [`${words[i]}: ${name(words, heads[i])} > ${name(words, now)}`],
      );
      if (moved.length > 0)
        found.push({
          moved,
          p,
          pin: `${m} ${words[m - 1]}: ${name(words, heads[m - 1])} > ${head} ${name(words, head)}`,
          text: words.join(' '),
        });
    }
  }
}
found.sort((a, b) => b.moved.length - a.moved.length || b.p - a.p);
for (const { moved, p, pin, text } of found)
  console.log(`${moved.length}  ${(100 * p).toFixed(0)} %  ${text}\n      ${pin}; then ${moved.join('; ')}`);
console.log(`${found.length} of ${pins} sensible pins changed the head of another word`);
model.close();

/** @param {string[]} words @param {number} word */
function name(words, word) {
  return word === 0 ? 'root' : words[word - 1];
}
