// SPDX-License-Identifier: MIT
// Whether a figure can be seen: what nobody sees need not be computed.
// @ts-check

/** A run goes on for so long out of sight: whoever scrolls past and back finds it as it was. */
const AWAY_MS = 5000;

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
  return { get seen() { return seen && !document.hidden; } };
}
