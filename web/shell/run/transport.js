// SPDX-License-Identifier: MIT
// Builds the buttons that control a run. Each figure has only the buttons that it needs, always in the same order and with the same labels.
// @ts-check
import { createButton } from '../page/button.js';
import { make } from '../page/dom.js';
import { phrase } from '../page/phrase.js';
import { createSeedField } from './seed-field.js';
import { createSpeed } from './speed.js';

/** @typedef {'empty' | 'ready' | 'running' | 'paused' | 'timing' | 'done'} Phase phase of a run; empty: no model is loaded */

/**
 * @typedef {Object} Wanted
 * @property {string} name prefix for the ids of the buttons; '' for none
 * @property {() => void} onRun
 * @property {boolean} [pauses] whether the first button pauses and resumes the run; otherwise the button restarts the run
 * @property {string} [verb] label of the first button, such as 'Tag', for runs without intermediate results
 * @property {() => void} [onStop] called by the button that stops the run; if undefined, there is no such button
 * @property {() => void} [onStep] called by the button that draws the next pixel; if undefined, there is no such button
 * @property {string} [next] label of the button that draws the next pixel
 * @property {() => void} [onAgain] called by the button that restarts the run; this button replaces the first button when the run has
 *   ended. If onAgain is undefined, there is no such button
 * @property {number} [seed] initial seed; if undefined, there is no seed field
 * @property {(seed: number) => void} [onSeed]
 * @property {number[]} [speeds] speeds that the slider offers, in pixels per second; if undefined, there is no slider
 * @property {number} [speed] index of the initial speed
 * @property {string} [unit] unit of the speed (default: pixels)
 * @property {(speed: number) => void} [onSpeed]
 * @property {boolean} [pace] whether to reserve space for a note about the running time
 */

/** Labels of the first button in each phase. @type {Record<'pauses' | 'restarts', Partial<Record<Phase, string>>>} */
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
    run.button.focus(); // the button that had the focus is now disabled
  });
  again?.button.addEventListener('click', () => {
    onAgain?.();
    run.button.focus(); // this button replaces the Again button, which had the focus
  });

  /** @param {Phase} phase */
  function show(phase) {
    root.dataset.phase = phase; // scripts wait for this attribute to know when a run ends
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
    if (done && focused) again.button.focus(); // the button that had the focus is now hidden
  }
  show('empty');

  return {
    show,
    get seed() {
      return field?.value ?? 0;
    },
    /** Sets the seed from code; listeners are not notified. @param {number} n */
    set seed(n) {
      if (field) field.value = n;
    },
    /** @param {string} text note about the running time */
    say(text) {
      if (note) note.textContent = text;
    },
    /** Calls the listener whenever the visitor presses one of the buttons. @param {() => void} listener */
    onPress(listener) {
      for (const part of [run, stop, step, again]) part?.button.addEventListener('click', listener);
    },
  };
}
