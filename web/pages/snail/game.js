// SPDX-License-Identifier: MIT
// Runs a game of twenty tasks. The visitor and the network classify the same characters.
// @ts-check
import { byId, fault, make, onTheme, palette, phrase } from '../../shell/index.js';
import { raw } from './ask.js';
import { ALPHABETS, DRAWINGS, SIGNS, paint } from './signs.js';
/** @import { Model } from '../../shell/index.js' */

const TASKS = 20;

/** @param {(alphabet: number, sign: number, drawing: number) => Uint8Array} sign */
export function createGame(sign) {
  /** @type {Model | undefined} */
  let model;
  /** @type {HTMLCanvasElement} */
  const question = byId('game-query');
  /** @type {HTMLButtonElement} */
  const start = byId('game-start');
  const [said, score, choices] = [byId('game-said'), byId('game-score'), byId('game-choices')];
  let [task, yours, its] = [0, 0, 0];
  let open = false;
  let truth = 0;
  /** @type {Uint8Array} */
  let asked;
  /** @type {Uint8Array[]} */
  let shown = [];
  const below = (/** @type {number} */ n) => Math.floor(n * Math.random());
  const buttons = Array.from({ length: SIGNS }, (_, i) => {
    const canvas = make('canvas', { class: 'sign', width: '28', height: '28', 'aria-hidden': 'true' });
    const button = make('button', { type: 'button', class: 'game-choice', 'aria-label': phrase`Sign ${i + 1}`, disabled: '' }, canvas);
    button.addEventListener('click', () => choose(i));
    choices.append(button);
    return { button, canvas };
  });

  function repaint() {
    if (shown.length === 0) return;
    const { ink } = palette();
    paint(question, asked, ink);
    buttons.forEach(({ canvas }, i) => paint(canvas, shown[i], ink));
  }

  function next() {
    const alphabet = below(ALPHABETS.length);
    const drawer = below(DRAWINGS);
    const order = Array.from({ length: SIGNS }, (_, i) => ({ i, at: Math.random() }))
      .sort((a, b) => a.at - b.at)
      .map(({ i }) => i);
    truth = below(SIGNS);
    shown = order.map((i) => sign(alphabet, i, drawer));
    asked = sign(alphabet, order[truth], (drawer + 1 + below(DRAWINGS - 1)) % DRAWINGS);
    open = true;
    for (const { button } of buttons) {
      button.disabled = false;
      button.classList.remove('right', 'wrong');
    }
    start.disabled = true;
    said.textContent = phrase`Task ${task + 1} of ${TASKS}, ${ALPHABETS[alphabet]}: which is it?`;
    repaint();
  }

  /** @param {number} i */
  async function choose(i) {
    if (!open || !model) return;
    open = false;
    /** @type {string | number} */
    let label;
    try {
      ({ label } = await model.classify(raw(asked), { support: shown.map((image, k) => ({ image: raw(image), label: k })) }));
    } catch (error) {
      said.textContent = `${fault(error)}.`;
      open = true; // the visitor can try this task again
      return;
    }
    task++;
    yours += Number(i === truth);
    its += Number(Number(label) === truth);
    buttons[truth].button.classList.add('right');
    if (i !== truth) buttons[i].button.classList.add('wrong');
    const you = i === truth ? phrase`Right` : phrase`No, it was character ${truth + 1}`;
    const it =
      Number(label) === truth
        ? phrase`${you}; the network was right.`
        : phrase`${you}; the network chose character ${Number(label) + 1}, which is wrong.`;
    const end =
      yours > its
        ? phrase` You win: ${yours} to ${its}.`
        : yours < its
          ? phrase` The network wins: ${yours} to ${its}.`
          : phrase` A draw: ${yours} to ${its}.`;
    said.textContent = `${it}${task === TASKS ? end : ''}`;
    score.textContent = phrase`You ${yours}, network ${its}, of ${task}`;
    for (const { button } of buttons) button.disabled = true;
    start.disabled = false;
    start.textContent = task === TASKS ? phrase`Play again` : phrase`Next task`;
    start.focus({ preventScroll: true });
  }
  start.addEventListener('click', () => {
    if (task === TASKS) [task, yours, its] = [0, 0, 0];
    next();
    buttons[0].button.focus({ preventScroll: true });
  });
  start.textContent = phrase`Next task`;
  next();
  onTheme(repaint);
  return {
    /** Sets the network that plays against the visitor. @param {Model} next */
    set model(next) {
      model = next;
    },
  };
}
