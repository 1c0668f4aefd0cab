// SPDX-License-Identifier: MIT
// Guides the reader through a figure step by step. The reader moves forward or backward, or the walk plays automatically. Each step shows
// one sentence of the page and highlights the parts of the figure that the sentence describes.
// @ts-check
import { announce } from '../library.js';
import { createButton } from './button.js';
import { make, reducedMotion } from './dom.js';
import { inSight } from './in-sight.js';
import { phrase } from './phrase.js';

/** Duration of a step in milliseconds when the walk plays automatically. */
const STEP_MS = 7000;
/** A view taller than this multiple of the window's height is not scrolled into sight. */
const MUCH = 1.25;
/** Any of these events ends a walk that started automatically. */
const INPUTS = ['pointerdown', 'keydown', 'wheel', 'touchstart', 'scroll', 'input'];

/** @typedef {{ id: string, item: HTMLElement }} WalkStep  a list item and its id */

/** Returns the text of a step. @param {HTMLElement} item */
const textOf = (item) =>
  /** @type {HTMLElement[]} */ ([...item.children])
    .filter(({ hidden }) => !hidden)
    .map(({ textContent }) => textContent?.replace(/\s+/g, ' ').trim())
    .join(' ');

/**
 * @template {WalkStep} S
 * @param {Object} parts
 * @param {HTMLElement} parts.list    an <ol class="walk"> whose items are the steps
 * @param {HTMLElement} parts.tools   the element that gets the buttons
 * @param {HTMLElement} parts.figure  the figure; the walk does not play while the figure is out of sight
 * @param {HTMLElement} [parts.view]  part of the figure (default: the whole figure) that is scrolled into sight when the reader starts the
 *   walk, unless the part is too tall for the window
 * @param {(step: S) => void} onStep  called at each step; highlights the parts that the step describes
 */
export function createWalk({ list, tools, figure, view = figure }, onStep) {
  /** @type {S[]} */
  let steps = [];
  let at = -1;
  /** @type {ReturnType<typeof setInterval> | undefined} */
  let timer;
  const prefix = list.id;
  const play = createButton(phrase`Play`, { id: `${prefix}-play`, icon: 'run', primary: true });
  const [back, next] = [
    createButton(phrase`Back`, { id: `${prefix}-back` }).button,
    createButton(phrase`Next`, { id: `${prefix}-next` }).button,
  ];
  const count = make('span', { class: 'walk-count' });
  tools.append(play.button, back, next, count);
  const items = /** @type {HTMLElement[]} */ ([...list.children]);

  /** @param {number} to @param {boolean} [aloud] */
  function go(to, aloud = true) {
    if (!(to >= 0 && to < steps.length)) return;
    at = to;
    for (const item of items) item.hidden = item !== steps[at].item;
    back.disabled = at === 0;
    next.disabled = at === steps.length - 1;
    count.textContent = phrase`${at + 1} of ${steps.length}`;
    onStep(steps[at]);
    if (aloud) announce(textOf(steps[at].item), 300);
  }
  function stop() {
    clearInterval(timer);
    timer = undefined;
    play.show(phrase`Play`, 'run');
  }
  /** @param {boolean} aloud */
  function start(aloud) {
    play.show(phrase`Pause`, 'pause');
    timer = setInterval(() => {
      if (!document.hidden) go(at + 1, aloud);
      if (at === steps.length - 1) stop();
    }, STEP_MS);
  }
  /** Scrolls the view into sight, unless the view is much taller than the window. */
  function reveal() {
    const { top, bottom, height } = view.getBoundingClientRect();
    if (height > MUCH * innerHeight || (top >= 0 && bottom <= innerHeight)) return;
    view.scrollIntoView({ block: top < 0 || height > innerHeight ? 'start' : 'end', behavior: reducedMotion() ? 'instant' : 'smooth' });
  }
  play.button.addEventListener('click', () => {
    if (timer) return stop();
    reveal();
    go(at === steps.length - 1 ? 0 : at + 1);
    start(true);
  });
  back.addEventListener('click', () => {
    stop();
    go(at - 1);
  });
  next.addEventListener('click', () => {
    stop();
    reveal();
    go(at + 1);
  });
  inSight(figure, { onSeen() {}, onAway: stop });

  /** Whether the reader has used the page. The walk's own buttons do not count. */
  let touched = false;
  /** @param {Event} event */
  function touch({ target }) {
    for (const input of INPUTS) removeEventListener(input, touch, true);
    if (!touched && timer && !(target instanceof Node && tools.contains(target))) stop();
    touched = true;
  }
  for (const input of INPUTS) addEventListener(input, touch, { capture: true, passive: true });

  return {
    stop,
    /** Sets the available steps. The current step stays selected if the new steps contain it. @param {S[]} all */
    use(all) {
      const shown = steps[at]?.id ?? location.hash.slice(1);
      steps = all;
      go(
        Math.max(
          0,
          steps.findIndex(({ id }) => id === shown),
        ),
        false,
      );
    },
    /**
     * Starts the walk automatically, without an announcement, if the figure is on the first screen. Does nothing if the reader prefers
     * reduced motion, has already used the page, or opened an address that names a part of the page.
     */
    beginByItself() {
      if (touched || timer || reducedMotion() || location.hash || list.getBoundingClientRect().bottom > innerHeight) return;
      start(false);
    },
    /** @param {string} id @returns {boolean} whether the step exists */
    goTo(id) {
      const found = steps.findIndex((step) => step.id === id);
      stop();
      go(found);
      return found >= 0;
    },
    get step() {
      return steps[at];
    },
    /**
     * Fills in the placeholders in the sentences. The keys are the names of the placeholders on the page, the values are their texts.
     * @param {Record<string, string>} live
     */
    tell(live) {
      for (const item of list.querySelectorAll('[data-live]'))
        item.textContent = live[/** @type {HTMLElement} */ (item).dataset.live ?? ''] ?? '';
    },
  };
}

/** Returns all steps in a list. @param {HTMLElement} list @returns {WalkStep[]} */
export const stepsOf = (list) => /** @type {HTMLElement[]} */ ([...list.children]).map((item) => ({ id: item.id, item }));
