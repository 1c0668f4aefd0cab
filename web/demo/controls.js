// SPDX-License-Identifier: MIT
// Buttons and settings of Figure 1, each bound to one field of the state.
// @ts-check
import { byId, make, reducedMotion } from './dom.js';
import { createLegend, NATS_SHOWN } from './legend.js';
/** @import { Store } from './state.js' */

/** Pixels per second of each picture. */
const SPEEDS = [5, 15, 40, 80, 150, 250, 500, Infinity];
const SEED_LIMIT = 1e9;

const GLYPHS = { run: 'M4 2.5v11l9.5-5.5z', pause: 'M3 2.5h3.5v11H3zM9.5 2.5H13v11H9.5z' };

/**
 * @param {Store} store
 * @param {{ start(): void, pause(): void, resume(): void, stop(): void, step(): void }} runner
 */
export function createControls(store, runner) {
  /** @type {HTMLButtonElement} */
  const run = byId('run');
  /** @type {HTMLButtonElement} */
  const stop = byId('stop');
  /** @type {HTMLButtonElement} */
  const step = byId('step');

  run.addEventListener('click', () => {
    const { phase } = store.now;
    if (phase === 'running') runner.pause();
    else if (phase === 'paused') runner.resume();
    else runner.start();
  });
  stop.addEventListener('click', () => {
    runner.stop();
    run.focus(); // the button that had the focus is disabled now
  });
  step.addEventListener('click', () => runner.step());
  const showPhase = () => {
    const { phase } = store.now;
    const active = phase === 'running' || phase === 'paused';
    run.disabled = step.disabled = phase === 'empty';
    stop.disabled = !active;
    const text = phase === 'running' ? 'Pause' : phase === 'paused' ? 'Continue' : phase === 'done' ? 'Run again' : 'Run';
    byId('run-text').textContent = text;
    byId('run-glyph').setAttribute('d', phase === 'running' ? GLYPHS.pause : GLYPHS.run);
  };
  store.on(['phase'], showPhase);
  showPhase();

  /** @type {HTMLInputElement} */
  const temperature = byId('temperature');
  const showTemperature = () => {
    const t = Number(temperature.value);
    const text = t === 0 ? '0: always the favourite' : t === 1 ? '1: the odds as they are' : `${t.toFixed(2)}: ${t < 1 ? 'more cautious' : 'more daring'}`;
    byId('temperature-text').textContent = text;
    temperature.setAttribute('aria-valuetext', text);
  };
  temperature.addEventListener('input', () => { showTemperature(); store.set({ temperature: Number(temperature.value) }); });
  showTemperature();

  /** @type {HTMLInputElement} */
  const speed = byId('speed');
  const showSpeed = () => {
    const s = SPEEDS[Number(speed.value)];
    const text = s === Infinity ? 'as fast as it goes' : `${s} pixels a second`;
    byId('speed-text').textContent = reducedMotion() ? `${text} (not used: your system asks for less motion)` : text;
    speed.setAttribute('aria-valuetext', text);
    store.set({ speed: s });
  };
  speed.addEventListener('input', showSpeed);
  matchMedia('(prefers-reduced-motion: reduce)').addEventListener('change', showSpeed);
  showSpeed();

  /** @type {HTMLInputElement} */
  const seed = byId('seed');
  /** @param {number} n */
  const setSeed = (n) => { seed.value = String(n); store.set({ seed: n }); };
  seed.addEventListener('change', () => {
    const n = Number(seed.value.trim());
    setSeed(Number.isInteger(n) && n >= 0 && n < SEED_LIMIT ? n : store.now.seed);
  });
  byId('dice').addEventListener('click', () => setSeed(Math.floor(Math.random() * 10000)));

  /** @type {HTMLSelectElement} */
  const label = byId('label');
  label.addEventListener('change', () => store.set({ label: label.value, truth: null }));
  store.on(['info'], ({ info }) => {
    if (!info || label.options.length > 1) return;
    label.append(...info.classes.map((/** @type {string} */ name) => make('option', { value: name }, `It is a ${name}`)));
    label.disabled = info.classes.length === 0;
  });

  /** @type {HTMLInputElement} */
  const surprise = byId('show-surprise');
  const link = byId('surprise-link');
  const legend = byId('nats-legend');
  createLegend(legend, Array.from({ length: NATS_SHOWN + 1 }, (_, n) => (n === NATS_SHOWN ? `${n} nats or more` : String(n))));
  const showSurprise = () => {
    const on = store.now.surprise;
    surprise.checked = on;
    legend.hidden = !on;
    link.setAttribute('aria-pressed', String(on));
    link.textContent = on ? 'Hide the surprise in Figure 1' : 'Show the surprise in Figure 1';
  };
  surprise.addEventListener('change', () => store.set({ surprise: surprise.checked }));
  link.addEventListener('click', () => {
    store.set({ surprise: !store.now.surprise });
    if (store.now.surprise) byId('figure-1').scrollIntoView({ block: 'start' });
  });
  store.on(['surprise'], showSurprise);
}
