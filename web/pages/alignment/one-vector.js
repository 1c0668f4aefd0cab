// SPDX-License-Identifier: MIT
// Translates sentences of increasing length with two networks. One network has attention. In the other network, the decoder receives only a
// single vector, which the figure shows. The visitor can leave out one word of the sentence.
// @ts-check
import { acquireAll, announce, byId, fault, make, percent, phrase, weights, whenNear } from '../../shell/index.js';
import { fileBytes } from '../../shell/model/gguf.js';
import { visible } from '../../shell/text/words.js';
import { networkOf } from './network.js';
import { createVectorView } from './vector-view.js';
/** @import { Model } from '../../shell/index.js' */
/** @import { Network, Read, Vector } from './network.js' */

/** Sentences of 5, 8, 12, 16 and 22 words. None of these sentences occurs in the training data. */
const SENTENCES = [
  'Ein Hund läuft durch Schnee.',
  'Zwei Kinder spielen am Strand mit einem Ball.',
  'Ein Mann, der einen roten Hut trägt, spielt auf der Straße Gitarre.',
  'Eine Frau in einem blauen Kleid sitzt auf einer Bank im Park und liest ein Buch.',
  'Eine Frau in einem blauen Kleid und ein Mann mit einem weißen Hemd gehen mit ihrem kleinen Hund in einem Park spazieren.',
];
const FIRST = 3;
const KINDS = ['additive', 'none'];

const length = (/** @type {Vector} */ vector) => Math.hypot(...vector);
const turn = () =>
  new Promise((resolve) => {
    setTimeout(resolve);
  });

export function createOneVector() {
  const choices = byId('vector-lengths');
  const german = byId('vector-german');
  const said = byId('vector-said');
  /** @type {HTMLButtonElement} */
  const whole = byId('vector-whole');
  const translations = KINDS.map((kind) => byId(`vector-${kind}`));
  const view = createVectorView(byId('vector'), { left: () => left, onLeft: leave });
  /** @type {Promise<{ models: Model[], network: Network }> | undefined} */
  let loading;
  /** @type {{ ids: number[], read: string[], source: Read, moved: number[] } | undefined} */
  let sentence;
  let [index, left] = [FIRST, -1];
  let stopper = new AbortController();

  function open() {
    loading ??= Promise.all([
      acquireAll(
        KINDS.map((kind) => weights(`seq2seq-${kind}.gguf`)),
        { onProgress() {}, signal: new AbortController().signal },
      ),
      fileBytes(weights('seq2seq-none.gguf')),
    ])
      .then(([holds, file]) => ({ models: holds.map(({ model }) => model), network: networkOf(file) }))
      .catch((error) => {
        loading = undefined; // the next attempt loads the model again
        throw error;
      });
    return loading;
  }

  /**
   * Returns one sentence about the bars. The bar of a word shows how far the vector moves if this word is left out of the sentence.
   *
   * @param {{ read: string[], moved: number[] }} of
   */
  function describe({ read, moved }) {
    if (moved.length < read.length - 1) return '';
    if (left >= 0) return phrase`Without “${read[left]}” the vector moves by ${percent(moved[left])} of its length.`;
    const words = moved.slice(0, -1); // the full stop does not count as a word
    const [most, least] = [words.indexOf(Math.max(...words)), words.indexOf(Math.min(...words))];
    return phrase`Without “${read[most]}” the vector moves by ${percent(words[most])} of its length, without “${read[least]}” by ${percent(words[least])}.`;
  }

  /** @param {boolean} aloud whether the visitor requested the translation */
  async function show(aloud) {
    stopper.abort();
    const { signal } = (stopper = new AbortController());
    whole.disabled = left < 0;
    try {
      const { models, network } = await open();
      signal.throwIfAborted();
      if (!sentence) {
        const run = models[KINDS.indexOf('none')].translate(SENTENCES[index], { signal });
        await run.text();
        const ids = [...run.source];
        sentence = { ids, read: run.sourceTexts.map((word) => visible(word.trim(), '⏎')), source: network.read(ids), moved: [] };
      }
      const { ids, read, source, moved } = sentence;
      german.replaceChildren(
        ...(left < 0
          ? [SENTENCES[index]]
          : read.slice(0, -1).flatMap((word, i) => [i && !/^[.,]$/.test(word) ? ' ' : '', i === left ? make('del', {}, word) : word])),
      );
      const kept = ids.filter((_, i) => i !== left);
      const runs = models.map((model) => model.translate(left < 0 ? SENTENCES[index] : kept, { signal }));
      /** @type {{ ids: number[], words: string[] }[]} */
      const results = [];
      for (const run of runs) {
        /** @type {{ ids: number[], words: string[] }} */
        const result = { ids: [], words: [] };
        for await (const { token, text } of run) {
          result.ids.push(token);
          result.words.push(visible(text.trim(), '⏎'));
        }
        results.push(result);
        translations[results.length - 1].textContent = await run.text();
      }
      signal.throwIfAborted();
      const { ids: written, words } = results[KINDS.indexOf('none')];
      const seen = left < 0 ? source : network.read(kept);
      const encoder = left < 0 ? seen.h : [...seen.h.slice(0, left), source.h[left], ...seen.h.slice(left)];
      const decoder = network.write(seen, written).map(({ state }) => state);
      const put = () => {
        view.show({ read, encoder, vector: seen.start, written: words, decoder, moved, left });
        said.textContent = describe({ read, moved });
      };
      put();
      if (aloud) announce([said.textContent, translations[0].textContent].filter(Boolean).join(' '));
      while (moved.length < ids.length - 1) {
        await turn();
        signal.throwIfAborted();
        const without = network.startWithout(source, ids, moved.length);
        moved.push(length(without.map((value, k) => value - source.start[k])) / length(source.start));
        put();
      }
    } catch (error) {
      if (!signal.aborted) translations[0].textContent = `${fault(error)}.`;
    }
  }

  /** @param {number} i index of the word to leave out; -1 for none */
  function leave(i) {
    if (!sentence) return; // the encoder has not read the new sentence yet
    left = Math.min(i, sentence.read.length - 2); // the end token cannot be left out
    void show(true);
  }

  choices.append(
    ...SENTENCES.map((text, i) => {
      const input = /** @type {HTMLInputElement} */ (make('input', { type: 'radio', name: 'vector', value: String(i) }));
      input.checked = i === FIRST;
      input.addEventListener('change', () => {
        [index, left, sentence] = [i, -1, undefined];
        void show(true);
      });
      return make('label', {}, input, ' ', phrase`${text.split(' ').length} words`);
    }),
  );
  whole.addEventListener('click', () => {
    leave(-1);
    byId('vector').querySelector('canvas')?.focus();
  });
  whenNear(byId('figure-vector'), () => void show(false));
}
