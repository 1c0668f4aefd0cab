// SPDX-License-Identifier: MIT
// Draws the figure about speculative decoding. The figure shows a digit drawn with drafts, marks the pixels that each pass of the model
// drew, and compares the digit with one drawn without drafts.
// @ts-check
import {
  Playback,
  SIDE,
  acquireFirst,
  announce,
  byId,
  createLoading,
  createTake,
  createTransport,
  inked,
  keepInAddress,
  make,
  phrase,
  reducedMotion,
  startPage,
  wholeIn,
} from '../../shell/index.js';
import { clearNumbers, say, showDrawing, showTiming, showVerdict } from './ahead-numbers.js';
import { createAheadPanels } from './ahead-panels.js';
import { draw, passAt, timeBoth } from './ahead-run.js';
/** @import { Model, Phase } from '../../shell/index.js' */
/** @import { Drawing } from './ahead-run.js' */

/**
 * Pixels shown per second. The pixels of a pass appear together. The next pass follows after a delay that is proportional to the number of
 * pixels in the current pass.
 */
const SPEED = 200;
/** Number of pictures to time, each with and without drafts. */
const PICTURES = 8;

/** Creates the figure. */
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
  /** The current picture, drawn with and without drafts. @type {{ guessing?: Drawing, without?: Drawing }} */
  let drawings = {};
  /** Whether the medians are known, and whether they are being measured. */
  let [timed, measuring] = [false, false];
  /** The drawing that the figure shows. @type {{ way: 'guessing' | 'without', drawing: Drawing } | null} */
  let shown = null;

  const playback = new Playback({
    speed: SPEED,
    onPhase(phase) {
      transport.show(phase);
      plain.disabled = digit.disabled = phase === 'empty';
      both.disabled = phase === 'empty' || phase === 'timing';
      if (phase === 'running' || phase === 'timing') loading.clear();
    },
    onError: (error) => loading.failed(error),
  });

  /** @param {Phase} during @param {(artist: Model, signal: AbortSignal) => Promise<void>} work */
  async function run(during, work) {
    const artist = model;
    if (!artist) return;
    if (playback.phase === 'timing') say('');
    await playback.run(
      async (signal) => {
        await work(artist, signal);
        return shown ? 'done' : 'ready';
      },
      { during },
    );
  }

  function showWhole() {
    if (!shown) return;
    const { way, drawing } = shown;
    panels.show(drawing, drawing.values.length, true);
    showDrawing(way, drawing, drawing.values.length);
  }

  const options = () => ({ seed: transport.seed, ...(digit.value && { label: digit.value }) });

  /** Draws the picture at full speed and then shows it pass by pass. */
  const start = () =>
    run('running', async (artist, signal) => {
      const way = plain.checked ? 'without' : 'guessing';
      announce(plain.checked ? phrase`Drawing a digit without drafts.` : phrase`Drawing a digit with drafts.`);
      shown = null;
      panels.show(null);
      const drawing = await draw(artist, { ...options(), lookAhead: way === 'guessing', signal });
      drawings[way] = drawing;
      shown = { way, drawing };
      const { length } = drawing.values;
      playback.rebase();
      // With reduced motion, the picture appears only when it is finished.
      for (let head = 0; head < length && !reducedMotion(); ) {
        const { to } = passAt(drawing.ahead, head);
        await playback.pass(to - head, signal);
        head = to;
        panels.show(drawing, head);
        showDrawing(way, drawing, head);
      }
      showWhole();
      // In the background, draws the same picture with the other setting (with or without drafts), so that the numbers of both settings
      // appear side by side.
      const other = way === 'guessing' ? 'without' : 'guessing';
      const beside = (drawings[other] ??= await draw(artist, { ...options(), lookAhead: other === 'guessing', signal }));
      showDrawing(other, beside, length);
      announce([byId('ahead-summary').textContent, showVerdict(drawings.guessing, drawings.without)].join(' '));
      // A single measurement is unreliable, and the first one on a page includes compilation. The figure therefore shows only medians.
      if (!timed) await measure(artist, signal);
    });

  const time = () =>
    run('timing', async (artist, signal) => {
      showWhole();
      announce(phrase`Timing ${PICTURES} pictures, each with and without drafts.`);
      announce(await measure(artist, signal));
    });

  /**
   * Measures the median times over several pictures, each drawn with and without drafts in alternating order.
   *
   * @param {Model} artist
   * @param {AbortSignal} signal
   */
  async function measure(artist, signal) {
    const timing = await timeBoth(artist, { ...options(), signal }, PICTURES, (done) => {
      measuring = true;
      say(phrase`Timing: ${done} of ${PICTURES} pictures drawn in both ways.`);
    });
    timed = true;
    measuring = false;
    return showTiming(timing, PICTURES);
  }

  /** Starts another picture. */
  function startNew() {
    address.changed();
    drawings = {};
    shown = null;
    clearNumbers();
    sight.decide();
    start();
  }

  function halt() {
    if (measuring) say(phrase`Timing was stopped.`);
    measuring = false;
    playback.stop();
  }

  const loading = createLoading(byId('ahead-load'), {
    acquire: async (how) => [await acquireFirst(how)],
    onModels([loaded]) {
      const { lookAhead, classes } = loaded.info;
      byId('ahead-none').hidden = lookAhead;
      if (!lookAhead) return;
      model = loaded;
      if (digit.options.length === 1) digit.append(...classes.map((name) => make('option', {}, name)));
      address.proceed();
      playback.enter('ready');
      sight.proceed();
    },
    onLost() {
      model = null;
      playback.enter('empty');
    },
  });
  const transport = createTransport(byId('ahead-transport'), {
    name: 'ahead',
    seed: 10,
    onRun: start,
    onSeed: startNew,
    onStop() {
      halt();
      announce(phrase`Stopped.`);
    },
  });
  const sight = playback.watch(byId('figure-ahead'), start);
  transport.onPress(sight.decide);

  const settings = () => ({ model: 'digits', seed: transport.seed, ...(digit.value && { label: digit.value }) });
  createTake(byId('ahead-take'), {
    id: 'figure-ahead',
    shots: () =>
      shown
        ? [
            {
              name: phrase`The picture`,
              file: `digit-seed-${transport.seed}`,
              picture: inked(shown.drawing.values, 0, SIDE * SIDE),
              order: Array.from({ length: SIDE * SIDE }, (_, i) => i),
            },
          ]
        : [],
    settings,
  });
  const address = keepInAddress('figure-ahead', {
    settings,
    apply(given) {
      if (!model) return false;
      transport.seed = wholeIn(given, 'seed', 0, 1e9 - 1, transport.seed);
      digit.value = given.get('label') ?? '';
      if (digit.selectedIndex < 0) digit.selectedIndex = 0; // the address may name a digit that does not exist
      if (playback.phase !== 'empty') startNew();
      return true;
    },
  });

  for (const [control, event, action] of /** @type {const} */ ([
    [plain, 'change', start],
    [both, 'click', time],
    [digit, 'change', startNew],
  ])) {
    control.addEventListener(event, () => {
      sight.decide();
      action();
    });
  }
  clearNumbers(true);
  return loading.load();
}

startPage(createAhead());
