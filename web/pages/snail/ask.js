// SPDX-License-Identifier: MIT
// Runs the first figure, with five example characters and one character to classify. Every stroke updates the probabilities and the
// network's attention.
// @ts-check
import { acquireFirst, announce, byId, createLoading, createTransport, fault, make, percent, phrase, time } from '../../shell/index.js';
import { createPad } from './pad.js';
import { ALPHABETS, DRAWINGS, SIGNS, loadSigns } from './signs.js';
/** @import { Model } from '../../shell/index.js' */
/** @typedef {import('../../lib/kinds/sign/classification.js').Classification} Answer */

const WAYS = 5;
const NAMES = ['A', 'B', 'C', 'D', 'E'];
/** Number of random orders of the examples that the button #shuffle tries. */
const ORDERS = 20;

/** Formats a probability as a short percentage. @param {number} p */
const short = (p) => (p < 0.001 ? '< 0.1%' : percent(p));

/** @param {Uint8Array} data */
export const raw = (data) => ({ data, width: 28, height: 28 });

/** @param {{ onAnswer: (maps: Float32Array[]) => void, onModel: (model: Model, sign: Awaited<ReturnType<typeof loadSigns>>) => void }} hooks */
export function createAsk({ onAnswer, onModel }) {
  const [said, ownWeight, orderSaid, result] = [byId('said'), byId('own-weight'), byId('order-said'), byId('result')];
  /** @type {HTMLSelectElement} */
  const alphabet = byId('alphabet');
  /** @type {Model | undefined} */
  let model;
  /** @type {Awaited<ReturnType<typeof loadSigns>> | undefined} */
  let sign;
  /** Indices of characters in the alphabet: one for each example square (`chosen`), and the one to classify (`asked`). */
  let chosen = Array.from({ length: WAYS }, (_, i) => i);
  let asked = 1;
  let drawing = 1;
  /** @type {Float32Array[]} */
  let maps = [];
  /** `busy`: whether a classification is running. `stale`: whether the drawings have changed since it started. */
  let busy = false;
  let stale = false;
  let shuffling = new AbortController();
  /** Whether the visitor drew in a square, or cleared a square, before the model had loaded. */
  let early = false;

  const transport = createTransport(byId('transport'), { name: '', onRun: () => ask(), verb: phrase`Name it`, pace: true });
  const slots = NAMES.map((name, i) => {
    const pad = createPad(phrase`Example ${name}: a square to draw in`, change);
    const bar = make('span', { class: 'odds-bar' });
    const odds = make('span', { class: 'odds-said' });
    const look = make('span', { class: 'look-said' });
    const other = make(
      'button',
      { type: 'button', class: 'sign-button', 'aria-label': phrase`Another character for ${name}` },
      phrase`Another`,
    );
    const clear = make('button', { type: 'button', class: 'sign-button', 'aria-label': phrase`Clear ${name}` }, phrase`Clear`);
    other.addEventListener('click', () => {
      if (!sign) return;
      do chosen[i] = (chosen[i] + 1) % SIGNS;
      while (chosen.some((one, j) => j !== i && one === chosen[i]));
      pad.set(sign(alphabet.selectedIndex, chosen[i], 0));
      change();
    });
    clear.addEventListener('click', () => {
      pad.set(null);
      change();
    });
    const item = make(
      'li',
      { class: 'sign-slot' },
      make('b', {}, name),
      pad.canvas,
      make('span', { class: 'odds-track', 'aria-hidden': 'true' }, bar),
      odds,
      look,
      make('span', { class: 'sign-buttons' }, other, clear),
    );
    byId('examples').append(item);
    return { name, pad, bar, odds, look, item };
  });
  const query = createPad(phrase`The character to classify: a square to draw in`, change);
  const next = make('button', { type: 'button', class: 'sign-button', 'aria-label': phrase`Another drawing to classify` }, phrase`Another`);
  const clear = make(
    'button',
    { type: 'button', class: 'sign-button', 'aria-label': phrase`Clear the character to classify` },
    phrase`Clear`,
  );
  next.addEventListener('click', () => {
    asked = (asked + 1) % WAYS;
    drawing = 1 + (drawing % (DRAWINGS - 1));
    askChosen();
    change();
  });
  clear.addEventListener('click', () => {
    query.set(null);
    change();
  });
  byId('query').append(make('b', {}, '?'), query.canvas, make('span', { class: 'sign-buttons' }, next, clear));

  const loading = createLoading(byId('load'), {
    acquire: async (options) => {
      const [hold, signs] = await Promise.all([acquireFirst(options), loadSigns()]);
      sign = signs;
      return [hold];
    },
    onModels([loaded]) {
      model = loaded;
      onModel(loaded, /** @type {NonNullable<typeof sign>} */ (sign));
      transport.show('ready');
      if (early) change();
      else fill();
    },
    onLost() {
      model = undefined;
      transport.show('empty');
    },
  });

  function askChosen() {
    if (sign) query.set(sign(alphabet.selectedIndex, chosen[asked], drawing));
  }

  /** Fills the squares with characters of the selected alphabet. */
  function fill() {
    if (!sign) return;
    chosen = chosen.map((_, i) => i);
    slots.forEach(({ pad }, i) => pad.set(/** @type {NonNullable<typeof sign>} */ (sign)(alphabet.selectedIndex, chosen[i], 0)));
    askChosen();
    change();
  }

  function change() {
    early ||= !model;
    shuffling.abort(); // a shuffle that is still running would use the old examples
    orderSaid.textContent = '';
    void ask();
  }

  /** Returns the input of the model: the examples that have a drawing, and the character to classify. */
  function question() {
    const support = slots.flatMap(({ name, pad }) => (pad.pixels ? [{ image: raw(pad.pixels), label: name }] : []));
    return { support, query: query.pixels && raw(query.pixels) };
  }

  async function ask() {
    if (!model) return;
    stale = busy;
    if (busy) return;
    const { support, query: picture } = question();
    if (support.length === 0 || !picture)
      return showNothing(support.length === 0 ? phrase`Draw the first example.` : phrase`Now draw the character to classify.`);
    busy = true;
    transport.show('running');
    try {
      const began = performance.now();
      const answer = await model.classify(picture, { support, maps: true });
      show(
        answer,
        support.map(({ label }) => label),
        performance.now() - began,
      );
      transport.show('done');
    } catch (error) {
      said.textContent = fault(error);
      transport.show('ready');
    } finally {
      busy = false;
    }
    if (stale) await ask();
  }

  /** @param {string} text */
  function showNothing(text) {
    said.textContent = text;
    maps = [];
    for (const { bar, odds, look, item } of slots) {
      bar.style.setProperty('--p', '0%');
      odds.textContent = look.textContent = '';
      item.classList.remove('best');
    }
    ownWeight.textContent = result.textContent = '';
    onAnswer(maps);
    transport.show('done');
    transport.say('');
  }

  /** @param {Answer} answer @param {string[]} labels in the same order as the examples @param {number} ms */
  function show(answer, labels, ms) {
    const { probabilities, label, nats } = answer;
    for (const slot of slots) {
      const p = probabilities.find((one) => one.label === slot.name)?.p;
      slot.bar.style.setProperty('--p', `${Math.round(100 * (p ?? 0))}%`);
      slot.odds.textContent = p === undefined ? phrase`empty` : short(p);
      slot.item.classList.toggle('best', slot.name === label);
    }
    maps = (answer.maps ?? []).map(({ weights }) => Float32Array.from(slots, ({ name }) => weights[labels.indexOf(name)] ?? 0));
    showLooks();
    said.textContent = phrase`The network chooses ${label}, with probability ${percent(probabilities[0].p)}.`;
    result.textContent = `${probabilities.map((one) => `${one.label} ${one.nats}`).join(' ')}; ${maps.map((weights) => [...weights].join(' ')).join('; ')}`;
    transport.say(phrase`${nats.toFixed(3)} nats; ${time(ms)}`);
    onAnswer(maps);
  }

  /** Shows the attention weights of the selected layer. */
  function showLooks() {
    const which = Number(/** @type {HTMLInputElement} */ (document.querySelector('input[name="look"]:checked')).value);
    const weights = maps[which];
    if (!weights) return;
    slots.forEach(({ look, pad }, i) => {
      look.textContent = pad.pixels ? phrase`looked ${short(weights[i])}` : '';
    });
    ownWeight.textContent = phrase`The other ${percent(Math.max(0, 1 - weights.reduce((sum, w) => sum + w, 0)))} went to the query itself.`;
  }
  for (const radio of document.querySelectorAll('input[name="look"]')) radio.addEventListener('change', showLooks);

  byId('mine').addEventListener('click', () => {
    for (const { pad } of slots) pad.set(null);
    query.set(null);
    announce(phrase`All squares are empty.`);
    change();
  });
  byId('shuffle').addEventListener('click', async () => {
    shuffling.abort();
    const { support, query: picture } = question();
    if (!model || support.length < 2 || !picture)
      return void (orderSaid.textContent = phrase`Draw at least two examples and a character to classify.`);
    const labels = new Set();
    /** @type {number[]} */
    const best = [];
    const { signal } = (shuffling = new AbortController());
    /** @type {string} */
    let usual;
    try {
      ({ label: usual } = await model.classify(picture, { support, signal }));
      for (let i = 0; i < ORDERS; i++) {
        const order = support
          .map((example) => ({ example, at: Math.random() }))
          .sort((a, b) => a.at - b.at)
          .map(({ example }) => example);
        const { probabilities, label } = await model.classify(picture, { support: order, signal });
        labels.add(label);
        best.push(probabilities.find((one) => one.label === usual)?.p ?? 0);
      }
    } catch (error) {
      if (!signal.aborted) orderSaid.textContent = `${fault(error)}.`;
      return;
    }
    const answers = labels.size === 1 ? phrase`the answer stays.` : phrase`the answer is ${[...labels].join(phrase` or `)}.`;
    orderSaid.textContent = phrase`In ${ORDERS} other orders of the same examples, the probability of ${usual} ranges from ${percent(Math.min(...best))} to ${percent(Math.max(...best))}, because the convolutions depend on the order; ${answers}`;
  });
  alphabet.append(...ALPHABETS.map((name) => make('option', {}, name)));
  alphabet.addEventListener('change', fill);
  return loading.load();
}
