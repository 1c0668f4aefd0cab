// SPDX-License-Identifier: MIT
// The demo page without a connection: every file comes from the network, and from the last visit where there is none. Weights are not
// kept here, for the library keeps them itself.
// @ts-check

/** @typedef {Event & { waitUntil: (work: Promise<unknown>) => void }} Extendable */
/** @typedef {Extendable & { request: Request, respondWith: (response: Promise<Response>) => void }} FetchEvent */
const worker = /** @type {any} */ (globalThis);

const NAME = 'nextpixel-page';

/** @param {string} url */
const ours = (url) => new URL(url).origin === location.origin && !url.endsWith('.gguf');

worker.addEventListener('install', () => worker.skipWaiting());

worker.addEventListener('fetch', (/** @type {FetchEvent} */ event) => {
  const { request } = event;
  if (request.method === 'GET' && ours(request.url) && !request.headers.has('range')) event.respondWith(answer(event));
});

/** What a page has loaded before this worker was there. */
worker.addEventListener('message', (/** @type {Extendable & { data: string[] }} */ event) => {
  event.waitUntil(Promise.all(event.data.filter(ours).map(async (url) => {
    if (await caches.match(url)) return;
    const response = await fetch(url).catch(() => undefined);
    if (response) await keep(new Request(url), response);
  })));
});

/** @param {FetchEvent} event */
async function answer(event) {
  const { request } = event;
  try {
    const response = await fetch(request);
    event.waitUntil(keep(request, response.clone()));
    return response;
  } catch (error) {
    const copy = await caches.match(request, { ignoreVary: true });
    if (copy) return copy;
    throw error;
  }
}

/** @param {Request} request @param {Response} response */
async function keep(request, response) {
  try {
    if (response.status !== 200) return;
    const cache = await caches.open(NAME);
    const copy = await cache.match(request, { ignoreVary: true });
    const tag = response.headers.get('etag');
    if (!copy || tag === null || copy.headers.get('etag') !== tag) await cache.put(request, response);
  } catch {
    // No room, or not allowed: the page works all the same.
  }
}
