// SPDX-License-Identifier: MIT
// Searches a treebank for pins that have an effect, and lists them. A pin fixes the tag of one word to another likely tag. A pin has an
// effect if it changes the tags of other words in all three chain models. The examples of web/pages/chains were chosen from this list.
//
//     node weights/eval/kinds/tag/pins.js validation.tsv [sentences at most]
// @ts-check
import { fileURLToPath } from 'node:url';

import { load } from '../../../../web/lib/index.js';
import { readText } from '../../files.js';
import { readTreebank } from './tags.js';

const NAMES = ['hmm-en', 'memm-en', 'crf-en'];
/** A pin counts as sensible if the CRF gives the pinned tag at least this probability. */
const SENSIBLE = 0.02;
const [file, most = '2000'] = process.argv.slice(2);
if (!file) throw new Error('usage: node weights/eval/kinds/tag/pins.js validation.tsv [sentences at most]');

const models = await Promise.all(NAMES.map((name) => load(fileURLToPath(new URL(`../../../${name}.gguf`, import.meta.url)))));
let pins = 0;
/** The number of pins that changed the tag of another word, for each model; the last element counts the pins that did so in all three. */
const moved = [0, 0, 0, 0];
const found = [];
for (const { words } of readTreebank(readText(file))
  .filter(({ words: all }) => all.length >= 4 && all.length <= 9)
  .slice(0, Number(most))) {
  const free = await Promise.all(models.map((model) => model.tag(words, { marginals: true })));
  for (let t = 0; t < words.length; t++) {
    const { names, marginals = new Float32Array(0), tags } = free[2];
    for (const [c, name] of names.entries()) {
      if (name === tags[t] || marginals[t * names.length + c] < SENSIBLE) continue;
      pins++;
      const pinned = await Promise.all(models.map((model) => model.tag(words, { pinned: { [t]: name } })));
      const others = pinned.map((one, m) => one.tags.filter((tag, i) => i !== t && tag !== free[m].tags[i]).length);
      others.forEach((n, m) => {
        if (n > 0) moved[m]++;
      });
      if (!others.every((n) => n > 0)) continue;
      moved[3]++;
      found.push({
        line: words.map((word, i) => `${word}/${tags[i]}${pinned[2].tags[i] === tags[i] ? '' : `>${pinned[2].tags[i]}`}`).join(' '),
        pin: `${words[t]}=${name}`,
        others,
      });
    }
  }
}
for (const { line, pin, others } of found) console.log(`${others.join(' ')}  ${pin}  ${line}`);
console.log(
  `of ${pins} sensible pins, these changed the tag of another word: ${NAMES.map((name, m) => `${name} ${moved[m]}`).join(', ')}, all three ${moved[3]}`,
);
for (const model of models) model.close();
