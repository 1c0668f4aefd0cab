// SPDX-License-Identifier: MIT
// The buttons of a run: those that a figure needs, always in the same order and with the same labels.
// @ts-check
import { createButton } from '../page/button.js';
import { make } from '../page/dom.js';
import { phrase } from '../page/phrase.js';
import { createSeedField } from './seed-field.js';
import { createSpeed } from './speed.js';

/** @typedef {'empty' | 'ready' | 'running' | 'paused' | 'timing' | 'done'} Phase phase of a run; empty: no model yet */

/**
 * @typedef {Object} Wanted
 * @property {string} name prefix of the ids of its parts; '': none
 * @property {() => void} onRun
 * @property {boolean} [pauses] whether the first button pauses and continues; otherwise it restarts
 * @property {string} [verb] the action of a run without intermediate results, such as 'Tag': the label of the first button
 * @property {() => void} [onStop] adds a button that stops the run
 * @property {() => void} [onStep] adds a button for the next pixel
 * @property {string} [next] label of that button
 * @property {() => void} [onAgain] adds a button that restarts; at the end it replaces the first button
 * @property {number} [seed] initial seed, if there is a field for it
 * @property {(seed: number) => void} [onSeed]
 * @property {number[]} [speeds] pixels per second, if there is a slider
 * @property {number} [speed] index of the initial speed
 * @property {string} [unit] unit of the speed; default: pixels
 * @property {(speed: number) => void} [onSpeed]
 * @property {boolean} [pace] whether there is space for a text about the time
 */

/** Texts of the first button. @type {Record<'pauses' | 'restarts', Partial<Record<Phase, string>>>} */
const WORDS = {
  pauses: { running: phrase`Pause`, paused: phrase`Continue`, done: phrase`Run again` },
  restarts: { running: phrase`Start over`, done: phrase`Play again` },
};

/**
 * @param {HTMLElement} root
 * @param {Wanted} wanted
 */
export function createTransport(
  root,
  {
    name,
    onRun,
    pauses = false,
    verb,
    onStop,
    onStep,
    next = phrase`Next pixel`,
    onAgain,
    seed,
    onSeed = () => {},
    speeds,
    speed = 0,
    unit,
    onSpeed = () => {},
    pace,
  },
) {
  /** @param {string} part */
  const id = (part) => (name ? `${name}-${part}` : part);
  const words = { ...WORDS[pauses ? 'pauses' : 'restarts'], ...(verb && { running: verb, done: phrase`${verb} again` }) };
  const first = verb ?? (pauses ? phrase`Run` : phrase`Play`);
  const run = createButton(first, { id: id('run'), icon: 'run', primary: true });
  const stop = onStop && createButton(phrase`Stop`, { id: id('stop'), icon: 'stop' });
  const step = onStep && createButton(next, { id: id('step'), icon: 'step' });
  const again = onAgain && createButton(phrase`Start over`, { id: id('again') });
  const field = seed === undefined ? undefined : createSeedField({ seed: id('seed'), dice: id('dice') }, seed, onSeed);
  const note = pace ? make('p', { id: id('pace'), class: 'pace' }) : undefined;
  for (const part of [run, stop, step, again]) if (part) root.append(part.button);
  if (field) root.append(field.root);
  if (speeds) {
    const { label, input, output } = createSpeed({ id: id('speed'), speeds, first: speed, unit }, onSpeed);
    root.append(make('span', { class: 'speed' }, label, input, output));
  }
  if (note) root.append(note);

  run.button.addEventListener('click', onRun);
  step?.button.addEventListener('click', () => onStep?.());
  stop?.button.addEventListener('click', () => {
    onStop?.();
    run.button.focus(); // the focused button is now disabled
  });
  again?.button.addEventListener('click', () => {
    onAgain?.();
    run.button.focus(); // after the end, this button replaces the other
  });

  /** @param {Phase} phase */
  function show(phase) {
    root.dataset.phase = phase; // for code that waits for the end of a run
    const active = phase === 'running' || phase === 'paused' || phase === 'timing';
    const done = phase === 'done';
    run.button.disabled = phase === 'empty';
    run.show(words[phase] ?? first, pauses && phase === 'running' ? 'pause' : 'run');
    if (step) step.button.disabled = phase === 'empty';
    if (stop) stop.button.disabled = !active;
    if (!again) return;
    again.button.disabled = !active && !done;
    again.button.classList.toggle('primary', done);
    const focused = document.activeElement === run.button;
    run.button.hidden = done;
    if (done && focused) again.button.focus(); // the focused button is now gone
  }
  show('empty');

  return {
    show,
    get seed() {
      return field?.value ?? 0;
    },
    /** Sets the seed from code: listeners are not notified. @param {number} n */
    set seed(n) {
      if (field) field.value = n;
    },
    /** @param {string} text a text about the time */
    say(text) {
      if (note) note.textContent = text;
    },
    /** Calls the listener for any press of the visitor on these controls. @param {() => void} listener */
    onPress(listener) {
      for (const part of [run, stop, step, again]) part?.button.addEventListener('click', listener);
    },
  };
}
