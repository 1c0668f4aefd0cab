// SPDX-License-Identifier: MIT
// The figure of reading: a text, line by line one word more of it; the word that is read in red, those that it looks at in blue. By a memory-network, and
// beside it by the self-attention of a decoder.
// @ts-check
import {
  Playback, acquireAll, acquireFirst, announce, byId, createLoading, createTransport, keepInAddress, make, percent, phrase, reducedMotion, time, weights,
} from '../../shell/index.js';
import { createHeads, meanOf, visible } from '../../shell/text/index.js';
import { looksOf } from './looks.js';
/** @import { Model } from '../../shell/index.js' */
/** @import { Look } from './looks.js' */

/** Words a second, for whoever watches. */
const SPEED = 5;
const REST_MS = 200;
/** Tokens of a text: the figure is as high as there are. */
const MOST = 40;
export const EXAMPLES = [
  'The king had three sons, and the youngest of them was called Simpleton.', 'The wolf, who was very hungry, ate the little girl.',
  'Once upon a time there was a poor woman who had one daughter.',
];
/** The head that is shown first: it looks at verbs, where the mean of all heads is nearly flat. */
const FIRST_HEAD = { layer: 2, head: 1 };
/** Named so often of a word. */
const NAMED = 3;

export function createReading() {
  /** @type {HTMLInputElement} */
  const input = byId('text');
  const [said, note] = [byId('text-said'), byId('look-note')];
  const lists = [byId('lines-lstmn'), byId('lines-decoder')];
  /** The memory-network, and the decoder. @type {Model[]} */
  let models = [];
  /** @type {string[]} */
  let words = [];
  /** Of each model, what each word looked at. @type {Look[][]} */
  let looks = [[], []];
  let chosen = -1;
  const heads = createHeads([byId('layer')], [byId('head')], () => {
    address.changed();
    lines();
  }, FIRST_HEAD);

  const playback = new Playback({
    speed: SPEED,
    onPhase(phase) {
      transport.show(phase);
      input.disabled = phase === 'empty';
    },
    onError: (error) => loading.failed(error),
  });

  /** The weights of a line over the words up to its own. @param {number} m @param {number} t */
  const row = (m, t) => (m === 0 ? looks[0][t]?.[0] : meanOf(looks[1][t] ?? [], models[1]?.info.heads ?? 1, heads.choice)) ?? new Float32Array();

  /** @param {number} m @param {number} t */
  function line(m, t) {
    const weights_ = row(m, t);
    const button = make('button', { type: 'button', class: 'line', 'aria-pressed': String(t === chosen) },
      ...words.slice(0, t + 1).map((word, i) => {
        const span = make('span', { class: i === t ? 'now' : 'past' }, word);
        span.style.setProperty('--p', `${Math.round(100 * Math.sqrt(weights_[i] ?? 0))}%`);
        return span;
      }));
    button.addEventListener('click', () => choose(t));
    return make('li', {}, button);
  }
  function lines() {
    lists.forEach((list, m) => {
      const focused = [...list.children].findIndex((item) => item.contains(document.activeElement));
      list.replaceChildren(...looks[m].map((_, t) => line(m, t)));
      if (focused >= 0) list.children[Math.min(focused, list.children.length - 1)]?.querySelector('button')?.focus();
    });
    byId('look-result').textContent = looks.map((all, m) => all.map((_, t) => [...row(m, t)].map((w) => w.toFixed(3)).join(' ')).join('\n')).join('\n\n');
    tell();
  }
  /** @param {number} m @param {number} t */
  const named = (m, t) => [...row(m, t)].map((w, i) => ({ w, i })).filter(({ w, i }) => w >= 0.02 && i < t).sort((a, b) => b.w - a.w).slice(0, NAMED)
    .map(({ w, i }) => `“${words[i]}” ${percent(w)}`).join(', ') || phrase`nothing before it`;
  function tell() {
    note.textContent = chosen < 0 || chosen >= words.length ? phrase`Press a line, or walk through them with the Tab key: where the red word looks, in numbers.` :
      phrase`“${words[chosen]}” looks at ${named(0, chosen)}; in the decoder at ${named(1, chosen)}.`;
  }
  /** @param {number} t */
  function choose(t) {
    chosen = chosen === t ? -1 : t;
    for (const list of lists) [...list.children].forEach((item, i) => item.firstElementChild?.setAttribute('aria-pressed', String(i === chosen)));
    tell();
    announce(note.textContent ?? '');
  }

  /** @param {boolean} slowly for whoever watches */
  async function start(slowly) {
    if (models.length === 0) return;
    await playback.run(async (signal) => {
      const { tokenizer } = models[0];
      const ids = tokenizer.encode(input.value.trim()).slice(0, MOST);
      said.textContent = ids.length === MOST ? phrase`The figure ends after ${MOST} tokens.` : ids.length < 2 ? phrase`Type a sentence, or take one from below.` : '';
      words = Array.from(ids, (id) => visible(tokenizer.name(id), '⇥'));
      looks = [[], []];
      chosen = -1;
      lines();
      loading.clear();
      const began = performance.now();
      const readers = models.map((model) => looksOf(model, ids, signal));
      for (let t = 0; t < ids.length; t++) {
        if (slowly && !reducedMotion()) await playback.take(1, signal);
        const next = await Promise.all(readers.map((reader) => reader.next()));
        signal.throwIfAborted();
        next.forEach(({ value }, m) => { looks[m].push(value ?? []); });
        if (slowly) lists.forEach((list, m) => list.append(line(m, t)));
      }
      lines();
      const scored = ids.length > 1 ? await Promise.all(models.map((model) => model.score(ids, { signal }))) : [];
      if (scored.length === 0) {
        transport.say('');
      } else {
        const costs = phrase`${ids.length - 1} tokens: the memory-network ${scored[0].nats.toFixed(1)} nats, the decoder ${scored[1].nats.toFixed(1)}`;
        transport.say(slowly ? costs : phrase`${costs}; read in ${time(performance.now() - began)}`);
      }
      return 'done';
    });
  }

  const loading = createLoading(byId('load'), {
    acquire: async (how) => {
      const first = await acquireFirst(how, phrase`the memory-network`);
      try {
        const [decoder] = await acquireAll([weights('stories.gguf')], how);
        if (decoder.model.info.vocabulary === first.model.info.vocabulary) return [first, decoder];
        decoder.release();
        throw new Error(phrase`It does not read the same tokens as the decoder beside it, so that their looks cannot be compared.`);
      } catch (error) {
        first.release();
        throw error;
      }
    },
    onModels(loaded) {
      models = loaded;
      heads.have(loaded[1].info.blocks, loaded[1].info.heads);
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
  const sight = playback.watch(byId('figure-reading'), () => start(true));
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
    const button = make('button', { type: 'button', class: 'textual example', lang: 'en' }, text);
    button.addEventListener('click', () => {
      sight.decide();
      input.value = text;
      address.changed();
      start(true);
    });
    return make('li', {}, button);
  }));
  input.value = EXAMPLES[0];
  const address = keepInAddress('figure-reading', {
    settings: () => ({ text: input.value, ...heads.settings() }),
    apply(given) {
      input.value = given.get('text') ?? input.value;
      if (models.length === 0) return false;
      heads.apply(given);
      sight.decide();
      start(true);
      return true;
    },
  });
  return loading.load();
}
