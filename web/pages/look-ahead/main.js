// SPDX-License-Identifier: MIT
// The figure of look-ahead: a digit, the passes of the model that drew it, and the same digit drawn without guesses.
// @ts-check
import {
  Pace, SIDE, acquireFirst, announce, byId, createLoading, createTake, createTransport, inked, make, onAddress, reducedMotion, startPage, whileSeen,
  wholeIn,
} from '../../shell/index.js';
import { clearNumbers, say, showDrawing, showTiming, showVerdict } from './ahead-numbers.js';
import { createAheadPanels } from './ahead-panels.js';
import { draw, passAt, timeBoth } from './ahead-run.js';
/** @import { Model, Phase } from '../../shell/index.js' */
/** @import { Drawing } from './ahead-run.js' */

/** Pixels per second, as they are shown: a pass at a time, each as long as it has pixels. */
const SPEED = 200;
/** Pictures to time, each both ways. */
const PICTURES = 8;

/** Makes the figure. */
function createAhead() {
  /** @type {HTMLButtonElement} */
  const both = byId('ahead-both');
  /** @type {HTMLInputElement} */
  const plain = byId('ahead-plain');
  /** @type {HTMLSelectElement} */
  const digit = byId('ahead-label');
  const panels = createAheadPanels(byId('ahead-panels'));
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
    transport.show(phase);
    plain.disabled = digit.disabled = phase === 'empty';
    both.disabled = phase === 'empty' || phase === 'timing';
    if (phase === 'running' || phase === 'timing') loading.clear();
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
      loading.failed(error);
    }
  }

  function showWhole() {
    if (!shown) return;
    const { way, drawing } = shown;
    panels.show(drawing, drawing.values.length, true);
    showDrawing(way, drawing, drawing.values.length);
  }

  const options = () => ({ seed: transport.seed, ...(digit.value && { label: digit.value }) });

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
    sight.decide();
    start();
  }

  function halt() {
    stopper.abort();
    if (phase === 'timing') say('Timing was stopped.');
    if (phase === 'running' || phase === 'timing') enter('ready');
  }

  const loading = createLoading(byId('ahead-load'), {
    acquire: async (how) => [await acquireFirst(how)],
    onModels([loaded]) {
      const { lookAhead, classes } = loaded.info;
      byId('ahead-none').hidden = lookAhead;
      if (!lookAhead) return;
      model = loaded;
      if (digit.options.length === 1) digit.append(...classes.map((name) => make('option', {}, name)));
      if (wanted) apply(wanted);
      enter('ready');
      sight.proceed();
    },
    onLost() {
      model = null;
      enter('empty');
    },
  });
  const transport = createTransport(byId('ahead-transport'), {
    name: 'ahead', seed: 10, onRun: start, onSeed: startNew,
    onStop() {
      halt();
      announce('Stopped.');
    },
  });
  const sight = whileSeen(byId('figure-ahead'), {
    start() {
      if (phase === 'running') pace.resume();
      if (phase !== 'ready') return false;
      start();
      return true;
    },
    stop() {
      if (phase === 'running') pace.pause();
      else if (phase === 'timing') halt();
      return phase === 'running';
    },
  });
  transport.onPress(sight.decide);

  createTake(byId('ahead-take'), {
    id: 'figure-ahead',
    shots: () => (shown ? [{
      name: 'The picture', file: `digit-seed-${transport.seed}`, picture: inked(shown.drawing.values, 0, SIDE * SIDE),
      order: Array.from({ length: SIDE * SIDE }, (_, i) => i),
    }] : []),
    settings: () => ({ model: 'digits', seed: transport.seed, ...(digit.value && { label: digit.value }) }),
  });
  /** What the address asks for, until it can be done. @type {URLSearchParams | undefined} */
  let wanted;
  /** @param {URLSearchParams} settings */
  function apply(settings) {
    wanted = undefined;
    transport.seed = wholeIn(settings, 'seed', 0, 1e9 - 1, transport.seed);
    digit.value = settings.get('label') ?? '';
    if (digit.selectedIndex < 0) digit.selectedIndex = 0; // no such class
  }
  onAddress('figure-ahead', (settings) => {
    wanted = settings;
    if (phase === 'empty') return;
    apply(settings);
    startNew();
  });

  for (const [control, event, action] of /** @type {const} */ ([[plain, 'change', start], [both, 'click', time], [digit, 'change', startNew]])) {
    control.addEventListener(event, () => {
      sight.decide();
      action();
    });
  }
  clearNumbers();
  return loading.load();
}

startPage(createAhead());
