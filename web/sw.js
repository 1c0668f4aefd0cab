// SPDX-License-Identifier: MIT
// Service worker that lets the demo's pages work offline. Every file comes from the network or, without a connection, from the copy that
// was cached during the most recent visit. The library itself caches the weights.
// @ts-check

/** @typedef {Event & { waitUntil: (work: Promise<unknown>) => void }} Extendable */
/** @typedef {Extendable & { request: Request, clientId: string, preloadResponse?: Promise<Response | undefined>, respondWith: (response: Promise<Response>) => void }} FetchEvent */
const worker = /** @type {any} */ (globalThis);

const NAME = 'nextpixel-page';

/**
 * Number of releases whose scripts are kept. The number is more than one because a visitor may still have pages of the previous release
 * open. ./build.sh site names each release's folder after its contents.
 */
const RELEASES = 2;
const RELEASE = /\/(dist-[0-9a-f]{12})\//;
/**
 * Matches the address of a weight file. The first group is the path before the release's folder of weights. The second group is the name of
 * that folder. The library caches the weight files itself. All weight files together take about 68 MB.
 */
const WEIGHTS = /^(.*\/)(weights-[0-9a-f]{12})\/[^/]*\.gguf$/;
const LIBRARY = 'nextpixel';
/** Cache in which the library stores notes about incomplete copies. */
const UNFINISHED = 'nextpixel-unfinished';
/**
 * Cache of notes. For each open page, a note stores the folder of weights that the page requested. The cache exists only while weights
 * of several releases are cached.
 */
const USES = 'nextpixel-uses';
/** Cache of the file lists of the courses on this device. Only shell/page/page-keep.js replaces the files in these lists. */
const COURSES = 'nextpixel-courses';
/** Header that marks requests by page-keep.js, which stores the responses itself. */
const KEEPING = 'x-nextpixel-keep';
/** The folder of all cached weights; empty if the cached weights may come from several folders. */
let only = '';
/** Maximum number of cached files. The site has fewer than 300. */
const MOST = 500;

/** @param {string} url */
const ours = (url) => new URL(url).origin === location.origin && !url.endsWith('.gguf');

/** Returns the address without its query, so that each file is cached only once. @param {string} url */
const fileOf = (url) => {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
};

worker.addEventListener('install', () => worker.skipWaiting());

worker.addEventListener('activate', (/** @type {Extendable} */ event) =>
  event.waitUntil(
    Promise.all([
      worker.registration.navigationPreload?.enable(), // lets the browser request a page while this worker is still starting
      forget().catch(() => {}),
    ]),
  ),
);

worker.addEventListener('fetch', (/** @type {FetchEvent} */ event) => {
  const { request } = event;
  if (request.headers.has(KEEPING)) return;
  const [, , folder] = WEIGHTS.exec(fileOf(request.url)) ?? [];
  if (folder && folder !== only) event.waitUntil(forgetWeights(fileOf(request.url), event.clientId).catch(() => {}));
  if (request.method === 'GET' && ours(request.url) && !request.headers.has('range')) event.respondWith(answer(event));
});

/** Caches files that a page loaded before this worker became active. */
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
    // Without a connection, Firefox resolves the navigation preload with an error response.
    const response = early && early.type !== 'error' ? early : await fetch(request);
    // The response is not read here, so that the page can read the response while it arrives.
    event.waitUntil(keep(request.url, response.status, response.headers.get('etag')));
    return response;
  } catch (error) {
    const copy = await copyOf(request.url);
    if (copy) return copy;
    throw error;
  }
}

/**
 * Returns the files of all courses on this device.
 *
 * @param {boolean} [begun]  whether to include the files of unfinished downloads
 * @returns {Promise<Set<string>>}
 */
async function pinned(begun = false) {
  if (!(await caches.has(COURSES))) return new Set();
  const cache = await caches.open(COURSES);
  const lists = await Promise.all((await cache.keys()).map(async (request) => (await cache.match(request))?.json()));
  // The list of an unfinished download has `unfinished` instead of `files`.
  const files = lists.flatMap((list) => list?.files ?? (begun ? list?.unfinished : undefined) ?? []);
  return new Set(files.map((/** @type {[string]} */ [url]) => url));
}

/** @param {string} url */
const copyOf = async (url) => (await caches.open(NAME)).match(fileOf(url), { ignoreVary: true });

/**
 * Caches a file that is new or has changed.
 *
 * @param {string} url
 * @param {number} status
 * @param {string | null} tag ETag of the response that the page received
 */
async function keep(url, status, tag) {
  try {
    if (status !== 200) return;
    const copy = await copyOf(url);
    if (copy && tag !== null && copy.headers.get('etag') === tag) return;
    if (copy && (await pinned()).has(fileOf(url))) return;
    const response = await fetch(url); // usually comes from the browser's HTTP cache
    if (response.status !== 200) return;
    const cache = await caches.open(NAME);
    await cache.put(fileOf(url), response);
    if (!copy) await forget();
  } catch {
    // The page still works if there is no space, connection or permission for the copy.
  }
}

/** Deletes the cached files of old releases, the cached pages that need those files, and the oldest files beyond the maximum number. */
async function forget() {
  const cache = await caches.open(NAME);
  const urls = (await cache.keys()).map(({ url }) => url); // ordered from the oldest to the newest
  const releases = [...new Set(urls.flatMap((url) => RELEASE.exec(url)?.[1] ?? []).reverse())];
  const old = releases.slice(RELEASES);
  const held = await pinned();
  /** @param {string} url address of a page */
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

/**
 * Deletes weights from the library's cache if they belong to releases that no open page uses. Most of the deleted files are identical to
 * files of the page's own release, but are cached under other addresses.
 *
 * @param {string} url  address of a weight file of the release that the page uses
 * @param {string} page  id of the page
 */
async function forgetWeights(url, page) {
  const [, site, folder] = /** @type {RegExpExecArray} */ (WEIGHTS.exec(url));
  const cache = await caches.open(LIBRARY);
  const others = (await cache.keys()).flatMap((request) => {
    const [, place, other] = WEIGHTS.exec(fileOf(request.url)) ?? [];
    return place === site && other !== folder ? [{ request, other }] : [];
  });
  only = others.length === 0 ? folder : '';
  if (only) return void (await caches.delete(USES));
  const uses = await caches.open(USES);
  await uses.put(noteOf(page), new Response(folder));
  const used = await usedFolders(uses, /** @type {{ other: string }} */ (others.at(-1)).other);
  const notes = (await caches.has(UNFINISHED)) ? await caches.open(UNFINISHED) : undefined;
  const held = await pinned(true);
  for (const { request, other } of others)
    if (!used.has(other) && !held.has(request.url)) await Promise.all([cache.delete(request), notes?.delete(request)]);
}

/** @param {string} page  id of a page */
const noteOf = (page) => `${worker.registration.scope}uses/${page}`;

/**
 * Returns the folders of weights that the open pages use, and deletes the notes of closed pages.
 *
 * @param {Cache} uses
 * @param {string} newest  folder to assume for pages without a note, for example pages loaded before this worker became active
 */
async function usedFolders(uses, newest) {
  /** @type {{ id: string, url: string }[]} */
  const windows = await worker.clients.matchAll({ includeUncontrolled: true });
  const open = windows.filter(({ url }) => url.startsWith(worker.registration.scope)).map(({ id }) => noteOf(id));
  for (const { url } of await uses.keys()) if (!open.includes(url)) await uses.delete(url);
  return new Set(await Promise.all(open.map(async (note) => (await uses.match(note))?.text() ?? newest)));
}
