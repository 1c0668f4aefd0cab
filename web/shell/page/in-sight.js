// SPDX-License-Identifier: MIT
// Returns whether a figure is visible: out of sight, nothing needs to be computed or fetched.
// @ts-check
import { reducedMotion } from './dom.js';

/** How long a run continues out of sight: a visitor who scrolls past and back finds it unchanged. */
const AWAY_MS = 5000;
/** How far from the screen a figure begins to load. */
const NEAR = '500px 0px';

/**
 * @param {Element} element
 * @param {{ onSeen: () => void, onAway: () => void }} hooks onAway: a while after it has left the screen, or at once when the page is hidden
 */
export function inSight(element, { onSeen, onAway }) {
  let seen = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  new IntersectionObserver((entries) => {
    seen = entries[entries.length - 1].isIntersecting;
    clearTimeout(timer);
    if (!seen) timer = setTimeout(onAway, AWAY_MS);
    else if (!document.hidden) onSeen();
  }).observe(element);
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) onAway();
    else if (seen) onSeen();
  });
  return {
    get seen() {
      return seen && !document.hidden;
    },
  };
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
    // With reduced motion, a picture does not draw itself.
    if (cut && sight.seen && !reducedMotion() && start()) cut = false;
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
  const begin = () => {
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
  for (const use of USES) element.addEventListener(use, begin, true);
}
