// SPDX-License-Identifier: MIT
// Draws the figure that explains a translation step by step. The steps lead from the tokens of a sentence to the next word of the
// translation, and show the model's attention maps, numbers and probabilities.
// @ts-check
import { asked as other, byId, inSight, make, onTheme, ownName, palette, percent, phrase, weights } from '../../shell/index.js';
import { fileBytes, readGguf } from '../../shell/model/gguf.js';
import { showNumbers } from '../../shell/picture/numbers-strip.js';
import { meanOf, pathOf, mapsOf, visible } from '../../shell/text/index.js';
import { createWalk, stepsOf } from '../../shell/page/walk.js';
import { position } from './waves.js';
/** @import { Model, TranslationRun, TranslationStep } from '../../shell/index.js' */

/** Number of beams in the search for possible next words. */
const BEAMS = 8;
/** Number of possible next words that the figure shows. */
const WORDS = 4;
/** This head mostly attends to the word being translated, as in the first figure. */
const READER = { layer: 2, head: 2 };
const ALL = { layer: -1, head: -1 };

/** @typedef {{ text: string, share: number }} Next */

/** Returns the index of the largest number. @param {ArrayLike<number>} numbers */
const largest = (numbers) => Array.from(numbers).reduce((best, x, i, all) => (x > all[best] ? i : best), 0);

/**
 * Returns the candidates for the next word at a step of the search, the most probable first.
 * @param {TranslationRun['search']} search
 * @param {number[]} path  for each step, the index of the hypothesis from which the final translation grew
 * @param {number} step
 * @returns {Next[]}
 */
function nextWords(search, path, step) {
  const parent = step > 0 ? search[step - 1].hypotheses[path[step - 1]] : { living: 0, nats: 0 };
  return search[step].hypotheses
    .filter((one) => one.parent === parent.living)
    .map(({ text, fate, nats }) => ({ text: fate === 'ended' ? '⏎' : visible(text), share: Math.exp(parent.nats - nats) }))
    .sort((a, b) => b.share - a.share)
    .slice(0, WORDS);
}

/** @param {() => string} sentence */
export function createSentenceWalk(sentence) {
  const figure = byId('figure-walk');
  const [source, target, maps, words] = [byId('walk-source'), byId('walk-target'), byId('walk-encoder'), byId('walk-words')];
  const parts = /** @type {HTMLElement[]} */ ([...figure.querySelectorAll('[data-steps]')]);
  /** @type {Model | null} */
  let model = null;
  /** @type {{ run: TranslationRun, steps: TranslationStep[], path: number[], tensor: ReturnType<typeof readGguf>['tensor'] } | undefined} */
  let walked;
  /** The sentence that the figure shows. */
  let of = '';
  /** Index of the next token of the translation. */
  let at = 0;
  let stopper = new AbortController();
  const walk = createWalk({ list: byId('walk'), tools: byId('walk-tools'), figure }, light);
  walk.use(stepsOf(byId('walk')));

  /**
   * Shades tokens by attention weights.
   *
   * @param {HTMLElement} root
   * @param {ArrayLike<number>} [shares]
   * @param {number} [who] index of the query
   */
  function tint(root, shares, who = -1) {
    const most = shares ? Math.max(...Array.from(shares)) : 1;
    for (const [i, chip] of /** @type {HTMLElement[]} */ ([...root.children]).entries()) {
      chip.style.setProperty('--share', shares && shares[i] > 0 ? `${(100 * Math.sqrt(shares[i] / most)).toFixed(0)}%` : '0%');
      chip.classList.toggle('asker', i === who);
    }
  }

  /** Returns the attention weights that the steps of the walk show. */
  function looks() {
    if (!walked || !model) return undefined;
    const { run, steps } = walked;
    const { heads } = model.info;
    const step = steps[at];
    const cross = meanOf(mapsOf(step, 'source'), READER);
    const token = largest(cross.subarray(0, -1)); // the source word with the largest weight; the end token is excluded
    const size = run.source.length;
    const first = run.encoder
      .slice(0, heads)
      .map(({ weights }) => weights.subarray(token * size, (token + 1) * size).map((share, i) => (i === token ? 0 : share)));
    const head = largest(first.map((row) => Math.max(...row)));
    return {
      cross,
      token,
      head,
      self: run.encoder[head].weights.subarray(token * size, (token + 1) * size),
      friend: largest(first[head]),
      own: meanOf(mapsOf(step, 'attention'), ALL),
    };
  }

  /** Highlights the tokens and weights that a step of the walk describes. @param {{ id: string }} step */
  function light({ id }) {
    for (const part of parts) part.classList.toggle('lit', Boolean(part.dataset.steps?.split(' ').includes(id)));
    const seen = looks();
    tint(
      source,
      id === 'step-encoder' ? seen?.self : id === 'step-cross' ? seen?.cross : undefined,
      id === 'step-cross' ? -1 : seen?.token,
    );
    tint(target, id === 'step-masked' ? seen?.own : undefined, at);
    for (const chip of target.children)
      chip.classList.toggle('to-come', [...target.children].indexOf(chip) > at + Number(id === 'step-next'));
  }

  /** Draws the parts of the figure that do not depend on the step of the walk. */
  function fill() {
    const seen = looks();
    if (!seen || !walked || !model) return;
    const { run, steps, path, tensor } = walked;
    const { embedding: d, blocks, vocabulary } = model.info;
    const { token, head, friend } = seen;
    const text = run.sourceTexts.map((one) => visible(one, '⏎'));
    const written = ['⇥', ...steps.map((step) => visible(step.text))];
    source.replaceChildren(
      ...text.map((one, i) => make('li', { class: 'chip' }, make('b', { lang: 'de' }, one), make('span', {}, String(run.source[i])))),
    );
    target.replaceChildren(
      ...written.map((one, i) => {
        const radio = make('input', { type: 'radio', name: 'walked', value: String(i), 'aria-label': phrase`after “${one}”` });
        radio.checked = i === at;
        radio.disabled = i >= steps.length;
        radio.addEventListener('change', () => {
          at = i;
          fill();
          /** @type {HTMLElement | null} */ (target.querySelector(':checked'))?.focus();
        });
        return make('label', { class: 'chip' }, radio, make('b', { lang: 'en' }, one));
      }),
    );
    const row = tensor('token_embd.weight', { from: run.source[token] * d, count: d }).values.map((x) => x * Math.sqrt(d));
    const waves = position(token, d);
    showNumbers(byId('walk-embedding'), row, 64);
    showNumbers(
      byId('walk-placed'),
      row.map((x, i) => x + waves[i]),
      64,
    );
    const { heat } = palette();
    maps.replaceChildren(
      ...Array.from({ length: blocks }, (_, layer) => {
        const size = text.length;
        const canvas = make('canvas', { width: String(size), height: String(size), 'aria-hidden': 'true' });
        const context = canvas.getContext('2d');
        meanOf(run.encoder, { layer, head: -1 }).forEach((share, i) => {
          if (!context) return;
          context.fillStyle = heat(Math.sqrt(share));
          context.fillRect(i % size, Math.floor(i / size), 1, 1);
        });
        return canvas;
      }),
    );
    const next = nextWords(run.search, path, at);
    words.replaceChildren(
      ...next.map((one) => {
        const bar = make('span', { class: 'word-bar' });
        bar.style.setProperty('--p', `${100 * one.share}%`);
        return make('li', {}, make('b', { lang: 'en' }, one.text), make('span', { class: 'word-share' }, percent(one.share)), bar);
      }),
    );
    const own = seen.own;
    const back = largest(own);
    walk.tell({
      count: String(text.length),
      vocabulary: vocabulary.toLocaleString('en'),
      token: text[token],
      id: String(run.source[token]),
      width: String(d),
      root: String(Math.sqrt(d)),
      place: String(token + 1),
      head: String(head + 1),
      friend: text[friend],
      'self-share': percent(seen.self[friend]),
      blocks: String(blocks),
      read: written.slice(0, at + 1).join(' '),
      last: written[at],
      back: written[back],
      'back-share': percent(own[back]),
      'cross-share': percent(seen.cross[token]),
      'cross-layer': String(READER.layer + 1),
      'cross-head': String(READER.head + 1),
      best: next[0]?.text ?? '',
      'best-share': next[0] ? percent(next[0].share) : '',
      told: written[at + 1] ?? '⏎',
    });
    light(walk.step);
  }

  async function show() {
    const wanted = sentence();
    if (!model || !sight.seen || wanted === of) return;
    of = wanted;
    stopper.abort();
    const { signal } = (stopper = new AbortController());
    try {
      const [run, bytes] = [model.translate(wanted, { beams: BEAMS, maps: true, signal }), await fileBytes(weights('de-en.gguf'))];
      /** @type {TranslationStep[]} */
      const steps = [];
      for await (const step of run) steps.push(step);
      if (signal.aborted || steps.length === 0) return;
      walked = { run, steps, path: pathOf(run.search), tensor: readGguf(bytes).tensor };
      at = Math.min(2, steps.length - 1);
      fill();
    } catch {
      if (!signal.aborted) of = ''; // if the sentence is too long or the model is closed, the first figure reports the error
    }
  }
  const sight = inSight(figure, { onSeen: show, onAway() {} });
  onTheme(fill);
  return {
    /** Updates the figure if the sentence has changed. */
    show,
    /** @param {Model | null} next */
    use(next) {
      model = next;
      // The figure is hidden for other models, because its text describes only the page's own model.
      if (next) byId('walk-section').hidden = figure.hidden = Boolean(other || ownName());
      of = '';
    },
  };
}
