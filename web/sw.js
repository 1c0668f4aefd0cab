// SPDX-License-Identifier: MIT
// The demo's pages without a connection: every file comes from the network, and from the last visit where there is none. Weights are not
// kept here, for the library keeps them itself.
// @ts-check

/** @typedef {Event & { waitUntil: (work: Promise<unknown>) => void }} Extendable */
/** @typedef {Extendable & { request: Request, preloadResponse?: Promise<Response | undefined>, respondWith: (response: Promise<Response>) => void }} FetchEvent */
const worker = /** @type {any} */ (globalThis);

const NAME = 'nextpixel-page';

/** @param {string} url */
const ours = (url) => new URL(url).origin === location.origin && !url.endsWith('.gguf');

worker.addEventListener('install', () => worker.skipWaiting());

// A page is asked for while this worker is still starting.
worker.addEventListener('activate', (/** @type {Extendable} */ event) => event.waitUntil(worker.registration.navigationPreload?.enable() ?? Promise.resolve()));

worker.addEventListener('fetch', (/** @type {FetchEvent} */ event) => {
  const { request } = event;
  if (request.method === 'GET' && ours(request.url) && !request.headers.has('range')) event.respondWith(answer(event));
});

/** Files that a page has loaded before this worker was there. */
worker.addEventListener('message', (/** @type {Extendable & { data: string[] }} */ event) => {
  event.waitUntil(Promise.all(event.data.filter(ours).map(async (url) => { if (!await caches.match(url)) await keep(url, 200, null); })));
});

/** @param {FetchEvent} event */
async function answer(event) {
  const { request } = event;
  try {
    const response = (await event.preloadResponse) ?? await fetch(request);
    // Nothing of the answer is read here: it goes to the page as it comes.
    event.waitUntil(keep(request.url, response.status, response.headers.get('etag')));
    return response;
  } catch (error) {
    const copy = await caches.match(request, { ignoreVary: true });
    if (copy) return copy;
    throw error;
  }
}

/** Keeps a file that is new, or that has changed. @param {string} url @param {number} status @param {string | null} tag of what the page has got */
async function keep(url, status, tag) {
  try {
    if (status !== 200) return;
    const cache = await caches.open(NAME);
    const copy = await cache.match(url, { ignoreVary: true });
    if (copy && tag !== null && copy.headers.get('etag') === tag) return;
    await cache.add(url); // the browser has it from a moment ago
  } catch {
    // No room, no connection any more, or not allowed: the page works all the same.
  }
}
