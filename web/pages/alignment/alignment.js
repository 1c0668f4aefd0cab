// SPDX-License-Identifier: MIT
// The figure of the alignments: one sentence, translated by networks that differ in their attention alone, with the matrix of each as it grows.
// @ts-check
import { Playback, acquireAll, acquireFirst, announce, byId, createLoading, createTransport, fault, keepInAddress, make, phrase, reducedMotion, time, weights } from '../../shell/index.js';
import { createMatrix, rowsOf, visible } from '../../shell/text/index.js';
import { EXAMPLES } from './examples.js';
import { below, cellTerms, centreOf, rowSum, windowOf } from './terms.js';
/** @import { Model, Translation, TranslateStep } from '../../shell/index.js' */

/** Tokens a second, for whoever watches. */
const SPEED = 6;
const REST_MS = 150;

/** In the order of the page; the first is the one that the page's head asks for. */
const KINDS = ['additive', 'general', 'local-p', 'location', 'none'];
const PREDICTED = 'local-p';

/** @typedef {{ run: Translation, steps: TranslateStep[], over: boolean }} Written */

/** @param {(models: Record<string, Model>, text: string) => void} onSentence there is another one */
export function createAlignment(onSentence) {
  /** @type {HTMLInputElement} */
  const input = byId('sentence');
  const said = byId('sentence-said');
  /** @type {Model[]} */
  let models = [];
  /** @type {Record<string, Model>} */
  let byKind = {};
  const panels = KINDS.map((kind) => {
    const panel = byId(`panel-${kind}`);
    const text = make('p', { class: 'translation', lang: 'en', 'data-result': '' });
    const hint = kind === 'none' ? phrase`No matrix: the decoder begins with one vector, and that is all it is told.` : phrase`Point at a cell, or walk with the arrow keys.`;
    const note = make('p', { class: 'map-note terms' }, hint);
    panel.append(text);
    /** @type {Written | null} */
    let shown = null;
    const sentence = () => (shown ? shown.run.sourceTexts.map((word) => visible(word, '⏎')) : []);
    const row = (/** @type {number} */ t) => (shown ? rowsOf(shown.steps[t], 'source')[0] : new Float32Array());
    const D = () => Number(panel.dataset.window ?? 0);
    /** Where a predicted window stands when word t is written. @param {number} t */
    const centre = (t) => centreOf((shown?.steps[t].maps ?? []).find(({ name }) => name === 'centre')?.weights ?? []);
    let matrix = null;
    if (kind === 'none') {
      panel.append(note);
    } else {
      const map = make('div', { class: 'map' });
      panel.append(map, note);
      matrix = createMatrix(map, note, {
        // A row in the middle, as what a row stands for.
        rest() {
          const t = Math.floor((shown?.steps.length ?? 0) / 2);
          return shown?.steps[t] ? `${rowSum(row(t), sentence(), t + 1)}\n${hint}` : hint;
        },
        say: (t, i) => `${rowSum(row(t), sentence(), t + 1)}\na${below(i + 1)} = ${cellTerms(row(t), i, kind === PREDICTED ? { centre: centre(t), D: D() } : undefined)}`,
      });
    }
    return {
      kind, text,
      /** @param {Written | null} next */
      show(next) {
        shown = next;
        text.textContent = next?.steps.map((step) => step.text).join('') ?? '';
        if (!next || !matrix) return;
        const words = sentence();
        matrix.show({
          rows: next.steps.map((step) => visible(step.text, '⏎')), columns: words, weights: next.steps.map((_, t) => row(t)),
          ...(kind === PREDICTED && { windows: next.steps.map((_, t) => windowOf(centre(t), D(), words.length)) }),
        });
      },
    };
  });

  const playback = new Playback({
    speed: SPEED,
    onPhase(phase) {
      transport.show(phase);
      input.disabled = phase === 'empty';
    },
    onError: (error) => loading.failed(error),
  });

  /** @param {boolean} slowly for whoever watches */
  async function start(slowly) {
    if (models.length === 0) return;
    await playback.run(async (signal) => {
      /** @type {Written[]} */
      let all;
      try {
        all = models.map((model) => ({ run: model.translate(input.value, { maps: true, signal }), steps: [], over: false }));
      } catch (error) {
        said.textContent = fault(error); // such as that it is too long
        return 'ready';
      }
      onSentence(byKind, input.value);
      said.textContent = input.value.trim() === '' ? phrase`Type a sentence, or take one from below.` : '';
      loading.clear();
      const readers = all.map(({ run }) => run[Symbol.asyncIterator]());
      panels.forEach((panel, k) => panel.show(all[k]));
      while (all.some(({ over }) => !over)) {
        if (slowly && !reducedMotion()) await playback.take(1, signal);
        signal.throwIfAborted();
        await Promise.all(all.map(async (one, k) => {
          if (one.over) return;
          const { value, done } = await readers[k].next();
          one.over = done === true;
          if (value) one.steps.push(value);
        }));
        signal.throwIfAborted();
        if (slowly) panels.forEach((panel, k) => panel.show(all[k]));
      }
      panels.forEach((panel, k) => panel.show(all[k]));
      // How long it takes when nobody looks.
      const began = performance.now();
      for (const model of models) await model.translate(input.value, { signal }).text();
      const costs = all.map(({ steps }, k) => `${phrase(KINDS[k])} ${steps.reduce((sum, { nats }) => sum + nats, 0).toFixed(1)}`).join(', ');
      transport.say(all[0].steps.length === 0 ? '' : phrase`${costs} nats; all five in ${time(performance.now() - began)}`);
      if (slowly) announce(panels[0].text.textContent ?? '');
      return 'done';
    });
  }

  const loading = createLoading(byId('load'), {
    acquire: async (how) => {
      const first = await acquireFirst(how, phrase(KINDS[0]));
      try {
        return [first, ...await acquireAll(KINDS.slice(1).map((kind) => weights(`seq2seq-${kind}.gguf`)), how)];
      } catch (error) {
        first.release();
        throw error;
      }
    },
    onModels(loaded) {
      models = loaded;
      byKind = Object.fromEntries(KINDS.map((kind, k) => [kind, loaded[k]]));
      onSentence(byKind, input.value);
      playback.enter('ready');
      address.proceed();
      sight.renew();
      sight.proceed();
    },
    onLost() {
      models = [];
      playback.enter('empty');
    },
  });
  const transport = createTransport(byId('transport'), { name: '', onRun: () => start(true), pace: true });
  const sight = playback.watch(byId('figure-alignment'), () => start(true));
  transport.onPress(sight.decide);

  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let resting;
  input.addEventListener('input', () => {
    sight.decide();
    clearTimeout(resting);
    resting = setTimeout(() => {
      address.changed(true);
      start(false);
    }, REST_MS);
  });
  byId('examples').append(...EXAMPLES.map((text) => {
    const button = make('button', { type: 'button', class: 'textual example', lang: 'de' }, text);
    button.addEventListener('click', () => {
      sight.decide();
      input.value = text;
      address.changed();
      start(true);
    });
    return make('li', {}, button);
  }));
  input.value = EXAMPLES[0];
  const address = keepInAddress('figure-alignment', {
    settings: () => ({ text: input.value }),
    apply(given) {
      input.value = given.get('text') ?? input.value;
      if (models.length === 0) return false;
      sight.decide();
      start(true);
      return true;
    },
  });
  return loading.load();
}
