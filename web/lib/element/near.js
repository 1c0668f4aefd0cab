// SPDX-License-Identifier: MIT
// @ts-check

/** Reports which elements are near the screen, with one observer for all elements. */

/** @type {WeakMap<Element, (near: boolean) => void>} */
const watchers = new WeakMap();
/** @type {IntersectionObserver | undefined} */
let observer;

/** Returns the observer, or undefined without IntersectionObserver, as in jsdom; every element is then reported as near. */
function shared() {
  return typeof IntersectionObserver !== 'function'
    ? undefined
    : (observer ??= new IntersectionObserver(
        (entries) => {
          for (const { target, isIntersecting } of entries) watchers.get(target)?.(isIntersecting);
        },
        { rootMargin: '200px' },
      ));
}

/**
 * Calls `changed` when an element comes within 200 pixels of the screen, and when the element moves farther away again.
 *
 * @param {Element} element
 * @param {(near: boolean) => void} changed
 */
export function watchNear(element, changed) {
  watchers.set(element, changed);
  const watch = shared();
  if (watch) watch.observe(element);
  else queueMicrotask(() => watchers.get(element)?.(true));
}

/** @param {Element} element */
export function forgetNear(element) {
  watchers.delete(element);
  observer?.unobserve(element);
}
