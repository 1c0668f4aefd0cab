// SPDX-License-Identifier: MIT
// Lets the page work without a connection from the second visit on.
// @ts-check

/** Name of the cache with the lists of files of the stored courses, by course address; sw.js has the same name. */
export const COURSES = 'nextpixel-courses';

/** Starts the service worker and passes it the addresses of all files that the page has loaded. */
export async function workOffline() {
  try {
    if (!navigator.serviceWorker) return; // the page is neither served over HTTPS nor from localhost
    const controlled = navigator.serviceWorker.controller !== null;
    await navigator.serviceWorker.register(new URL('../../sw.js', import.meta.url));
    const { active } = await navigator.serviceWorker.ready;
    if (controlled) return; // the worker has handled all requests of the page
    active?.postMessage([location.href]);
    new PerformanceObserver((list) => active?.postMessage(list.getEntries().map(({ name }) => name))).observe({
      type: 'resource',
      buffered: true,
    });
  } catch {
    // In some private windows a service worker is not allowed: the page works online only.
  }
}
