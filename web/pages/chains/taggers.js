// SPDX-License-Identifier: MIT
// Draws the figure of the three taggers. The figure shows a sentence, the tags that each tagger gives to the words, and the effect of
// pinning a tag.
// @ts-check
import {
  acquireAll,
  acquireFirst,
  acquireWith,
  announce,
  byId,
  createLoading,
  createTransport,
  fault,
  make,
  percent,
  phrase,
  time,
  weights,
} from '../../shell/index.js';
import { createTyping } from '../../shell/text/typing.js';
import { EXAMPLES } from './examples.js';

/** @import { Model } from '../../shell/index.js' */
/** @typedef {Awaited<ReturnType<Model['tag']>>} Tagging */

/** The taggers, in the order of their rows. */
const NAMES = ['HMM', 'MEMM', 'CRF'];
/** Explanations of the tags for beginners. @type {Record<string, string>} */
const WORDS = {
  ADJ: 'adjective',
  ADP: 'preposition',
  ADV: 'adverb',
  AUX: 'auxiliary',
  CCONJ: 'and, or, but',
  DET: 'article or similar word',
  INTJ: 'interjection',
  NOUN: 'noun',
  NUM: 'number',
  PART: 'particle: to, not, ’s',
  PRON: 'pronoun',
  PROPN: 'name',
  PUNCT: 'punctuation',
  SCONJ: 'that, if, because',
  SYM: 'symbol',
  VERB: 'verb',
  X: 'other',
};

export function createTaggers() {
  /** @type {HTMLInputElement} */
  const input = byId('sentence');
  /** @type {HTMLSelectElement} */
  const pin = byId('pin');
  const [row, said, panel, odds, suggestion] = [byId('words'), byId('said'), byId('word-panel'), byId('odds'), byId('suggestion')];
  /** @type {Model[]} */
  let models = [];
  /** Pinned tags, by the index of the word. @type {Record<number, string>} */
  let pinned = {};
  let chosen = -1;
  /** @type {Tagging[]} */
  let shown = [];
  /** The taggings of the same sentence without pins. @type {Tagging[]} */
  let free = [];
  /** @type {AbortController | undefined} */
  let stopper;

  const transport = createTransport(byId('transport'), { name: '', onRun: () => tag(), verb: phrase`Tag`, pace: true });
  const loading = createLoading(byId('load'), {
    // First loads the model that the page's <head> preloads, and then the other models.
    acquire: (options) =>
      acquireWith(acquireFirst(options, NAMES[2]), async ([{ model }]) => {
        const { names } = await model.tag('');
        if (names.join() !== namesOf().join())
          throw new Error(phrase`Its tags differ from those of the other models: ${names.join(', ')}.`);
        return acquireAll([weights('hmm-en.gguf'), weights('memm-en.gguf')], options);
      }),
    onModels([crf, ...others]) {
      models = [...others, crf];
      input.disabled = false;
      transport.show('ready');
      pin.replaceChildren(
        make('option', { value: '' }, phrase`free`),
        ...namesOf().map((name) => make('option', { value: name }, `${name}, ${phrase(WORDS[name] ?? '')}`)),
      );
      tag();
    },
    onLost() {
      models = [];
      input.disabled = true;
      transport.show('empty');
    },
  });
  const namesOf = () => Object.keys(WORDS);
  const isPinned = () => Object.keys(pinned).length > 0;

  async function tag() {
    stopper?.abort();
    if (models.length === 0) return;
    const { signal } = (stopper = new AbortController());
    transport.show('running');
    const began = performance.now();
    try {
      const text = input.value;
      const taggings = await Promise.all(models.map((model) => model.tag(text, { marginals: true, pinned, signal })));
      const ms = performance.now() - began;
      const before = isPinned() ? await Promise.all(models.map((model) => model.tag(text, { marginals: true, signal }))) : taggings;
      if (signal.aborted) return;
      shown = taggings;
      free = before;
      show(ms);
      transport.show('done');
    } catch (error) {
      if (signal.aborted) return;
      transport.show('ready');
      said.textContent = fault(error);
    }
  }

  /** @param {number} ms */
  function show(ms) {
    const { words, names } = shown[2];
    if (chosen >= words.length) chosen = -1;
    while (row.children.length > words.length) row.lastElementChild?.remove();
    words.forEach((word, t) => {
      const place = /** @type {HTMLElement | undefined} */ (row.children[t]) ?? row.appendChild(newWord(t));
      const tags = shown.map(({ tags: all }) => all[t]);
      const button = /** @type {HTMLButtonElement} */ (place.firstElementChild);
      button.setAttribute('aria-pressed', String(t === chosen));
      place.classList.toggle('pinned', t in pinned);
      place.classList.toggle('torn', new Set(tags).size > 1);
      const [name, ...cells] = /** @type {HTMLElement[]} */ ([...button.children]);
      name.textContent = word;
      name.classList.toggle('unseen', !shown[2].seen[t]);
      cells.forEach((cell, m) => {
        const p = probability(shown[m], t, names.indexOf(tags[m]));
        const was = free[m].tags[t];
        cell.replaceChildren(...(was === tags[m] ? [] : [make('s', {}, was), ' ']), tags[m]);
        cell.style.setProperty('--p', `${Math.round(100 * p)}%`);
        cell.title = `${NAMES[m]}: ${percent(p)}`;
      });
      button.setAttribute(
        'aria-description',
        `${tags.map((one, m) => `${NAMES[m]} ${one}, ${percent(probability(shown[m], t, names.indexOf(one)))}`).join('; ')}${t in pinned ? phrase`; pinned` : ''}`,
      );
    });
    const torn = words.filter((_, t) => new Set(shown.map(({ tags }) => tags[t])).size > 1);
    said.textContent =
      words.length === 0
        ? phrase`Type a sentence.`
        : isPinned()
          ? `${pinsInWords()} ${movesInWords()}`
          : torn.length > 0
            ? phrase`The three disagree on ${torn.map((word) => `“${word}”`).join(', ')}.`
            : phrase`All three agree.`;
    // Writes the tags and all values as text, so that tests can check that all engines agree to the last bit.
    byId('result').textContent = shown
      .map(
        ({ words: all, tags, nats, marginals }, m) =>
          `${NAMES[m]}: ${all.map((word, t) => `${word}/${tags[t]}`).join(' ')}; ${nats} nats; ${[...(marginals ?? [])].filter((p) => p > 0.01).join(' ')}`,
      )
      .join('\n');
    transport.say(
      words.length === 0
        ? ''
        : phrase`The best tags cost ${shown.map(({ nats }, m) => `${NAMES[m]} ${nats.toFixed(2)}`).join(', ')} nats; ${time(ms)} for all three models`,
    );
    showSuggestion();
    showWord();
  }

  const pinsInWords = () =>
    phrase`With ${Object.entries(pinned)
      .map(([t, tag]) => phrase`“${shown[2].words[Number(t)]}” as ${tag}`)
      .reduce((all, one) => phrase`${all} and ${one}`)}:`;

  /** For each model, describes in words how the pins have changed the tags of other words. */
  function movesInWords() {
    const moves = shown[2].words.flatMap((word, t) => {
      const by = NAMES.flatMap((name, m) =>
        t in pinned || free[m].tags[t] === shown[m].tags[t] ? [] : [`${name} ${free[m].tags[t]} → ${shown[m].tags[t]}`],
      );
      return by.length > 0 ? [phrase`“${word}” follows (${by.join(', ')})`] : [];
    });
    return moves.length > 0 ? `${moves.join('; ')}.` : phrase`no other word changes its tag, but the probabilities of the others change.`;
  }

  /** Shows the button that sets or removes the pin of an example. */
  function showSuggestion() {
    const example = EXAMPLES.find(({ text }) => text === input.value);
    suggestion.hidden = !example;
    if (!example) return;
    const word = `“${shown[2].words[example.word]}”`;
    suggestion.textContent = isPinned() ? phrase`Unpin` : phrase`Pin ${word} as ${phrase(WORDS[example.tag])}`;
    suggestion.onclick = () => {
      pinned = isPinned() ? {} : { [example.word]: example.tag };
      chosen = isPinned() ? example.word : -1;
      announce(isPinned() ? phrase`Pinned: ${example.tag}` : phrase`Free`);
      tag();
    };
  }

  /** @param {number} t */
  function newWord(t) {
    const button = make(
      'button',
      { type: 'button', 'aria-pressed': 'false' },
      make('span', { class: 'word-text' }),
      ...NAMES.map(() => make('span', { class: 'word-tag' })),
    );
    button.addEventListener('click', () => {
      chosen = chosen === t ? -1 : t;
      for (const [i, one] of [...row.children].entries()) one.firstElementChild?.setAttribute('aria-pressed', String(i === chosen));
      showWord();
      if (chosen >= 0) pin.focus({ preventScroll: true });
    });
    return make('li', { class: 'word' }, button);
  }

  /** Shows the probabilities of the chosen word's tags in each model, with and without the pins. */
  function showWord() {
    panel.hidden = chosen < 0;
    if (chosen < 0) return;
    const { words, names } = shown[2];
    byId('word-name').textContent = `“${words[chosen]}”`;
    pin.value = pinned[chosen] ?? '';
    const rows = names
      .map((name, c) => ({ name, p: shown.map((one) => probability(one, chosen, c)), was: free.map((one) => probability(one, chosen, c)) }))
      .filter(({ p, was }) => Math.max(...p, ...was) >= 0.005);
    rows.sort((a, b) => b.p[2] - a.p[2]);
    odds.replaceChildren(
      ...rows.map(({ name, p, was }) =>
        make(
          'tr',
          {},
          make('th', { scope: 'row' }, name),
          ...p.map((one, m) => {
            const cell = make('td', {}, isPinned() ? `${percent(was[m])} → ${percent(one)}` : percent(one));
            cell.style.setProperty('--p', `${Math.round(100 * one)}%`);
            return cell;
          }),
        ),
      ),
    );
  }

  pin.addEventListener('change', () => {
    if (pin.value) pinned[chosen] = pin.value;
    else delete pinned[chosen];
    announce(pin.value ? phrase`Pinned: ${pin.value}` : phrase`Free`);
    tag();
  });
  byId('unpin').addEventListener('click', () => {
    pinned = {};
    tag();
  });
  createTyping(input, {
    examples: 'examples',
    texts: EXAMPLES.map(({ text }) => text),
    lang: 'en',
    onRest: tag,
    onType() {
      pinned = {};
      chosen = -1;
    },
  });
  return loading.load();
}

/** @param {Tagging} tagging @param {number} t @param {number} c */
const probability = ({ marginals, names }, t, c) => marginals?.[t * names.length + c] ?? 0;
