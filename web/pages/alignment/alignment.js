// SPDX-License-Identifier: MIT
// Draws the alignment figure. Networks that differ only in their attention translate the same sentence. Each network has its own attention
// matrix, which gains a row with each translated word.
// @ts-check
import { acquireAll, acquireFirst, acquireWith, announce, byId, fault, isBlank, make, phrase, time, weights } from '../../shell/index.js';
import { createMatrix, createSentence, mapsOf, visible } from '../../shell/text/index.js';
import { EXAMPLES } from './examples.js';
import { below, cellTerms, centreOf, rowSum, windowOf } from './terms.js';
/** @import { Model, TranslationRun, TranslationStep } from '../../shell/index.js' */
/** @import { Reading } from '../../shell/text/sentence.js' */

/** Tokens per second. Slow enough to watch. */
const SPEED = 6;

/** The kinds of attention, in the order in which the page shows them. The page's <head> preloads the weights of the first kind. */
const KINDS = ['additive', 'general', 'local-p', 'location', 'none'];
const PREDICTED = 'local-p';

/** @typedef {{ run: TranslationRun, steps: TranslationStep[], over: boolean }} Written */

/** @param {(models: Record<string, Model>, text: string) => void} onSentence called after the sentence has changed */
export function createAlignment(onSentence) {
  const said = byId('sentence-said');
  /** @type {Record<string, Model>} */
  let byKind = {};
  const panels = KINDS.map((kind) => {
    const panel = byId(`panel-${kind}`);
    const text = make('p', { class: 'translation', lang: 'en', 'data-result': '' });
    const hint =
      kind === 'none'
        ? phrase`No matrix: the decoder starts from one vector and gets nothing else.`
        : phrase`Point at a cell, or use the arrow keys.`;
    const note = make('p', { class: 'map-note terms' }, hint);
    panel.append(text);
    /** @type {Written | null} */
    let shown = null;
    const sentence = () => (shown ? shown.run.sourceTexts.map((word) => visible(word, '⏎')) : []);
    const row = (/** @type {number} */ t) => (shown ? mapsOf(shown.steps[t], 'source')[0].weights : new Float32Array());
    const D = () => Number(panel.dataset.window ?? 0);
    /** Returns the centre of the window that the local network predicted for word t. @param {number} t */
    const centre = (t) => centreOf((shown?.steps[t].maps ?? []).find(({ name }) => name === 'centre')?.weights ?? []);
    let matrix = null;
    if (kind === 'none') {
      panel.append(note);
    } else {
      const map = make('div', { class: 'map' });
      panel.append(map, note);
      matrix = createMatrix(map, note, {
        // While the pointer is not over a cell, describes the middle row of the matrix as an example.
        rest() {
          const t = Math.floor((shown?.steps.length ?? 0) / 2);
          return shown?.steps[t] ? `${rowSum(row(t), sentence(), t + 1)}\n${hint}` : hint;
        },
        say: (t, i) =>
          `${rowSum(row(t), sentence(), t + 1)}\na${below(i + 1)} = ${cellTerms(row(t), i, kind === PREDICTED ? { centre: centre(t), D: D() } : undefined)}`,
      });
    }
    return {
      kind,
      text,
      /** @param {Written | null} next */
      show(next) {
        shown = next;
        text.textContent = next?.steps.map((step) => step.text).join('') ?? '';
        if (!next || !matrix) return;
        const words = sentence();
        matrix.show({
          rows: next.steps.map((step) => visible(step.text, '⏎')),
          columns: words,
          weights: next.steps.map((_, t) => row(t)),
          ...(kind === PREDICTED && { windows: next.steps.map((_, t) => windowOf(centre(t), D(), words.length)) }),
        });
      },
    };
  });

  /** @param {Reading} reading */
  async function read({ models, text, slowly, signal, next }) {
    /** @type {Written[]} */
    let all;
    try {
      all = models.map((model) => ({ run: model.translate(text, { maps: true, signal }), steps: [], over: false }));
    } catch (error) {
      said.textContent = fault(error); // the translation fails, for example if the sentence is too long
      return 'ready';
    }
    onSentence(byKind, text);
    said.textContent = isBlank(text) ? phrase`Type a sentence, or choose one below.` : '';
    const readers = all.map(({ run }) => run[Symbol.asyncIterator]());
    panels.forEach((panel, k) => panel.show(all[k]));
    while (all.some(({ over }) => !over)) {
      await next();
      await Promise.all(
        all.map(async (one, k) => {
          if (one.over) return;
          const { value, done } = await readers[k].next();
          one.over = done === true;
          if (value) one.steps.push(value);
        }),
      );
      signal.throwIfAborted();
      if (slowly) panels.forEach((panel, k) => panel.show(all[k]));
    }
    panels.forEach((panel, k) => panel.show(all[k]));
    // translates again without drawing, to measure only the model's time
    const began = performance.now();
    for (const model of models) await model.translate(text, { signal }).text();
    const costs = all.map(({ steps }, k) => `${phrase(KINDS[k])} ${steps.reduce((sum, { nats }) => sum + nats, 0).toFixed(1)}`).join(', ');
    figure.say(all[0].steps.length === 0 ? '' : phrase`${costs} nats; all five in ${time(performance.now() - began)}`);
    if (slowly) announce(panels[0].text.textContent ?? '');
  }

  const figure = createSentence({
    figure: 'figure-alignment',
    field: 'sentence',
    examples: EXAMPLES,
    lang: 'de',
    speed: SPEED,
    read,
    acquire: (how) =>
      acquireWith(acquireFirst(how, phrase(KINDS[0])), () =>
        acquireAll(
          KINDS.slice(1).map((kind) => weights(`seq2seq-${kind}.gguf`)),
          how,
        ),
      ),
    onModels(loaded) {
      byKind = Object.fromEntries(KINDS.map((kind, k) => [kind, loaded[k]]));
      onSentence(byKind, figure.text);
    },
  });
  return figure.load();
}
