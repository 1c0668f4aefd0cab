// SPDX-License-Identifier: MIT
// A sentence that grows, translated by a network with attention and by one that receives a single vector.
// @ts-check
import { acquireAll, announce, byId, fault, make, phrase, weights } from '../../shell/index.js';
/** @import { Model } from '../../shell/index.js' */

/** Of 5, 8, 12, 16 and 22 words; none is of the data. */
const SENTENCES = [
  'Ein Hund läuft durch Schnee.',
  'Zwei Kinder spielen am Strand mit einem Ball.',
  'Ein Mann, der einen roten Hut trägt, spielt auf der Straße Gitarre.',
  'Eine Frau in einem blauen Kleid sitzt auf einer Bank im Park und liest ein Buch.',
  'Eine Frau in einem blauen Kleid und ein Mann mit einem weißen Hemd gehen mit ihrem kleinen Hund in einem Park spazieren.',
];
const FIRST = 3;
const KINDS = ['additive', 'none'];

export function createGrow() {
  const choices = byId('grow-lengths');
  const german = byId('grow-german');
  const written = KINDS.map((kind) => byId(`grow-${kind}`));
  /** @type {Promise<Model[]> | undefined} */
  let loading;
  let now = 0;

  /** @param {number} i of the sentence @param {boolean} aloud whether the visitor asked */
  async function show(i, aloud) {
    const own = ++now;
    german.textContent = SENTENCES[i];
    try {
      loading ??= acquireAll(
        KINDS.map((kind) => weights(`seq2seq-${kind}.gguf`)),
        { onProgress() {}, signal: new AbortController().signal },
      ).then((holds) => holds.map(({ model }) => model));
      const models = await loading;
      const texts = await Promise.all(models.map((model) => model.translate(SENTENCES[i]).text()));
      if (own !== now) return;
      texts.forEach((text, k) => {
        written[k].textContent = text;
      });
      if (aloud) announce(texts[0]);
    } catch (error) {
      loading = undefined; // another try is possible
      if (own === now) written[0].textContent = `${fault(error)}.`;
    }
  }

  choices.append(
    ...SENTENCES.map((sentence, i) => {
      const input = /** @type {HTMLInputElement} */ (make('input', { type: 'radio', name: 'grow', value: String(i) }));
      input.checked = i === FIRST;
      input.addEventListener('change', () => show(i, true));
      return make('label', {}, input, ' ', phrase`${sentence.split(' ').length} words`);
    }),
  );
  void show(FIRST, false);
}
