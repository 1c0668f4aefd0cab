// SPDX-License-Identifier: MIT
// The figure of look-ahead: a digit, the passes of the model that drew it, and the same digit drawn without guesses.
// @ts-check
import { announce } from '../lib/status.js';
import { clearNumbers, say, showDrawing, showTiming, showVerdict } from './ahead-numbers.js';
import { createAheadPanels } from './ahead-panels.js';
import { draw, passAt, timeBoth } from './ahead-run.js';
import { byId, make, reducedMotion } from './dom.js';
import { inSight } from './in-sight.js';
import { createLoading } from './loading.js';
import { Pace } from './pace.js';
import { createSeedField } from './seed-field.js';
import { acquireDigits } from './start.js';
/** @import { NextPixelError } from '../lib/error.js' */
/** @import { Model } from '../lib/model.js' */
/** @import { Hold } from '../lib/shared.js' */
/** @import { Drawing } from './ahead-run.js' */

/** Pixels per second, as they are shown: a pass at a time, each as long as it has pixels. */
const SPEED = 200;
/** Pictures to time, each both ways. */
const PICTURES = 8;

/** @typedef {'empty' | 'ready' | 'running' | 'timing' | 'done'} Phase empty: no model yet, or one that cannot guess */

/** Makes the figure, with the model of Figure 1. */
export function createAhead() {
  /** @type {HTMLButtonElement} */
  const play = byId('ahead-run');
  /** @type {HTMLButtonElement} */
  const stop = byId('ahead-stop');
  /** @type {HTMLButtonElement} */
  const both = byId('ahead-both');
  /** @type {HTMLInputElement} */
  const plain = byId('ahead-plain');
  /** @type {HTMLSelectElement} */
  const digit = byId('ahead-label');
  const panels = createAheadPanels(byId('ahead-panels'));
  /** @type {Hold | undefined} */
  let hold;
  /** @type {Model | null} */
  let model = null;
  /** @type {Phase} */
  let phase = 'empty';
  let stopper = new AbortController();
  const pace = new Pace(SPEED);
  /** The picture, both ways, as far as they were drawn. @type {{ guessing?: Drawing, without?: Drawing }} */
  let drawings = {};
  /** What is shown. @type {{ way: 'guessing' | 'without', drawing: Drawing } | null} */
  let shown = null;

  /** @param {Phase} next */
  function enter(next) {
    phase = next;
    const busy = phase === 'running' || phase === 'timing';
    play.disabled = plain.disabled = digit.disabled = phase === 'empty';
    both.disabled = phase === 'empty' || phase === 'timing';
    stop.disabled = !busy;
    byId('ahead-run-text').textContent = phase === 'running' ? 'Start over' : phase === 'done' ? 'Play again' : 'Play';
    if (busy) loading.clear();
  }

  /** @param {Phase} during @param {(artist: Model, signal: AbortSignal) => Promise<void>} work */
  async function run(during, work) {
    stopper.abort();
    if (!model) return;
    stopper = new AbortController();
    const { signal } = stopper;
    if (phase === 'timing') say('');
    enter(during);
    try {
      await work(model, signal);
      enter(shown ? 'done' : 'ready');
    } catch (error) {
      if (signal.aborted) return;
      enter('ready');
      fail(error);
    }
  }

  function showWhole() {
    if (!shown) return;
    const { way, drawing } = shown;
    panels.show(drawing, drawing.values.length, true);
    showDrawing(way, drawing, drawing.values.length);
  }

  const options = () => ({ seed: seed.value, ...(digit.value && { label: digit.value }) });

  /** Draws the picture at full speed, then shows it pass by pass. */
  const start = () => run('running', async (artist, signal) => {
    const way = plain.checked ? 'without' : 'guessing';
    announce(plain.checked ? 'Drawing a digit without guesses.' : 'Drawing a digit with guesses.');
    shown = null;
    panels.show(null);
    const drawing = await draw(artist, { ...options(), lookAhead: way === 'guessing', signal });
    drawings[way] = drawing;
    shown = { way, drawing };
    const { length } = drawing.values;
    if (!pace.paused) pace.resume(); // its clock starts now; out of sight it waits
    // With less motion the picture appears when it is finished.
    for (let head = 0; head < length && !reducedMotion();) {
      const { to } = passAt(drawing.ahead, head);
      for (let left = to - head; left > 0;) left -= await pace.take(left, signal);
      head = to;
      panels.show(drawing, head);
      showDrawing(way, drawing, head);
    }
    showWhole();
    announce([byId('ahead-summary').textContent, showVerdict(drawings.guessing, drawings.without)].join(' '));
  });

  const time = () => run('timing', async (artist, signal) => {
    showWhole(); // what was being shown; its time is known already
    announce(`Timing ${PICTURES} pictures, each with guesses and without.`);
    const timing = await timeBoth(artist, { ...options(), signal }, PICTURES, (done) => say(`Timing: ${done} of ${PICTURES} pictures drawn both ways.`));
    announce(showTiming(timing, PICTURES));
  });

  /** Another picture. */
  function startNew() {
    drawings = {};
    shown = null;
    clearNumbers();
    cut = false;
    start();
  }

  function halt() {
    stopper.abort();
    if (phase === 'timing') say('Timing was stopped.');
    if (phase === 'running' || phase === 'timing') enter('ready');
  }

  /** @param {unknown} error */
  function fail(error) {
    const { code, message } = /** @type {NextPixelError} */ (error);
    // A model whose worker has gone cannot be asked again.
    const lost = code === 'trap' || code === 'closed';
    if (lost) {
      hold?.discard();
      model = null;
      enter('empty');
    }
    loading.fail(`The run stopped. ${message}`, lost);
  }

  const loading = createLoading(
    async (how) => {
      hold = await acquireDigits(how);
      return hold.model;
    },
    (loaded) => {
      const { lookAhead, classes } = loaded.info;
      byId('ahead-none').hidden = lookAhead;
      if (!lookAhead) return;
      model = loaded;
      if (digit.options.length === 1) digit.append(...classes.map((name) => make('option', {}, name)));
      enter('ready');
      proceed();
    },
    'ahead-load',
  );
  const seed = createSeedField(byId('ahead-seed'), byId('ahead-dice'), startNew);

  // Only what can be seen is drawn. What was cut short goes on when it is back.
  let cut = true; // the first run begins when the figure is seen
  const proceed = () => {
    if (phase === 'running') pace.resume();
    // A picture that draws itself is motion that nobody asked for.
    if (!cut || !sight.seen || phase !== 'ready' || reducedMotion()) return;
    cut = false;
    start();
  };
  const sight = inSight(byId('figure-6'), {
    onSeen: proceed,
    onAway() {
      if (phase === 'running') pace.pause();
      else if (phase === 'timing') halt();
    },
  });

  for (const [control, event, action] of /** @type {const} */ ([[play, 'click', start], [plain, 'change', start], [both, 'click', time], [digit, 'change', startNew]])) {
    control.addEventListener(event, () => {
      cut = false;
      action();
    });
  }
  stop.addEventListener('click', () => {
    cut = false;
    halt();
    announce('Stopped.');
    play.focus(); // the button that had the focus is disabled now
  });
  clearNumbers();
  loading.start();
}
