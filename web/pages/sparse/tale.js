// SPDX-License-Identifier: MIT
// A tale byte by byte, each shaded by how far back the far heads looked when it was written.
// @ts-check
import { Playback, acquire, announce, byId, createLoading, createTransport, integer, make, onTheme, palette, percent, phrase, reducedMotion, whenNear } from '../../shell/index.js';
/** @import { Model } from '../../shell/library.js' */
/** @import { TokenLook } from '../../shell/index.js' */

const COUNT = 420;
const SPEED = 60;
/** Bytes back at which the ramp ends. */
const FARTHEST = 1024;

/**
 * @typedef {Object} Written a byte
 * @property {string} text
 * @property {number} near bytes back that the near heads looked, on average
 * @property {number} far the same of the far heads
 * @property {number} top bytes back of what they looked at most
 * @property {number} share of it
 * @property {number} nats
 */

/** How far back the two halves of the heads looked from byte `at`. @param {TokenLook[]} looks @param {number} heads @param {number} at */
function lookedBack(looks, heads, at) {
  const mean = { near: 0, far: 0 }, count = { near: 0, far: 0 };
  /** @type {Map<number, number>} */
  const shares = new Map();
  for (const { row, tokens, weights } of looks) {
    const half = row % heads < heads - (heads >> 1) ? 'near' : 'far';
    if (tokens.length === 0) continue; // an empty set
    count[half]++;
    tokens.forEach((token, k) => {
      mean[half] += weights[k] * (at - token);
      if (half === 'far') shares.set(token, (shares.get(token) ?? 0) + weights[k]);
    });
  }
  const [token, share] = [...shares].reduce((best, one) => (one[1] > best[1] ? one : best), [at, 0]);
  return { near: mean.near / (count.near || 1), far: mean.far / (count.far || 1), top: at - token, share: share / (count.far || 1) };
}

/** @param {HTMLElement} root @param {string} address */
export function createTale(root, address) {
  /** @type {Model | undefined} */
  let model;
  /** @type {Written[]} */
  let written = [];
  let chosen = -1;
  const prompt = byId('tale-prompt');
  const text = make('div', { id: 'tale-text', class: 'sparse-tale', tabindex: '0', role: 'group', 'aria-label': phrase`The tale. Arrow keys choose a byte.` });
  const said = make('p', { class: 'pattern-said', 'data-result': '' }, phrase`Point at a byte.`);
  root.append(text, said);

  const shade = (/** @type {Written} */ { far }) => (far > 0 ? Math.log1p(far) / Math.log1p(FARTHEST) : 0);
  function paintAll() {
    const { heat } = palette();
    [...text.children].forEach((span, i) => { /** @type {HTMLElement} */ (span).style.backgroundColor = written[i].far > 0 ? heat(0.75 * shade(written[i])) : ''; });
  }
  /** @param {Written} one */
  function append(one) {
    written.push(one);
    const span = make('span', one.nats < 0 ? { class: 'given' } : {}, one.text);
    if (one.far > 0) span.style.backgroundColor = palette().heat(0.75 * shade(one));
    text.append(span);
  }
  /** @param {number} i */
  function choose(i) {
    text.children[chosen]?.classList.remove('chosen');
    chosen = i;
    const one = written[i];
    if (!one) return;
    text.children[i].classList.add('chosen');
    const name = one.text === ' ' ? phrase`The space` : one.text === '\n' ? phrase`The line break` : `“${one.text}”`;
    said.textContent = one.nats < 0 ? phrase`${name}, byte ${integer(i + 1)}, was given.`
      : one.far > 0 ? phrase`${name}, byte ${integer(i + 1)}: ${one.nats.toFixed(2)} nats. The near heads looked ${integer(one.near)} bytes back on average, the far ones ${integer(one.far)}, most of all (${percent(one.share)}) at ${integer(one.top)} back.`
        : phrase`${name}, byte ${integer(i + 1)}: ${one.nats.toFixed(2)} nats. The near heads looked ${integer(one.near)} bytes back on average, the far ones had nothing to look at yet.`;
    if (document.activeElement === text) announce(said.textContent, 400);
  }
  text.addEventListener('pointermove', ({ target }) => {
    const i = [...text.children].indexOf(/** @type {Element} */ (target));
    if (i >= 0 && i !== chosen) choose(i);
  });
  text.addEventListener('keydown', (event) => {
    const move = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -20, ArrowDown: 20 }[event.key];
    if (!move || event.ctrlKey || event.metaKey || event.altKey || written.length === 0) return;
    event.preventDefault();
    choose(Math.min(written.length - 1, Math.max(0, (chosen < 0 ? written.length - 1 : chosen) + move)));
  });

  const playback = new Playback({ speed: SPEED, onPhase: (phase) => transport.show(phase), onError: (error) => loading.failed(error) });
  const transport = createTransport(byId('tale-transport'), {
    name: 'tale', pauses: true, seed: 1,
    onRun() {
      if (playback.phase === 'running') playback.pause();
      else if (playback.phase === 'paused') playback.resume();
      else start();
    },
    onSeed: () => { if (model) start(); },
  });

  function start() {
    const from = model;
    if (!from) return;
    loading.clear();
    playback.run(async (signal) => {
      written = [];
      chosen = -1;
      text.replaceChildren();
      said.textContent = phrase`Point at a byte.`;
      const begin = /** @type {HTMLInputElement} */ (prompt).value || 'Once upon a time';
      for (const one of begin) append({ text: one, near: 0, far: 0, top: 0, share: 0, nats: -1 });
      const { heads } = from.info;
      playback.rebase();
      const run = from.tokens(begin, { maxTokens: COUNT, temperature: 0.8, seed: transport.seed, maps: true, signal });
      let at = new TextEncoder().encode(begin).length; // the mark that begins a text is byte 0
      for await (const { text: one, nats, maps = [] } of run) {
        await playback.take(1, signal);
        append({ text: one, nats, ...lookedBack(maps, heads, ++at) });
      }
      announce(phrase`The tale is written.`);
      return 'done';
    });
  }

  const loading = createLoading(byId('tale-load'), {
    acquire: async (options) => [await acquire(address, options)],
    onModels([loaded]) {
      model = loaded;
      playback.enter('ready');
      if (!reducedMotion()) start();
    },
    onLost() {
      model = undefined;
      playback.enter('empty');
    },
  });
  prompt.addEventListener('change', () => { if (model) start(); });
  whenNear(root, loading.load);
  onTheme(paintAll);
}
