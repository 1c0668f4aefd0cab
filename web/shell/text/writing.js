// SPDX-License-Identifier: MIT
// Builds a figure in which a model writes a text. The figure shows the surprisal of every token, the alternatives and the attention of the
// selected token, and the branches of the story.
// @ts-check
import {
  Playback,
  announce,
  byId,
  createLoading,
  createTake,
  createTransport,
  integer,
  keepInAddress,
  phrase,
  time,
  wholeIn,
} from '../index.js';
import { createAside } from './aside.js';
import { createBranches } from './branches.js';
import { createPageView } from './page-view.js';
import { shotOf } from './shot.js';
import { Tale } from './tale.js';
import { visible } from './words.js';
/** @import { Alternative, Hold, LoadOptions, Model, SavedText, Settings, TextSheet, TextOptions, TextStep, Tokenizer } from '../index.js' */

/** Speeds that the visitor can select, in tokens per second. The lowest speed is a reading speed. */
const SPEEDS = [4, 8, 16, 40, 120, Infinity];
/** Maximum number of tokens in a story. */
const MOST = 10_000;
/** How many of the most probable tokens the page requests at each position. */
const LOOKED_AT = 256;
/** The rest of the page waits for the first token, but at most this many milliseconds. */
const REST_OF_PAGE_MS = 500;
/** The pointer counts as resting after this many milliseconds without movement. */
const REST_MS = 60;

/**
 * Builds the figure #figure-tale (writing.html).
 *
 * @param {TextSheet} Sheet library class that draws texts
 * @param {Object} options
 * @param {(options: LoadOptions) => Promise<Hold>} options.acquire acquires the model
 * @param {string} options.name name of the model, used in the address
 * @param {() => TextOptions} [options.sampling] returns the sampling options for the next token, except the seed
 * @param {{ settings: () => Settings, apply: (given: URLSearchParams) => void }} [options.address] additional settings for the address
 * @param {(odds: Alternative[], before: string, model: Model) => void} [options.onOdds] receives the most probable tokens at a position,
 *   and the text before this position
 * @param {(model: Model, vocabulary: Tokenizer | undefined) => void} [options.onFirst] called when the rest of the page may use the model:
 *   after the model's first token, or earlier if this token takes too long
 * @param {() => void} [options.onLost] called after the model was closed
 */
export function createWriting(
  Sheet,
  {
    acquire,
    name,
    sampling = () => ({}),
    address: further = { settings: () => ({}), apply: () => {} },
    onOdds = () => {},
    onFirst = () => {},
    onLost = () => {},
  },
) {
  /** @type {HTMLInputElement} */
  const prompt = byId('prompt');
  /** If this checkbox of a chat model is checked, the prompt is sent as a message and the output is the reply. @type {HTMLInputElement} */
  const asTalk = byId('as-talk');
  /** @type {Model | null} */
  let model = null;
  /** Whether the model is the page's own model. */
  let ours = true;
  /** @type {Tale | null} */
  let tale = null;
  /** A saved run of this model, used as a template for new runs. @type {SavedText | null} */
  let template = null;
  let asker = new AbortController();
  /** Timing of the current run. */
  let clock = { first: 0, ms: 0, tokens: 0 };
  /** Whether the rest of the page has received the model. */
  let shown = true;

  const playback = new Playback({
    speed: SPEEDS[1],
    onPhase(phase) {
      transport.show(phase);
      prompt.disabled = phase === 'empty';
      if (phase !== 'running') view.rest();
      if (tale) branches.show(tale);
    },
    onError: (error) => loading.failed(error),
  });
  const view = createPageView(byId('tale'), Sheet, {
    mirror: byId('tale-text'),
    onMark: explain,
    onEnter: () => aside.focus(),
  });
  const aside = createAside({
    onChoose(one) {
      const at = view.marked;
      if (!tale || at < 1) return;
      sight.decide();
      view.release();
      tale.branch(at, one);
      announce(phrase`Another branch: ${visible(one.text)}`);
      showTale();
      write();
    },
    onHead: () => explain(view.marked, 'keys'),
  });
  aside.onEscape(() => view.frame.focus());
  const branches = createBranches(byId('branches'), (end) => {
    if (!tale) return;
    sight.decide();
    playback.abort();
    view.release();
    tale.choose(end);
    showTale();
    view.rest();
    playback.enter('done');
  });

  /** Shows the current path as text. */
  function showTale() {
    if (!tale) return;
    const texts = tale.texts();
    const first = texts[0] === '' ? 1 : 0; // skips the token that starts a text
    view.set(tale.path.map(({ nats, given }, i) => ({ text: texts[i], nats, given })).slice(first), first);
    branches.show(tale);
  }

  /** Returns a saved run that continues from a position of the story. @param {Tale} from @param {number} [length] */
  const saved = (from, length = from.path.length) => ({
    .../** @type {SavedText} */ (template),
    ids: from.ids.slice(0, length),
    prompt: Math.min(from.given, length),
  });

  /** Continues the current path. */
  async function write() {
    const [writer, telling] = [model, tale];
    if (!writer || !telling) return;
    await playback.run(async (signal) => {
      clock = { first: 0, ms: 0, tokens: 0 };
      const run = writer.resume(saved(telling), {
        ...sampling(),
        seed: transport.seed,
        maxTokens: Math.max(0, MOST - telling.path.length),
        signal,
      });
      const steps = run[Symbol.asyncIterator]();
      for (;;) {
        const asked = performance.now();
        const { done, value } = await steps.next();
        signal.throwIfAborted();
        if (done) break;
        measure(performance.now() - asked);
        if (clock.tokens > 1) await playback.take(1, signal); // limits the speed, except for the first token
        telling.add(value);
        view.add(value);
        if (clock.tokens === 1) {
          performance.mark('first-token');
          setTimeout(showRest);
        }
      }
      announce(
        run.finish === 'end'
          ? phrase`The story has ended. ${integer(telling.path.length)} tokens.`
          : phrase`The story has reached its length limit. ${integer(telling.path.length)} tokens.`,
      );
    });
  }

  /** @param {number} ms */
  function measure(ms) {
    clock.tokens++;
    if (clock.tokens === 1) clock.first = ms;
    else clock.ms += ms;
    if (clock.tokens % 16 > 1 && clock.tokens > 16) return;
    const rest = clock.tokens - 1;
    transport.say(
      clock.ms > 0 && rest > 0
        ? phrase`First token after ${time(clock.first)}, then ${time(clock.ms / rest)} each: ${integer((1000 * rest) / clock.ms)} per second`
        : phrase`First token after ${time(clock.first)}`,
    );
  }

  /** Reads the prompt, and begins the story with the prompt. */
  async function prepare() {
    const writer = model;
    if (!writer) return;
    const run =
      asTalk.checked && writer.info.chatTemplate
        ? writer.chat([{ role: 'user', content: prompt.value }], { maxTokens: 0 })
        : writer.generate(prompt.value, { maxTokens: 0 });
    const ids = await run.input;
    if (model !== writer) return;
    template = run.save();
    tale = new Tale(ids, vocabulary());
    showTale();
  }

  /** Starts a new story. */
  async function start() {
    if (!model) return;
    view.release();
    try {
      await prepare();
      loading.clear();
    } catch (error) {
      loading.failed(error);
      return;
    }
    explain(-1, 'leave');
    write();
  }

  function vocabulary() {
    try {
      return model?.tokenizer;
    } catch {
      return undefined; // the file has no vocabulary, so its tokens have ids but no texts
    }
  }

  /**
   * Shows the distribution at a position of the story: the probabilities and the attention.
   * @param {number} place index in the path; -1 for the next token
   * @param {'pointer' | 'keys' | 'leave'} by
   */
  async function explain(place, by) {
    asker.abort();
    asker = new AbortController();
    const { signal } = asker;
    const telling = tale;
    if (!model || !telling) return;
    if (place < 0) aside.clear();
    const at = place < 0 ? telling.path.length : place;
    const here = telling.path[at];
    if (here) {
      const text = telling.texts()[at];
      aside.token(text, here.token, here.nats, here.given);
      if (by === 'keys') announce(`${visible(text)}, ${here.given ? phrase`given` : phrase`${here.nats.toFixed(1)} nats`}`);
    }
    if (at < 1) {
      aside.alternatives([], -1);
      return;
    }
    try {
      if (by === 'pointer')
        await new Promise((resolve) => {
          setTimeout(resolve, REST_MS);
        });
      signal.throwIfAborted();
      // Generates one token at this position, only to get the probabilities and the attention of each head.
      const run = model.resume(saved(telling, at), {
        maxTokens: 1,
        seed: 0,
        alternatives: Math.min(LOOKED_AT, model.info.vocabulary),
        maps: place >= 0,
        signal,
        logitBias: withoutEnd(model),
      });
      /** @type {TextStep | undefined} */
      let step;
      for await (const one of run) step = one;
      if (!step) return;
      const odds = step.alternatives ?? [];
      onOdds(odds, telling.textOf(telling.path.slice(Math.max(0, at - 12), at)).trim(), model);
      if (place < 0 || !step.maps) return;
      aside.alternatives(odds, here.token);
      const { heads } = model.info;
      aside.heads(step.maps.length / heads, heads);
      view.showMap(place, aside.chosen(step.maps));
    } catch (error) {
      if (!signal.aborted) loading.failed(error);
    }
  }

  /** Switches to a model. @param {Model} next @param {boolean} [own] whether this is the visitor's model */
  async function use(next, own = false) {
    playback.abort();
    asker.abort();
    model = next;
    ours = !own;
    tale = null;
    /** @type {HTMLElement} */ (asTalk.parentElement).hidden = !next.info.chatTemplate;
    playback.enter('ready');
    address.proceed();
    sight.renew();
    shown = false;
    setTimeout(showRest, REST_OF_PAGE_MS);
    try {
      if (!tale) await prepare();
    } catch (error) {
      loading.failed(error);
    }
    if (model !== next) return;
    view.rest();
    sight.proceed();
  }

  /** Passes the model to the rest of the page once the model has generated its first token. */
  function showRest() {
    if (!model || shown) return;
    shown = true;
    onFirst(model, vocabulary());
    if (tale?.path.length) explain(-1, 'leave');
  }

  const loading = createLoading(byId('load'), {
    acquire: async (how) => [await acquire(how)],
    onModels([loaded]) {
      use(loaded);
    },
    onLost() {
      model = null;
      onLost();
      playback.enter('empty');
    },
  });
  const transport = createTransport(byId('transport'), {
    name: '',
    seed: 1,
    pauses: true,
    speeds: SPEEDS,
    speed: 1,
    unit: phrase`tokens`,
    pace: true,
    onRun() {
      const { phase } = playback;
      if (phase === 'running') {
        playback.pause();
        explain(-1, 'leave');
      } else if (phase === 'paused') {
        playback.resume();
      } else if (phase === 'ready' && tale) {
        write();
      } else {
        start();
      }
    },
    onAgain: start,
    onSeed: changed,
    onSpeed(speed) {
      playback.speed = speed;
    },
  });
  const sight = playback.watch(byId('figure-tale'), write);
  transport.onPress(sight.decide);
  prompt.addEventListener('change', changed);
  asTalk.addEventListener('change', changed);

  /** Records that the visitor has changed the settings of the story. */
  function changed() {
    sight.decide();
    address.changed();
    start();
  }

  const settings = () => (ours ? { model: name, seed: transport.seed, prompt: prompt.value, ...further.settings() } : null);
  const address = keepInAddress('figure-tale', {
    settings,
    apply(given) {
      if (!model) return false;
      transport.seed = wholeIn(given, 'seed', 0, 1e9 - 1, transport.seed);
      prompt.value = given.get('prompt') ?? prompt.value;
      further.apply(given);
      if (tale) start();
      return true;
    },
  });
  createTake(byId('take'), {
    id: 'figure-tale',
    films: false,
    shots: () => (tale ? shotOf(view.canvas, phrase`The story`, `tale-seed-${transport.seed}`) : []),
    settings,
  });

  return {
    load: loading.load,
    use,
    /** Continues the story with changed sampling settings. */
    resample() {
      address.changed();
      if (playback.phase !== 'running') return;
      sight.decide();
      write(); // continues from the end of the path with the new settings
    },
  };
}

/**
 * Returns a logit bias that excludes the end token. To get the distribution at a position, the model must generate one token there, and
 * that token must not be the end token.
 * @param {Model} model
 * @returns {Record<string, number>}
 */
function withoutEnd(model) {
  try {
    const { end } = model.tokenizer;
    return end === undefined ? {} : { [end]: -Infinity };
  } catch {
    return {};
  }
}
