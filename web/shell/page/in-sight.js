// SPDX-License-Identifier: MIT
// Tracks whether a figure is visible: out of sight, nothing needs to be computed or fetched.
// @ts-check
import { reducedMotion } from './dom.js';

/** Time for which a run continues out of sight, so that a visitor who scrolls past and back finds it unchanged. */
const AWAY_MS = 5000;
/** Distance from the screen at which a figure starts to load. */
const NEAR = '500px 0px';

/** Functions that treat an element as visible, for each part of the page that waits for this. @type {Map<Element, (() => void)[]>} */
const waiting = new Map();
/** Parts of the page that are treated as visible wherever they are. @type {Set<Element>} */
const shown = new Set();

/** @param {Element} element @param {() => void} see */
function wait(element, see) {
  waiting.set(element, [...(waiting.get(element) ?? []), see]);
  if ([...shown].some((part) => part.contains(element))) see();
}

/**
 * Treats everything in a part of the page as visible from now on: it is built and drawn even if it is hidden or was never scrolled to. Used
 * for a figure that is shown alone (its earlier figures must run) and for printing (all figures must run).
 *
 * @param {Element} part
 */
export function countAsSeen(part) {
  shown.add(part);
  for (const [element, all] of [...waiting]) if (part.contains(element)) for (const see of all) see();
}

/**
 * @param {Element} element
 * @param {{ onSeen: () => void, onAway: () => void }} hooks onAway: called some time after the element has left the screen, or immediately
 *   when the page is hidden
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
    /** Whether the element is treated as visible wherever it is. */
    get always() {
      return always;
    },
  };
  // Called after the caller has received the result.
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
 * @param {{ start: () => boolean, stop: () => boolean }} run start: starts or resumes the run, if possible; stop: interrupts it, if it is
 *   running
 */
export function whileSeen(element, { start, stop }) {
  let cut = true; // the first run starts when the figure becomes visible
  const proceed = () => {
    // With reduced motion, nothing starts automatically, except in a figure that is treated as visible (nobody could start it).
    if (cut && sight.seen && (!reducedMotion() || sight.always) && start()) cut = false;
  };
  const sight = inSight(element, {
    onSeen: proceed,
    onAway() {
      if (stop()) cut = true;
    },
  });
  return {
    /** Tries again to start the run. */
    proceed,
    /** Records that the visitor has started or stopped the run. */
    decide() {
      cut = false;
    },
    /** Starts the run again for new content. */
    renew() {
      cut = true;
    },
  };
}

/** Events of a visitor who uses a control by mouse or keyboard, or chooses a file. */
const USES = ['focusin', 'pointerdown', 'click', 'input', 'change', 'keydown'];

/**
 * Builds a part of the page when it comes near the screen; visitors who never scroll there do not need it. The observer is notified with a
 * delay, so a visitor may be faster: the first use of a control also builds the part, before the event reaches the control, so that the
 * control's listeners receive it.
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
