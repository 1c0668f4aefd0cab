// SPDX-License-Identifier: MIT
// Draws the reading figure. The figure has one line of text per word; each line contains one word more than the line before. The current
// word is red; the words that it attends to are blue. A memory network and, for comparison, a decoder with self-attention read the same
// text.
// @ts-check
import { acquireAll, acquireFirst, acquireWith, announce, byId, make, percent, phrase, time, weights } from '../../shell/index.js';
import { createHeads, createSentence, meanOf, visible } from '../../shell/text/index.js';
import { looksOf } from './looks.js';
/** @import { Reading } from '../../shell/text/sentence.js' */
/** @import { Look } from './looks.js' */

/** Words per second. Slow enough to watch. */
const SPEED = 5;
/** Maximum number of tokens in a text. This number determines the height of the figure. */
const MOST = 40;
const EXAMPLES = [
  'The king had three sons, and the youngest of them was called Simpleton.',
  'The wolf, who was very hungry, ate the little girl.',
  'Once upon a time there was a poor woman who had one daughter.',
];
/** The head that the figure shows first. This head attends to verbs, whereas the mean of all heads is nearly uniform. */
const FIRST_HEAD = { layer: 2, head: 1 };
/** Maximum number of attended words that the note lists. */
const NAMED = 3;

export function createReading() {
  const [said, note] = [byId('text-said'), byId('look-note')];
  const lists = [byId('lines-lstmn'), byId('lines-decoder')];
  /** @type {string[]} */
  let words = [];
  /** The attention of each word, for each model. @type {Look[][]} */
  let looks = [[], []];
  let chosen = -1;
  const heads = createHeads(
    [byId('layer')],
    [byId('head')],
    () => {
      figure.changed();
      lines();
    },
    FIRST_HEAD,
  );

  /** Returns the attention weights of line t for model m, one per word. @param {number} m @param {number} t */
  const row = (m, t) => meanOf(looks[m][t] ?? [], m === 0 ? undefined : heads.choice);

  /** @param {number} m @param {number} t */
  function line(m, t) {
    const weights_ = row(m, t);
    const button = make(
      'button',
      { type: 'button', class: 'line', 'aria-pressed': String(t === chosen) },
      ...words.slice(0, t + 1).map((word, i) => {
        const span = make('span', { class: i === t ? 'now' : 'past' }, word);
        span.style.setProperty('--p', `${Math.round(100 * Math.sqrt(weights_[i] ?? 0))}%`);
        return span;
      }),
    );
    button.addEventListener('click', () => choose(t));
    return make('li', {}, button);
  }
  function lines() {
    lists.forEach((list, m) => {
      const focused = [...list.children].findIndex((item) => item.contains(document.activeElement));
      list.replaceChildren(...looks[m].map((_, t) => line(m, t)));
      if (focused >= 0) list.children[Math.min(focused, list.children.length - 1)]?.querySelector('button')?.focus();
    });
    byId('look-result').textContent = looks
      .map((all, m) => all.map((_, t) => [...row(m, t)].map((w) => w.toFixed(3)).join(' ')).join('\n'))
      .join('\n\n');
    tell();
  }
  /** @param {number} m @param {number} t */
  const named = (m, t) =>
    [...row(m, t)]
      .map((w, i) => ({ w, i }))
      .filter(({ w, i }) => w >= 0.02 && i < t)
      .sort((a, b) => b.w - a.w)
      .slice(0, NAMED)
      .map(({ w, i }) => `“${words[i]}” ${percent(w)}`)
      .join(', ') || phrase`nothing before it`;
  function tell() {
    note.textContent =
      chosen < 0 || chosen >= words.length
        ? phrase`Press a line, or move through them with the Tab key, to see the attention of its last word in numbers.`
        : phrase`“${words[chosen]}” attends to ${named(0, chosen)}; in the decoder, to ${named(1, chosen)}.`;
  }
  /** @param {number} t */
  function choose(t) {
    chosen = chosen === t ? -1 : t;
    for (const list of lists)
      [...list.children].forEach((item, i) => item.firstElementChild?.setAttribute('aria-pressed', String(i === chosen)));
    tell();
    announce(note.textContent ?? '');
  }

  /** @param {Reading} reading */
  async function read({ models, text, slowly, signal, next }) {
    const { tokenizer } = models[0];
    const ids = tokenizer.encode(text.trim()).slice(0, MOST);
    said.textContent =
      ids.length === MOST
        ? phrase`The figure ends after ${MOST} tokens.`
        : ids.length < 2
          ? phrase`Type a sentence, or choose one below.`
          : '';
    words = Array.from(ids, (id) => visible(tokenizer.name(id), '⇥'));
    looks = [[], []];
    chosen = -1;
    lines();
    const began = performance.now();
    const readers = models.map((model) => looksOf(model, ids, signal));
    for (let t = 0; t < ids.length; t++) {
      await next();
      const looked = await Promise.all(readers.map((reader) => reader.next()));
      signal.throwIfAborted();
      looked.forEach(({ value }, m) => {
        looks[m].push(value ?? []);
      });
      if (slowly) lists.forEach((list, m) => list.append(line(m, t)));
    }
    lines();
    const scored = ids.length > 1 ? await Promise.all(models.map((model) => model.score(ids, { signal }))) : [];
    if (scored.length === 0) {
      figure.say('');
    } else {
      const costs = phrase`${ids.length - 1} tokens: the memory-network ${scored[0].nats.toFixed(1)} nats, the decoder ${scored[1].nats.toFixed(1)}`;
      figure.say(slowly ? costs : phrase`${costs}; read in ${time(performance.now() - began)}`);
    }
  }

  const figure = createSentence({
    figure: 'figure-reading',
    field: 'text',
    examples: EXAMPLES,
    lang: 'en',
    speed: SPEED,
    read,
    acquire: (how) =>
      acquireWith(
        acquireWith(acquireFirst(how, phrase`the memory-network`), () => acquireAll([weights('stories.gguf')], how)),
        ([reader, decoder]) => {
          if (decoder.model.info.vocabulary === reader.model.info.vocabulary) return;
          throw new Error(phrase`This model and the decoder next to it use different tokens, so their attention cannot be compared.`);
        },
      ),
    onModels([, { info }]) {
      heads.have(info.blocks, info.heads);
    },
    settings: (text) => ({ text, ...heads.settings() }),
    apply: (given) => heads.apply(given),
  });
  return figure.load();
}
