// SPDX-License-Identifier: MIT
// Draws the figure that compares simple, sigmoid and structured attention to the characters of a sentence. A slider scales the transition
// scores of structured attention.
// @ts-check
import {
  acquireAll,
  acquireWith,
  announce,
  byId,
  createLoading,
  createTransport,
  fault,
  isBlank,
  make,
  percent,
  phrase,
  time,
  weights,
} from '../../shell/index.js';
import { fileBytes, readGguf } from '../../shell/model/gguf.js';
import { createTyping } from '../../shell/text/typing.js';
import { GERMAN } from './examples.js';
import { LETTERS } from './expectation.js';
import { logit, marginals, part, segmentsOf, times } from './bits.js';

/** @import { Model, TranslationRun, TranslationStep } from '../../shell/index.js' */
/** @import { Transitions } from './bits.js' */
/** @typedef {{ run: TranslationRun, steps: TranslationStep[] }} Written */

/** The kinds of attention, in the order of their columns on the page. */
const KINDS = /** @type {const} */ (['simple', 'sigmoid', 'structured']);
const FILE = (/** @type {string} */ kind) => weights(`seq2seq-characters-${kind}.gguf`);
/** Probabilities are clamped so that they differ from 0 and 1 by at least this much. */
const NEAREST = 1e-7;

/**
 * @param {(four: { letters: string[], scores: number[], stick: number }) => void} onFour  called with four adjacent characters of a word
 */
export function createSegments(onFour) {
  /** @type {HTMLInputElement} */
  const input = byId('german');
  /** @type {HTMLInputElement} */
  const strength = byId('strength');
  const said = byId('german-said');
  /** @type {Model[]} */
  let models = [];
  /** @type {Transitions} */
  let A = [
    [0, 0],
    [0, 0],
  ];
  /** @type {Written[]} */
  let shown = [];
  /** @type {AbortController | undefined} */
  let stopper;
  const panels = KINDS.map((kind) => {
    const root = byId(`panel-${kind}`);
    const text = make('p', { class: 'translation', lang: 'en', 'data-result': '' });
    const rows = make('ol', { class: 'looked', 'aria-label': phrase`English words and their attention` });
    const sum = make('p', { class: 'said-line' });
    root.append(text, rows, sum);
    return { kind, text, rows, sum };
  });

  /** Returns the scores of the structured network's bits. @param {TranslationStep} step */
  const thetaOf = ({ maps = [] }) =>
    [...(maps.find(({ name }) => name === 'alone')?.weights ?? [])].map((p) => logit(Math.min(1 - NEAREST, Math.max(NEAREST, p))));
  /** @param {number} k @param {TranslationStep} step */
  const weightsOf = (k, step) =>
    KINDS[k] === 'structured' && Number(strength.value) !== 1
      ? marginals(thetaOf(step), times(A, Number(strength.value)))
      : [...(step.alignment ?? [])];

  function show() {
    shown.forEach(({ run, steps }, k) => {
      const { text, rows, sum } = panels[k];
      const letters = run.sourceTexts.slice(0, -1);
      text.textContent = steps.map((step) => step.text).join('');
      while (rows.children.length > steps.length) rows.lastElementChild?.remove();
      let [looked, long, count] = [0, 0, 0];
      steps.forEach((step, t) => {
        const p = weightsOf(k, step);
        const segments = segmentsOf(p);
        looked += p.reduce((all, one) => all + one, 0);
        count += segments.length;
        long += segments.reduce((all, { from, to }) => all + to - from, 0);
        if (!rows.children[t]) rows.append(rowOf(k, t));
        const [word, line] = /** @type {HTMLElement[]} */ ([...(rows.children[t].firstElementChild ?? rows).children]);
        word.textContent = step.text.trim() || '·';
        if (line.children.length !== letters.length) line.replaceChildren(...letters.map((letter) => make('i', {}, letter)));
        [...line.children].forEach((letter, i) => {
          letter.textContent = letters[i];
          letter.classList.toggle('on', p[i] >= 0.5);
          /** @type {HTMLElement} */ (letter).style.setProperty('--p', `${(100 * Math.min(1, p[i])).toFixed(1)}%`);
        });
        const place = rows.children[t].firstElementChild;
        const looks = segments.map(({ from, to }) => `“${letters.slice(from, to).join('')}”`).join(', ');
        const most = Math.max(...p);
        place?.setAttribute(
          place.matches('button') ? 'aria-description' : 'aria-label',
          `${step.text.trim()}: ${looks || phrase`mostly “${letters[p.indexOf(most)] ?? phrase`the end`}”, ${percent(most)}`}`,
        );
      });
      const total = (looked / steps.length).toFixed(2);
      sum.textContent =
        steps.length === 0
          ? ''
          : count === 0
            ? phrase`Weights of a word add up to ${total} on average; no character has one half or more.`
            : phrase`Weights of a word add up to ${total} on average; segments with one half or more: ${(count / steps.length).toFixed(1)} per word, ${(long / count).toFixed(1)} characters long.`;
    });
    const factor = Number(strength.value);
    byId('strength-said').textContent =
      factor === 0 ? phrase`independent` : factor === 1 ? phrase`as trained` : phrase`${factor.toFixed(2)} times`;
  }

  /** @param {number} k @param {number} t */
  function rowOf(k, t) {
    const parts = [make('b', {}), make('span', { lang: 'de', 'aria-hidden': 'true' })];
    if (KINDS[k] !== 'structured') return make('li', {}, make('span', { class: 'line', role: 'img' }, ...parts));
    const button = make('button', { type: 'button', class: 'line' }, ...parts);
    button.addEventListener('click', () => take(t));
    return make('li', {}, button);
  }

  /**
   * Finds the four adjacent characters with the largest total weight for a word, and passes them to the figure of the sixteen selections.
   * @param {number} t
   */
  function take(t) {
    const { run, steps } = shown[KINDS.indexOf('structured')];
    const letters = run.sourceTexts.slice(0, -1);
    if (letters.length < LETTERS) return;
    const theta = thetaOf(steps[t]);
    const p = marginals(theta, A);
    const from = letters
      .map((_, i) => i)
      .slice(0, 1 - LETTERS)
      .reduce((best, i) => (sumOf(p, i) > sumOf(p, best) ? i : best), 0);
    const four = letters.slice(from, from + LETTERS).map((letter) => (letter === ' ' ? '␣' : letter));
    onFour({ letters: four, ...part(theta, A, from, LETTERS) });
    announce(phrase`The sixteen selections below now show ${four.join('')}`);
  }

  async function translate() {
    stopper?.abort();
    if (models.length === 0) return;
    const { signal } = (stopper = new AbortController());
    transport.show('running');
    const began = performance.now();
    try {
      const found = models.map((model) => ({
        run: model.translate(input.value, { maps: true, signal }),
        steps: /** @type {TranslationStep[]} */ ([]),
      }));
      await Promise.all(
        found.map(async ({ run, steps }) => {
          for await (const step of run) steps.push(step);
        }),
      );
      if (signal.aborted) return;
      shown = found;
      said.textContent = isBlank(input.value) ? phrase`Type a German sentence, or choose one below.` : '';
      show();
      transport.say(
        found[0].steps.length > 0
          ? phrase`${found[0].run.source.length - 1} characters, three translations in ${time(performance.now() - began)}`
          : '',
      );
      const words = found[KINDS.indexOf('structured')].steps;
      if (words.length > 0) take(Math.min(2, words.length - 1));
      transport.show('done');
    } catch (error) {
      if (signal.aborted) return;
      transport.show('ready');
      if (/** @type {any} */ (error).code === 'argument') said.textContent = fault(error);
      else loading.failed(error);
    }
  }

  const transport = createTransport(byId('segments-transport'), {
    name: 'segments',
    onRun: () => translate(),
    verb: phrase`Translate`,
    pace: true,
  });
  const loading = createLoading(byId('segments-load'), {
    acquire: (how) =>
      acquireWith(acquireAll(KINDS.map(FILE), how), async () => {
        const { values } = readGguf(await fileBytes(FILE('structured'))).tensor('attn_transition.weight');
        A = [[...values.subarray(0, 2)], [...values.subarray(2)]];
      }),
    onModels(loaded) {
      models = loaded;
      input.disabled = false;
      void translate();
    },
    onLost() {
      models = [];
      input.disabled = true;
      transport.show('empty');
    },
  });
  strength.addEventListener('input', show);
  createTyping(input, { examples: 'german-examples', texts: GERMAN, lang: 'de', onRest: translate });
  void loading.load();
}

/** Returns the total weight of four adjacent characters. @param {number[]} p @param {number} from */
const sumOf = (p, from) => p.slice(from, from + LETTERS).reduce((sum, one) => sum + one, 0);
