// SPDX-License-Identifier: MIT
// Returns whether a figure is visible: out of sight, nothing needs to be computed or fetched.
// @ts-check
import { reducedMotion } from './dom.js';

/** How long a run continues out of sight: a visitor who scrolls past and back finds it unchanged. */
const AWAY_MS = 5000;
/** How far from the screen a figure begins to load. */
const NEAR = '500px 0px';

/** Functions that treat an element as visible, for every part of the page that waits for that. @type {Map<Element, (() => void)[]>} */
const waiting = new Map();
/** Parts of the page that count as visible, wherever they are. @type {Set<Element>} */
const shown = new Set();

/** @param {Element} element @param {() => void} see */
function wait(element, see) {
  waiting.set(element, [...(waiting.get(element) ?? []), see]);
  if ([...shown].some((part) => part.contains(element))) see();
}

/**
 * Treats everything in a part of the page as visible from now on: it is built and drawn, although it is hidden or was never scrolled to. A figure alone needs
 * the figures that it continues, paper needs all.
 *
 * @param {Element} part
 */
export function countAsSeen(part) {
  shown.add(part);
  for (const [element, all] of [...waiting]) if (part.contains(element)) for (const see of all) see();
}

/**
 * @param {Element} element
 * @param {{ onSeen: () => void, onAway: () => void }} hooks onAway: a while after it has left the screen, or at once when the page is hidden
 */
export function inSight(element, { onSeen, onAway }) {
  let seen = false;
  let always = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  new IntersectionObserver((entries) => {
    seen = always || entries[entries.length - 1].isIntersecting;
    clearTimeout(timer);
    if (!seen) timer = setTimeout(onAway, AWAY_MS);
    else if (!document.hidden) onSeen();
  }).observe(element);
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) onAway();
    else if (seen) onSeen();
  });
  const sight = {
    get seen() {
      return seen && !document.hidden;
    },
    /** Whether it counts as visible, wherever it is. */
    get always() {
      return always;
    },
  };
  // After the caller has it.
  queueMicrotask(() =>
    wait(element, () => {
      seen = always = true;
      clearTimeout(timer);
      onSeen();
    }),
  );
  return sight;
}

/**
 * Runs automatically while the figure is visible: starts when it is first visible, is interrupted out of sight, and resumes when it is
 * visible again. Decisions of the visitor take precedence, and with reduced motion nothing starts automatically.
 *
 * @param {Element} element
 * @param {{ start: () => boolean, stop: () => boolean }} run start: starts or resumes, if it can; stop: interrupts it, if it runs
 */
export function whileSeen(element, { start, stop }) {
  let cut = true; // the first run begins when the figure is seen
  const proceed = () => {
    // With reduced motion, a picture does not draw itself, unless nobody could start it.
    if (cut && sight.seen && (!reducedMotion() || sight.always) && start()) cut = false;
  };
  const sight = inSight(element, {
    onSeen: proceed,
    onAway() {
      if (stop()) cut = true;
    },
  });
  return {
    /** It may be possible now. */
    proceed,
    /** The visitor has decided. */
    decide() {
      cut = false;
    },
    /** There is something new to be seen. */
    renew() {
      cut = true;
    },
  };
}

/** Events of visitors who use controls, by mouse, by keyboard, or by a file that they choose. */
const USES = ['focusin', 'pointerdown', 'click', 'input', 'change', 'keydown'];

/**
 * Builds a part of the page when it comes near: visitors who never scroll there do not need it. The observer is notified a moment late, so
 * a visitor may be faster: the first use of a control builds the part too, before the event reaches the control, so its listeners receive
 * it.
 *
 * @param {Element} element
 * @param {() => void} open
 */
export function whenNear(element, open) {
  let begun = false;
  const begin = () => {
    if (begun) return;
    begun = true;
    near.disconnect();
    for (const use of USES) element.removeEventListener(use, begin, true);
    open();
  };
  const near = new IntersectionObserver(
    (entries) => {
      if (entries.some((entry) => entry.isIntersecting)) begin();
    },
    { rootMargin: NEAR },
  );
  near.observe(element);
  wait(element, begin);
  for (const use of USES) element.addEventListener(use, begin, true);
}
