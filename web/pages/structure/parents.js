// SPDX-License-Identifier: MIT
// Draws the figure that shows the head of each word in a sentence, and the effect of pinning a head.
// @ts-check
import {
  acquireFirst,
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
} from '../../shell/index.js';
import { createTyping } from '../../shell/text/typing.js';
import { EXAMPLES } from './examples.js';
import { createMatrix } from './matrix.js';
import { createTreeView } from './tree-view.js';

/** @import { Model } from '../../shell/index.js' */
/** @import { Parse } from './tree-view.js' */

export function createParents() {
  /** @type {HTMLInputElement} */
  const input = byId('sentence');
  const [said, suggestion, unpin] = [byId('said'), byId('suggestion'), byId('unpin')];
  /** @type {HTMLSelectElement} */
  const pin = byId('pin');
  /** @type {Model | undefined} */
  let model;
  /** Pinned heads, by the index of the dependent. @type {Record<number, number>} */
  let pinned = {};
  let chosen = 0;
  /** @type {{ parse: Parse, free: Parse } | undefined} */
  let shown;
  /** @type {AbortController | undefined} */
  let stopper;
  const view = createTreeView(byId('tree'), choose);
  const matrix = createMatrix();
  const transport = createTransport(byId('transport'), { name: '', onRun: () => parse(), verb: phrase`Parse`, pace: true });
  const loading = createLoading(byId('load'), {
    acquire: async (options) => [await acquireFirst(options)],
    onModels([loaded]) {
      model = loaded;
      input.disabled = false;
      transport.show('ready');
      void parse();
    },
    onLost() {
      model = undefined;
      input.disabled = true;
      transport.show('empty');
    },
  });
  const isPinned = () => Object.keys(pinned).length > 0;

  async function parse() {
    stopper?.abort();
    if (!model) return;
    const { signal } = (stopper = new AbortController());
    transport.show('running');
    const began = performance.now();
    try {
      const now = await model.parse(input.value, { marginals: true, pinned, signal });
      const ms = performance.now() - began;
      const free = isPinned() ? await model.parse(input.value, { marginals: true, signal }) : now;
      if (signal.aborted) return;
      shown = { parse: now, free };
      show();
      transport.show('done');
      transport.say(phrase`${now.words.length} words in ${time(ms)}; the drawn tree costs ${now.nats.toFixed(2)} nats`);
    } catch (error) {
      if (signal.aborted) return;
      transport.show('ready');
      said.textContent = isBlank(input.value) ? phrase`Type a sentence.` : fault(error);
    }
  }

  function show() {
    if (!shown) return;
    const { parse: now, free } = shown;
    if (chosen > now.words.length) chosen = 0;
    view.show({ parse: now, free, pinned, chosen });
    matrix.show(now);
    said.textContent = chosen
      ? phrase`Choose the head of “${now.words[chosen - 1]}”.`
      : isPinned()
        ? `${pinsInWords(now)} ${movesInWords(now, free)}`
        : unsureInWords(now);
    unpin.hidden = !isPinned();
    byId('root-pin').hidden = chosen === 0;
    // Writes the parse as text, so that tests can check that all engines agree to the last bit.
    byId('result').textContent =
      `${now.words.map((word, m) => `${word}/${now.heads[m]}`).join(' ')}; ${now.nats} nats; ${[...(now.marginals ?? [])].filter((p) => p > 0.01).join(' ')}`;
    showSuggestion(now);
    showPanel(now);
  }

  /** @param {Parse} now */
  function showPanel({ words }) {
    byId('word-panel').hidden = chosen === 0;
    if (chosen === 0) return;
    byId('word-name').textContent = `“${words[chosen - 1]}”`;
    pin.replaceChildren(
      make('option', { value: '' }, phrase`free`),
      make('option', { value: '0' }, phrase`the root`),
      ...words.flatMap((word, m) => (m + 1 === chosen ? [] : [make('option', { value: String(m + 1) }, `${m + 1} ${word}`)])),
    );
    pin.value = chosen in pinned ? String(pinned[chosen]) : '';
  }

  /** @param {Parse} now */
  function pinsInWords({ words }) {
    const pins = Object.entries(pinned).map(([child, head]) => phrase`“${words[Number(child) - 1]}” under ${name(words, head)}`);
    return phrase`With ${pins.reduce((all, one) => phrase`${all} and ${one}`)}:`;
  }

  /** Returns a sentence that lists the words whose head the pins have changed. @param {Parse} now @param {Parse} free */
  function movesInWords({ words, heads }, free) {
    const moves = words.flatMap((word, m) =>
      m + 1 in pinned || free.heads[m] === heads[m]
        ? []
        : [phrase`“${word}” follows (${name(words, free.heads[m])} → ${name(words, heads[m])})`],
    );
    return moves.length > 0 ? `${moves.join('; ')}.` : phrase`no other word changes its head, but the probabilities of the others change.`;
  }

  /** Returns a sentence about the word with the least certain head. @param {Parse} now */
  function unsureInWords({ words, heads, marginals = new Float32Array() }) {
    const row = words.length + 1;
    const sure = heads.map((head, m) => marginals[m * row + head]);
    const m = sure.indexOf(Math.min(...sure));
    const second = [...marginals.subarray(m * row, (m + 1) * row)]
      .map((p, head) => ({ p, head }))
      .filter(({ head }) => head !== heads[m])
      .sort((a, b) => b.p - a.p)[0];
    const [first, p] = [name(words, heads[m]), percent(sure[m])];
    return second
      ? phrase`Least certain: the head of “${words[m]}” is ${first} with ${p}, ${name(words, second.head)} with ${percent(second.p)}.`
      : phrase`Least certain: the head of “${words[m]}” is ${first} with ${p}.`;
  }

  /** Shows the button that sets the pin of an example. @param {Parse} now */
  function showSuggestion({ words }) {
    const example = EXAMPLES.find(({ text }) => text === input.value);
    suggestion.hidden = !example || isPinned();
    if (!example) return;
    suggestion.textContent = phrase`Attach “${words[example.child - 1]}” to ${name(words, example.head)}`;
    suggestion.onclick = () => setPins({ [example.child]: example.head });
  }

  /** @param {Record<number, number>} pins */
  function setPins(pins) {
    pinned = pins;
    chosen = 0;
    announce(isPinned() ? phrase`Pinned` : phrase`Free`);
    void parse();
  }

  /** Handles the choice of a word. The first choice is the dependent, and the second choice is its head. @param {number} word */
  function choose(word) {
    if (chosen === 0) {
      chosen = word;
      show();
    } else if (chosen === word) {
      chosen = 0;
      show();
    } else pinTo(word);
  }

  /** @param {number} head */
  function pinTo(head) {
    setPins({ ...pinned, [chosen]: head });
  }

  byId('root-pin').addEventListener('click', () => pinTo(0));
  pin.addEventListener('change', () => {
    const { [chosen]: _, ...others } = pinned;
    if (pin.value) pinTo(Number(pin.value));
    else setPins(others);
  });
  unpin.addEventListener('click', () => setPins({}));
  createTyping(input, {
    examples: 'examples',
    texts: EXAMPLES.map(({ text }) => text),
    lang: 'en',
    onRest: parse,
    onType() {
      pinned = {};
      chosen = 0;
    },
  });
  return loading.load();
}

/** @param {string[]} words @param {number} word */
const name = (words, word) => (word ? `“${words[word - 1]}”` : phrase`the root`);
