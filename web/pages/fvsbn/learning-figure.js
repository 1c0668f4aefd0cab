// SPDX-License-Identifier: MIT
// Draws the figure that trains a network. The figure shows the digits to choose from, the changing weights of one pixel, samples from the
// current model, and the learning curves (nats per training digit and per held-out digit).
// @ts-check
import {
  Playback,
  announce,
  byId,
  createButton,
  createTransport,
  integer,
  make,
  onTheme,
  phrase,
  reducedMotion,
} from '../../shell/index.js';
import { createPad, createStore, initialState } from '../../shell/completion/index.js';
import { randomFrom } from '../../shell/run/random.js';
import { createCurve } from './curve.js';
import { sample } from './learn.js';
import { Lesson } from './lesson.js';
import { createPicking } from './picking.js';
import { paintSheet } from './sheet.js';
import { createVotes } from './votes.js';

/** After this many milliseconds, the training yields to the event loop. */
const SLICE = 10;
/** Speeds to choose from, in training digits per second. */
const SPEEDS = [1, 10, 50, 200, 1000];
/** Training pauses after this many digits, until the visitor resumes it. */
const REST = 2000;
/** Number of training steps between two progress messages. */
const SAY = 500;
/** Number of digits that are initially not picked for training, so that the figure can measure the progress on them. */
const LEFT_OUT = 40;
const SAMPLES = 8;
/** A pixel of a drawing counts as ink if its grey value (0 to 255) is at least this value, as in the test digits of this page. */
const INK = 128;

/** @param {Uint8Array[]} training */
export function createLearning(training) {
  const figure = byId('figure-learning');
  const pictures = [...training];
  let lesson = new Lesson(pictures);
  const curve = createCurve();
  const votes = createVotes(byId('learning-votes'));
  const drawn = make('canvas', { role: 'img', 'aria-label': phrase`Samples from the current model` });
  const nats = make('p', { id: 'learning-nats', class: 'panel-note' });
  byId('learning-samples').append(drawn);
  byId('learning-curve').append(curve.canvas, nats);

  const words = () => {
    const point = lesson.points.at(-1);
    if (!point) return phrase`Not trained yet: 784 fair coins, 543 nats per digit.`;
    const learnt = lesson.steps === 1 ? phrase`1 digit, one at a time` : phrase`${integer(lesson.steps)} digits, one at a time`;
    const now = phrase`${learnt}: ${point.learning.toFixed(0)} nats per digit before learning from it`;
    return Number.isNaN(point.unseen) ? `${now}.` : phrase`${now}, ${point.unseen.toFixed(0)} for a held-out digit.`;
  };
  function show() {
    const random = randomFrom(1); // the random numbers are the same each time, so the samples change only if the model has changed
    paintSheet(
      drawn,
      Array.from({ length: SAMPLES }, () => sample(lesson.weights, random)),
      { cols: 4, ink: 'predicted' },
    );
    votes.use(lesson.weights);
    curve.show(lesson.points);
    nats.textContent = words();
  }

  const playback = new Playback({
    speed: SPEEDS[3],
    onPhase(phase) {
      transport.show(phase);
      show();
      if (phase === 'paused') announce(words());
    },
  });
  /** @param {AbortSignal} signal */
  async function go(signal) {
    for (;;) {
      const due = await playback.take(SPEEDS[SPEEDS.length - 1], signal);
      const by = performance.now() + SLICE;
      let said = playback.paused ? words : null; // announces a result immediately only if the visitor requested a single step
      for (let n = 0; n < due && (n === 0 || performance.now() < by); n++) {
        if (lesson.step() < 0) {
          playback.pause();
          said = () => phrase`No digit is picked.`;
          break;
        }
        if (lesson.steps % SAY === 0) said = words;
        if (lesson.steps % REST === 0) {
          playback.pause();
          break;
        }
      }
      // With reduced motion, the figure shows the model only when the training stops.
      if (playback.paused || !reducedMotion()) show();
      if (said) announce(said());
      await frame(); // yields to the event loop
    }
  }
  const begin = (paused = false) => void playback.run(go, { paused });
  const transport = createTransport(byId('learning-transport'), {
    name: 'learning',
    pauses: true,
    next: phrase`Next digit`,
    speeds: SPEEDS,
    speed: 3,
    unit: phrase`digits`,
    onRun() {
      sight.decide();
      if (playback.phase === 'running') playback.pause();
      else if (playback.phase === 'paused') playback.resume();
      else begin();
    },
    onStep() {
      sight.decide();
      if (playback.phase === 'running') playback.pause();
      else if (playback.phase !== 'paused') begin(true);
      playback.step();
    },
    onAgain: restart,
    onSpeed: (speed) => {
      playback.speed = speed;
    },
  });
  const sight = playback.watch(figure, begin);

  function restart() {
    sight.decide();
    playback.stop();
    const { picked } = lesson;
    lesson = new Lesson(pictures);
    lesson.picked = picked;
    show();
    announce(words());
  }

  const picking = createPicking(byId('learning-digits'), pictures, { own: training.length, rest: LEFT_OUT, lesson: () => lesson });
  const drawing = createStore(initialState());
  const { button: add } = createButton(phrase`Learn from this drawing`, { id: 'learning-add' });
  add.disabled = true;
  const side = make('div', { class: 'learning-pad' });
  createPad(drawing, side, () => {}, 'learning-pad');
  side.querySelector('.pad')?.append(add);
  byId('learning-digits').append(side);
  drawing.on(['source'], () => {
    add.disabled = false;
  });
  add.addEventListener('click', () => {
    const { source } = drawing.now;
    if (!source) return;
    picking.add(source.pixels.map((grey) => (grey < INK ? 0 : 1)));
    add.disabled = true; // disabled until the drawing changes
  });
  onTheme(show);
  playback.enter('ready');
  sight.proceed();
}

/** Resolves at the next animation frame, or after a short delay if the browser draws no frame. */
const frame = () =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, 100);
    requestAnimationFrame(() => {
      clearTimeout(timer);
      resolve(undefined);
    });
  });
