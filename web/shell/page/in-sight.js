// SPDX-License-Identifier: MIT
// Returns whether a figure can be seen: what nobody sees need not be computed, nor fetched.
// @ts-check
import { reducedMotion } from './dom.js';

/** How long a run goes on out of sight: whoever scrolls past and back finds it as it was. */
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
 * Runs by itself while it can be seen: begins when it is seen first, is cut short out of sight, and goes on when it is back. What the
 * visitor has decided stays so, and with less motion nothing begins by itself.
 *
 * @param {Element} element
 * @param {{ start: () => boolean, stop: () => boolean }} run start: begins or goes on, if it can; stop: cuts it short, if it runs
 */
export function whileSeen(element, { start, stop }) {
  let cut = true; // the first run begins when the figure is seen
  const proceed = () => {
    // A picture that draws itself is motion that nobody asked for.
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
 * Makes a part of the page when it comes near: a visitor who never gets there has no use for it. The browser tells of it a moment late, so a
 * visitor may be faster: the first use of a control makes the part too, before the event gets to the control, so its listeners hear of it.
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
