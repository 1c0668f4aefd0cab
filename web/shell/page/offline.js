// SPDX-License-Identifier: MIT
// Lets the page work without a connection from the second visit on.
// @ts-check

/** The cache of the courses that a visitor keeps: lists of files, by the address of the course. sw.js has the same name. */
export const COURSES = 'nextpixel-courses';

/** Starts the service worker, and passes it the addresses of everything that the page loaded before it. */
export async function workOffline() {
  try {
    if (!navigator.serviceWorker) return; // a page that is neither from https: nor from this machine
    const controlled = navigator.serviceWorker.controller !== null;
    await navigator.serviceWorker.register(new URL('../../sw.js', import.meta.url));
    const { active } = await navigator.serviceWorker.ready;
    if (controlled) return; // it has seen everything itself
    active?.postMessage([location.href]);
    new PerformanceObserver((list) => active?.postMessage(list.getEntries().map(({ name }) => name))).observe({
      type: 'resource',
      buffered: true,
    });
  } catch {
    // Not allowed here, as in some private windows: the page works with a connection.
  }
}
