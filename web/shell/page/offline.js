// SPDX-License-Identifier: MIT
// Lets the page work without a connection from the second visit on.
// @ts-check

/**
 * Name of the cache with the file lists of all courses on this device. The keys of the cache are the addresses of the
 * courses. sw.js uses the same name.
 */
export const COURSES = 'nextpixel-courses';

/** Starts the service worker and sends it the addresses of all files that the page has loaded. */
export async function workOffline() {
  try {
    if (!navigator.serviceWorker) return; // service workers need a page from HTTPS or localhost
    const controlled = navigator.serviceWorker.controller !== null;
    await navigator.serviceWorker.register(new URL('../../sw.js', import.meta.url));
    const { active } = await navigator.serviceWorker.ready;
    if (controlled) return; // the service worker has handled all requests of this page
    active?.postMessage([location.href]);
    new PerformanceObserver((list) => active?.postMessage(list.getEntries().map(({ name }) => name))).observe({
      type: 'resource',
      buffered: true,
    });
  } catch {
    // Some browsers forbid service workers in private windows. The page then needs a connection.
  }
}
