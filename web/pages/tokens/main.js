// SPDX-License-Identifier: MIT
// The page of tokens: a tale that writes itself, what might have been, where it looked, and how its next token is drawn.
// @ts-check
import {
  Pace, acquireFirst, announce, byId, createLoading, createTransport, integer, onAddress, reducedMotion, startPage, texts, time, whileSeen, wholeIn,
} from '../../shell/index.js';
import { createAside } from './aside.js';
import { createBranches } from './branches.js';
import { createChart } from './chart.js';
import { createOwn, showCard } from './own.js';
import { createPageView } from './page-view.js';
import { createPieces } from './pieces.js';
import { Tale } from './tale.js';
import { createThree } from './three.js';
import { visible } from './token-words.js';
/** @import { Alternative, Model, Phase, SavedTokens, TextPage, TokenStep } from '../../shell/index.js' */
/** @import { Filters } from './filters.js' */

/** Tokens a second: a reader's, and up. */
const SPEEDS = [4, 8, 16, 40, 120, Infinity];
/** The longest tale. */
const MOST = 10_000;
/** The most probable tokens of which the page knows. */
const LOOKED_AT = 256;
/** The other figures wait no longer for the first token. */
const REST_OF_PAGE_MS = 500;
/** Wait for a pointer to rest. */
const REST_MS = 60;

/** @param {TextPage} Sheet what sets texts */
function createTokens(Sheet) {
  /** @type {HTMLInputElement} */
  const prompt = byId('prompt');
  /** @type {Model | null} */
  let model = null;
  /** @type {Tale | null} */
  let tale = null;
  /** What belongs to any run of this model. @type {SavedTokens | null} */
  let template = null;
  /** @type {Phase} */
  let phase = 'empty';
  let stopper = new AbortController();
  let looker = new AbortController();
  const pace = new Pace(SPEEDS[1]);
  /** Times of this run. */
  let clock = { first: 0, ms: 0, tokens: 0 };
  /** Whether the other figures have the model. */
  let shown = true;
  /** The most probable tokens where the chart stands. @type {Alternative[]} */
  let odds = [];

  const view = createPageView(byId('tale'), Sheet, {
    mirror: byId('tale-text'),
    onMark(place, by) { look(place, by); },
    onEnter: () => aside.focus(),
  });
  const aside = createAside({
    onChoose(one) {
      const at = view.marked;
      if (!tale || at < 1) return;
      sight.decide();
      view.release();
      tale.branch(at, one);
      announce(`Another branch: ${visible(one.text)}`);
      showTale();
      write();
    },
    onHead: () => look(view.marked, 'keys'),
  });
  aside.onEscape(() => view.frame.focus());
  const branches = createBranches(byId('branches'), (end) => {
    if (!tale) return;
    sight.decide();
    stopper.abort();
    view.release();
    tale.choose(end);
    showTale();
    enter('done');
  });
  const chart = createChart();
  const three = createThree(Sheet);
  const pieces = createPieces();

  /** @param {Phase} next */
  function enter(next) {
    phase = next;
    transport.show(phase);
    prompt.disabled = phase === 'empty';
    if (phase !== 'running') view.rest();
    if (tale) branches.show(tale);
  }

  /** @returns {Filters} */
  const filters = () => ({ temperature: dial.temperature(), topK: dial.topK(), topP: dial.topP(), minP: dial.minP() });

  /** The path that is told, as a text. */
  function showTale() {
    if (!tale) return;
    const texts = tale.texts();
    const first = texts[0] === '' ? 1 : 0; // the token that begins a text
    view.set(tale.path.map(({ nats, given }, i) => ({ text: texts[i], nats, given })).slice(first), first);
    branches.show(tale);
  }

  /** What a run from here would need. @param {Tale} from @param {number} [length] */
  const saved = (from, length = from.path.length) => ({ .../** @type {SavedTokens} */ (template), ids: from.ids.slice(0, length), prompt: Math.min(from.given, length) });

  /** Goes on with the path that is told. */
  async function write() {
    stopper.abort();
    if (!model || !tale) return;
    stopper = new AbortController();
    const { signal } = stopper;
    const telling = tale;
    enter('running');
    pace.resume(); // its clock starts now
    clock = { first: 0, ms: 0, tokens: 0 };
    try {
      const run = model.resume(saved(telling), { ...filters(), seed: transport.seed, maxTokens: Math.max(0, MOST - telling.path.length), signal });
      const steps = run[Symbol.asyncIterator]();
      for (;;) {
        const asked = performance.now();
        const { done, value } = await steps.next();
        if (done) break;
        measure(performance.now() - asked);
        if (clock.tokens > 1 && !reducedMotion()) await pace.take(1, signal); // the first one at once
        telling.add(value);
        view.add(value);
        if (clock.tokens === 1) {
          performance.mark('first-token');
          setTimeout(showRest);
        }
      }
      enter('done');
      announce(`${run.finish === 'end' ? 'The end.' : 'The tale is as long as it may be.'} ${integer(telling.path.length)} tokens.`);
    } catch (error) {
      if (signal.aborted) return;
      enter('ready');
      loading.failed(error);
    }
  }

  /** @param {number} ms */
  function measure(ms) {
    clock.tokens++;
    if (clock.tokens === 1) clock.first = ms;
    else clock.ms += ms;
    if (clock.tokens % 16 > 1 && clock.tokens > 16) return;
    const rest = clock.tokens - 1;
    transport.say(clock.ms > 0 && rest > 0 ? `First token after ${time(clock.first)}, then ${time(clock.ms / rest)} each: ${integer((1000 * rest) / clock.ms)} a second` :
      `First token after ${time(clock.first)}`);
  }

  /** A new tale. */
  function start() {
    if (!model) return;
    view.release();
    try {
      const run = model.tokens(prompt.value, { maxTokens: 0 });
      template = run.save();
      tale = new Tale(run.ids, vocabulary());
      loading.clear();
    } catch (error) {
      loading.failed(error);
      return;
    }
    showTale();
    look(-1, 'leave');
    write();
  }

  function vocabulary() {
    try {
      return model?.tokenizer;
    } catch {
      return undefined; // a file without one: its tokens have numbers and no texts
    }
  }

  /**
   * What the model thinks at a place of the tale: its odds, and where it looked.
   * @param {number} place in the path; -1: what comes next
   * @param {'pointer' | 'keys' | 'leave'} by
   */
  async function look(place, by) {
    looker.abort();
    looker = new AbortController();
    const { signal } = looker;
    const telling = tale;
    if (!model || !telling) return;
    if (place < 0) aside.clear();
    const at = place < 0 ? telling.path.length : place;
    const here = telling.path[at];
    if (here) {
      const text = telling.texts()[at];
      aside.token(text, here.token, here.nats, here.given);
      if (by === 'keys') announce(`${visible(text)}, ${here.given ? 'given' : `${here.nats.toFixed(1)} nats`}`);
    }
    if (at < 1) {
      aside.alternatives([], -1);
      return;
    }
    try {
      if (by === 'pointer') await new Promise((resolve) => { setTimeout(resolve, REST_MS); });
      signal.throwIfAborted();
      // One token from there, whichever: asked for the odds, and for what each head looked at.
      const run = model.resume(saved(telling, at), { maxTokens: 1, seed: 0, alternatives: Math.min(LOOKED_AT, model.info.vocabulary), maps: place >= 0, signal, logitBias: withoutEnd(model) });
      /** @type {TokenStep | undefined} */
      let step;
      for await (const one of run) step = one;
      if (!step) return;
      odds = step.alternatives ?? [];
      showOdds(telling, at);
      if (place < 0 || !step.maps) return;
      aside.alternatives(odds, here.token);
      const { heads } = model.info;
      aside.heads(step.maps.length / heads, heads);
      view.looks(place, aside.chosen(step.maps, heads));
    } catch (error) {
      if (!signal.aborted) loading.failed(error);
    }
  }

  /** @param {Tale} telling @param {number} at */
  function showOdds(telling, at) {
    if (!model) return;
    chart.show(odds, filters(), model.info.vocabulary);
    const before = telling.textOf(telling.path.slice(Math.max(0, at - 12), at)).trim();
    byId('odds-where').textContent = before ? `… ${before} ___` : '___';
  }

  /** A slider of a filter. @param {string} name @param {(n: number) => number} value @param {(n: number) => string} words */
  function slider(name, value, words) {
    /** @type {HTMLInputElement} */
    const input = byId(name);
    const output = byId(`${name}-text`);
    const show = () => { input.setAttribute('aria-valuetext', output.textContent = words(value(Number(input.value)))); };
    input.addEventListener('input', () => {
      show();
      if (tale && model && odds.length > 0) chart.show(odds, filters(), model.info.vocabulary);
    });
    input.addEventListener('change', () => {
      if (phase !== 'running') return;
      sight.decide();
      write(); // from where it is, by the new rule
    });
    show();
    return () => value(Number(input.value));
  }
  const dial = {
    temperature: slider('temperature', (n) => n / 20, (n) => (n === 0 ? '0: always the first' : n.toFixed(2))),
    topK: slider('top-k', (n) => (n === 0 ? 0 : Math.round(2 ** (9 - n))), (n) => (n === 0 ? 'all tokens' : `the first ${n}`)),
    topP: slider('top-p', (n) => n / 100, (n) => (n === 1 ? 'all tokens' : `${Math.round(100 * n)}% of the odds`)),
    minP: slider('min-p', (n) => n / 200, (n) => (n === 0 ? 'all tokens' : `${(100 * n).toFixed(1)}% of the first one’s`)),
  };

  /** Takes a model. @param {Model} next */
  function use(next) {
    stopper.abort();
    looker.abort();
    model = next;
    tale = null;
    odds = [];
    phase = 'ready';
    enter('ready');
    if (wanted) apply(wanted);
    sight.renew();
    prepare();
    sight.proceed();
    shown = false;
    setTimeout(showRest, REST_OF_PAGE_MS);
  }

  /** What the other figures have of a model, after its first token. */
  function showRest() {
    if (!model || shown) return;
    shown = true;
    showCard(model);
    const words = vocabulary();
    pieces.use(words ?? null);
    three.use(words ? model : null);
    if (tale?.path.length) look(-1, 'leave');
  }

  /** Sets the prompt, before anything is written. */
  function prepare() {
    if (!model || tale) return;
    const run = model.tokens(prompt.value, { maxTokens: 0 });
    template = run.save();
    tale = new Tale(run.ids, vocabulary());
    showTale();
    view.rest();
  }

  const loading = createLoading(byId('load'), {
    acquire: async (how) => [await acquireFirst(how)],
    onModels([loaded]) { use(loaded); },
    onLost() {
      model = null;
      three.use(null);
      enter('empty');
    },
  });
  const transport = createTransport(byId('transport'), {
    name: '', seed: 1, pauses: true, speeds: SPEEDS, speed: 1, unit: 'tokens', pace: true,
    onRun() {
      if (phase === 'running') {
        pace.pause();
        enter('paused');
        look(-1, 'leave');
      } else if (phase === 'paused') {
        pace.resume();
        enter('running');
      } else if (phase === 'ready' && tale) {
        write();
      } else {
        start();
      }
    },
    onAgain: start,
    onSeed: start,
    onSpeed(speed) { pace.speed = speed; },
  });
  const sight = whileSeen(byId('figure-tale'), {
    start() {
      if (phase === 'running' || phase === 'paused') {
        pace.resume();
        enter('running');
        return true;
      }
      if (phase !== 'ready') return false;
      write();
      return true;
    },
    stop() {
      if (phase !== 'running') return false;
      pace.pause();
      return true;
    },
  });
  transport.onPress(sight.decide);
  prompt.addEventListener('change', () => {
    sight.decide();
    start();
  });
  createOwn({ onModel: use });

  /** What the address asks for, until it can be done. @type {URLSearchParams | undefined} */
  let wanted;
  /** @param {URLSearchParams} settings */
  function apply(settings) {
    wanted = undefined;
    transport.seed = wholeIn(settings, 'seed', 0, 1e9 - 1, transport.seed);
    prompt.value = settings.get('prompt') ?? prompt.value;
    tale = null;
  }
  onAddress('figure-tale', (settings) => {
    wanted = settings;
    if (phase === 'empty') return;
    apply(settings);
    start();
  });
  return loading.load();
}

/** A look takes one token, and the end would be none. @param {Model} model @returns {Record<string, number>} */
function withoutEnd(model) {
  try {
    const { end } = model.tokenizer;
    return end === undefined ? {} : { [end]: -Infinity };
  } catch {
    return {};
  }
}

startPage(texts().then(({ Page }) => createTokens(Page)));
