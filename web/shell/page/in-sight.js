// SPDX-License-Identifier: MIT
// Tracks whether a figure is visible. A figure that is out of sight need not compute or fetch anything.
// @ts-check
import { reducedMotion } from './dom.js';

/**
 * When a figure leaves the screen, its run continues for this many milliseconds. A visitor who scrolls past and back within this time does
 * not interrupt the run.
 */
const AWAY_MS = 5000;
/** A figure starts to load at this distance from the screen. */
const NEAR = '500px 0px';

/** For each tracked element, the functions to call when the element is to be treated as visible. @type {Map<Element, (() => void)[]>} */
const waiting = new Map();
/** Elements that are treated as visible wherever they are on the page. @type {Set<Element>} */
const shown = new Set();

/** @param {Element} element @param {() => void} see */
function wait(element, see) {
  waiting.set(element, [...(waiting.get(element) ?? []), see]);
  if ([...shown].some((part) => part.contains(element))) see();
}

/**
 * From now on, treats everything in a part of the page as visible. The figures in this part are built and drawn even if they are hidden or
 * the visitor never scrolls to them. There are two uses: a figure that is shown alone may depend on hidden figures before it, and printing
 * needs all figures.
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
 *   if the page is hidden
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
    /** Returns whether the element is treated as visible wherever it is. */
    get always() {
      return always;
    },
  };
  // Runs in a microtask, so that the caller receives the result before onSeen() is called.
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
 * Controls a run automatically. The run starts when the figure first becomes visible. The run is interrupted while the figure is out of
 * sight, and resumes when the figure is visible again. Once the visitor has started or stopped the run, it no longer starts or resumes
 * automatically. With reduced motion, nothing starts automatically.
 *
 * @param {Element} element
 * @param {{ start: () => boolean, stop: () => boolean }} run start: starts or resumes the run if possible, and returns whether this
 *   was possible; stop: interrupts the run if it is active, and returns whether start() may resume it
 */
export function whileSeen(element, { start, stop }) {
  let cut = true; // true at first, because the run starts when the figure becomes visible
  const proceed = () => {
    // With reduced motion, nothing starts automatically. The exception is a figure that is always treated as visible. Such a figure may be
    // hidden, so the visitor may be unable to start its run.
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
    /** Allows the run to start automatically again, because the content is new. */
    renew() {
      cut = true;
    },
  };
}

/** Events that occur when a visitor uses a control by mouse or keyboard, or chooses a file. */
const USES = ['focusin', 'pointerdown', 'click', 'input', 'change', 'keydown'];

/**
 * Builds a part of the page when it comes near the screen, because visitors who never scroll to the part do not need it. The
 * IntersectionObserver reports with a delay, so a visitor may use a control before the part is built. The first event on a control
 * therefore also builds the part. This happens before the event reaches the control, so the new listeners of the control receive the event,
 * too.
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
