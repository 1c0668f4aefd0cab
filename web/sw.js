// SPDX-License-Identifier: MIT
// The demo's pages without a connection: every file comes from the network, and from the last visit where there is none. Weights are not
// kept here, for the library keeps them itself.
// @ts-check

/** @typedef {Event & { waitUntil: (work: Promise<unknown>) => void }} Extendable */
/** @typedef {Extendable & { request: Request, preloadResponse?: Promise<Response | undefined>, respondWith: (response: Promise<Response>) => void }} FetchEvent */
const worker = /** @type {any} */ (globalThis);

const NAME = 'nextpixel-page';

/** Releases whose scripts are kept, the newest: a visitor may have pages of both. ./build.sh site names the folder of each after what is in it. */
const RELEASES = 2;
const RELEASE = /\/(dist-[0-9a-f]{12})\//;
/** The folder of a release's weights, and what stands before it. Its copies, up to 65 MB, are the library's. */
const WEIGHTS = /^(.*\/)(weights-[0-9a-f]{12})\/[^/]*\.gguf$/;
const LIBRARY = 'nextpixel';
/** The library's notes on copies of which only a part has arrived. */
const UNFINISHED = 'nextpixel-unfinished';
/** Lists of the files of each course that a visitor keeps (shell/page/page-keep.js): these stay as they are until that replaces them. */
const COURSES = 'nextpixel-courses';
/** The header of its requests, whose answers it keeps itself. */
const KEEPING = 'x-nextpixel-keep';
/** The folder of the weights that were asked for last. */
let latest = '';
/** Files that are kept. The site has fewer than 300. */
const MOST = 500;

/** @param {string} url */
const ours = (url) => new URL(url).origin === location.origin && !url.endsWith('.gguf');

/** A file has one copy, whatever is asked of it. @param {string} url */
const fileOf = (url) => {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
};

worker.addEventListener('install', () => worker.skipWaiting());

worker.addEventListener('activate', (/** @type {Extendable} */ event) =>
  event.waitUntil(
    Promise.all([
      worker.registration.navigationPreload?.enable(), // a page is asked for while this worker is still starting
      forget().catch(() => {}),
    ]),
  ),
);

worker.addEventListener('fetch', (/** @type {FetchEvent} */ event) => {
  const { request } = event;
  const [, , folder] = WEIGHTS.exec(fileOf(request.url)) ?? [];
  if (folder && folder !== latest) event.waitUntil(forgetWeights(fileOf(request.url)).catch(() => {}));
  if (request.method === 'GET' && ours(request.url) && !request.headers.has('range') && !request.headers.has(KEEPING))
    event.respondWith(answer(event));
});

/** Files that a page has loaded before this worker was there. */
worker.addEventListener('message', (/** @type {Extendable & { data: string[] }} */ event) => {
  event.waitUntil(
    Promise.all(
      event.data.filter(ours).map(async (url) => {
        if (!(await copyOf(url))) await keep(url, 200, null);
      }),
    ),
  );
});

/** @param {FetchEvent} event */
async function answer(event) {
  const { request } = event;
  try {
    const early = await event.preloadResponse;
    // Without a connection, Firefox resolves it to an error.
    const response = early && early.type !== 'error' ? early : await fetch(request);
    // Nothing of the answer is read here: it goes to the page as it comes.
    event.waitUntil(keep(request.url, response.status, response.headers.get('etag')));
    return response;
  } catch (error) {
    const copy = await copyOf(request.url);
    if (copy) return copy;
    throw error;
  }
}

/** The files of the courses that are kept. @returns {Promise<Set<string>>} */
async function pinned() {
  if (!(await caches.has(COURSES))) return new Set();
  const cache = await caches.open(COURSES);
  const lists = await Promise.all((await cache.keys()).map(async (request) => (await cache.match(request))?.json()));
  return new Set(lists.flatMap((list) => list?.files.map((/** @type {[string]} */ [url]) => url) ?? []));
}

/** @param {string} url */
const copyOf = async (url) => (await caches.open(NAME)).match(fileOf(url), { ignoreVary: true });

/** Keeps a file that is new, or that has changed. @param {string} url @param {number} status @param {string | null} tag of what the page has got */
async function keep(url, status, tag) {
  try {
    if (status !== 200) return;
    const copy = await copyOf(url);
    if (copy && tag !== null && copy.headers.get('etag') === tag) return;
    if (copy && (await pinned()).has(fileOf(url))) return;
    const response = await fetch(url); // the browser has it from a moment ago
    if (response.status !== 200) return;
    const cache = await caches.open(NAME);
    await cache.put(fileOf(url), response);
    if (!copy) await forget();
  } catch {
    // No room, no connection any more, or not allowed: the page works all the same.
  }
}

/** Drops the copies of old releases, with the pages that need them, and what is too much. */
async function forget() {
  const cache = await caches.open(NAME);
  const urls = (await cache.keys()).map(({ url }) => url); // the oldest first
  const releases = [...new Set(urls.flatMap((url) => RELEASE.exec(url)?.[1] ?? []).reverse())];
  const old = releases.slice(RELEASES);
  const held = await pinned();
  /** @param {string} url of a page */
  const isOld = async (url) => {
    const text = await (await cache.match(url, { ignoreVary: true }))?.text();
    return old.some((release) => text?.includes(`${release}/`));
  };
  const [left, gone] = [/** @type {string[]} */ ([]), /** @type {string[]} */ ([])];
  for (const url of urls) {
    if (held.has(url)) continue;
    const release = RELEASE.exec(url)?.[1];
    const dropped =
      url !== fileOf(url) || (release ? old.includes(release) : old.length > 0 && /(\/|\.html)$/.test(url) && (await isOld(url)));
    (dropped ? gone : left).push(url);
  }
  gone.push(...left.slice(0, Math.max(0, left.length - MOST)));
  for (const url of gone) await cache.delete(url, { ignoreVary: true });
}

/** Drops the library's copies of the weights of other releases: their addresses differ, though most files are the same. @param {string} url  of a release's weights */
async function forgetWeights(url) {
  const [, site, folder] = /** @type {RegExpExecArray} */ (WEIGHTS.exec(url));
  latest = folder;
  const cache = await caches.open(LIBRARY);
  const notes = (await caches.has(UNFINISHED)) ? await caches.open(UNFINISHED) : undefined;
  const held = await pinned();
  for (const request of await cache.keys()) {
    if (held.has(request.url)) continue;
    const [, place, other] = WEIGHTS.exec(fileOf(request.url)) ?? [];
    if (place === site && other !== folder) await Promise.all([cache.delete(request), notes?.delete(request)]);
  }
}
