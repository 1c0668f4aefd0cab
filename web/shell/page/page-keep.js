// SPDX-License-Identifier: MIT
// Keeps the files of a course for visits without a connection: pages in all languages, scripts, models. Scripts and pages are in the cache of the service worker (sw.js),
// models in that of the library; a list of them in a third one keeps both from dropping them.
// @ts-check
import { fastest } from '../../lib/workers/simd.js';
import { make } from './dom.js';
import { COURSES, workOffline } from './offline.js';
import { phrase } from './phrase.js';
import { bytes } from './words.js';

/** @typedef {[address: string, bytes: number, tag: string]} CourseFile  two files with the same name and tag are identical */
/** @typedef {{ release: string, files: CourseFile[] }} Kept */

const [FILES, MODELS] = ['nextpixel-page', 'nextpixel'];
/** Number of parallel downloads. */
const AT_ONCE = 4;
/** Matches folders whose files never change. */
const FIXED = /\/(dist|weights)-[0-9a-f]{12}\//;

/** Address of the folder web/. */
const web = new URL('../../', import.meta.url).href;

const isModel = (/** @type {string} */ url) => url.endsWith('.gguf');
const cacheOf = (/** @type {string} */ url) => caches.open(isModel(url) ? MODELS : FILES);
const sizeOf = (/** @type {CourseFile[]} */ files) => files.reduce((sum, [, size]) => sum + size, 0);
/** Identifies a file and its contents independently of the release. @param {CourseFile} file */
const versionOf = ([url, , tag]) => `${url.replace(FIXED, '/$1/')} ${tag}`;

/** Returns the builds of the library that this browser uses. */
function builds() {
  const best = fastest();
  const names = ['', ...(best === 'baseline' ? [] : [`-${best}`])];
  return [...names, ...(crossOriginIsolated ? names.map((name) => `-threads${name}`) : [])].map((name) => `/nextpixel${name}.wasm`);
}

/** Returns the current list of files of a course. @param {string} id */
async function planOf(id) {
  const answer = await fetch(`${web}courses.json`, { cache: 'no-cache' });
  if (!answer.ok) throw new Error(String(answer.status));
  const { release, courses } = await answer.json();
  const { pages, files } = /** @type {{ pages: number, files: CourseFile[] }} */ (courses[id]);
  const used = builds();
  const whole = files.map(([address, size, tag]) => /** @type {CourseFile} */ ([new URL(address, web).href, size, tag]));
  return { release, pages, files: whole.filter(([url]) => !url.endsWith('.wasm') || used.some((name) => url.endsWith(name))) };
}

const recordOf = (/** @type {string} */ id) => `${web}courses/${id}`;

/** @param {string} id @returns {Promise<Kept | undefined>} */
const keptOf = async (id) => (await caches.match(recordOf(id), { cacheName: COURSES }))?.json();

/** Returns the ids of all stored courses. */
async function allKept() {
  const keys = (await caches.has(COURSES)) ? await (await caches.open(COURSES)).keys() : [];
  const start = recordOf('');
  return keys.filter(({ url }) => url.startsWith(start)).map(({ url }) => url.slice(start.length));
}

/** Deletes the files in this list that belong to no stored course. @param {CourseFile[]} files */
async function drop(files) {
  const kept = await Promise.all((await allKept()).map(keptOf));
  const needed = new Set(kept.flatMap((one) => one?.files.map(([url]) => url) ?? []));
  for (const [url] of files) if (!needed.has(url)) await (await cacheOf(url)).delete(url, { ignoreVary: true });
}

/**
 * Fetches the missing files and marks the course as stored. An unchanged file of an earlier release is copied.
 *
 * @param {string} id
 * @param {Kept} wanted
 * @param {{ signal?: AbortSignal, report?: (loaded: number) => void }} [how]
 */
async function keep(id, { release, files }, { signal, report } = {}) {
  const before = await keptOf(id);
  const had = new Map(before?.files.map((file) => [versionOf(file), file[0]]));
  const stopper = new AbortController();
  const stop = () => stopper.abort(signal?.reason);
  signal?.addEventListener('abort', stop);
  let loaded = 0;
  const count = (/** @type {number} */ more) => report?.((loaded += more));

  /** @param {CourseFile} file */
  async function bring(file) {
    const [url, size] = file;
    const cache = await cacheOf(url);
    const old = had.get(versionOf(file));
    const copy = FIXED.test(url) || old === url ? await cache.match(url, { ignoreVary: true }) : undefined;
    if (copy) return count(size);
    const equal = old && (await cache.match(old, { ignoreVary: true }));
    if (equal) {
      await cache.put(url, equal);
      return count(size);
    }
    // The service worker does not intercept a request with this header.
    const answer = await fetch(url, { signal: stopper.signal, cache: 'no-cache', headers: { 'x-nextpixel-keep': '1' } });
    if (!answer.ok || !answer.body) throw new Error(`${url}: ${answer.status}`);
    const counted = answer.body.pipeThrough(
      new TransformStream({
        transform(chunk, controller) {
          count(chunk.length);
          controller.enqueue(chunk);
        },
      }),
    );
    await cache.put(url, new Response(counted, { headers: answer.headers }));
  }

  const waiting = [...files];
  const some = async () => {
    for (let file = waiting.shift(); file; file = waiting.shift()) {
      stopper.signal.throwIfAborted();
      await bring(file);
    }
  };
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, some));
  } catch (error) {
    stopper.abort();
    throw error;
  } finally {
    signal?.removeEventListener('abort', stop);
  }
  await (await caches.open(COURSES)).put(recordOf(id), new Response(JSON.stringify({ release, files })));
  if (before) await drop(before.files);
}

/** Deletes a course and the files that belong to no other course. @param {string} id @param {CourseFile[]} files */
async function remove(id, files) {
  const before = await keptOf(id);
  await (await caches.open(COURSES)).delete(recordOf(id));
  await drop([...(before?.files ?? []), ...files]);
  if ((await allKept()).length === 0) await caches.delete(COURSES);
}

/** Updates every stored course to the current release. */
export async function refresh() {
  if (/** @type {any} */ (navigator).connection?.saveData) return; // later, by hand
  for (const id of await allKept()) {
    const [plan, kept] = await Promise.all([planOf(id), keptOf(id)]);
    if (plan.release !== kept?.release) await keep(id, plan);
  }
}

/**
 * Shows the size of a course in a box, whether it is stored, and the buttons to store or delete it.
 * @param {HTMLElement} box  its data-course is the id
 */
export async function fill(box) {
  const id = String(box.dataset.course);
  const said = make('p', { class: 'keep-said', role: 'status' });
  const bar = make('progress', { max: '1', value: '0', 'aria-label': phrase`Keeping the course`, hidden: '' });
  const action = make('button', { type: 'button', class: 'button', hidden: '' });
  const removal = make('button', { type: 'button', class: 'button', hidden: '' }, phrase`Remove`);
  box.append(said, make('div', { class: 'take-tools' }, bar, action, removal));
  if (!globalThis.caches || !navigator.serviceWorker) {
    said.textContent = phrase`This takes a page from https: or from the address localhost.`;
    return;
  }

  /** @type {Awaited<ReturnType<typeof planOf>>} */
  let plan;
  /** @type {AbortController | undefined} */
  let stopper;

  /** @param {string} [first]  text to show first */
  async function show(first = '') {
    const kept = await keptOf(id);
    const { files, pages } = plan;
    const current = kept?.release === plan.release;
    const [models, others] = [true, false].map((wanted) => bytes(sizeOf((kept ?? plan).files.filter(([url]) => isModel(url) === wanted))));
    const sizes = phrase`${pages} pages with their translations: ${others} of pages and scripts, ${models} of models.`;
    const state = !kept ? '' : current ? phrase`Kept: the course works without a connection.` : phrase`Kept, but there is a newer release.`;
    said.textContent = [first, state, sizes].filter(Boolean).join(' ');
    bar.hidden = true;
    action.hidden = current;
    action.textContent = kept ? phrase`Update` : phrase`Keep ${bytes(sizeOf(files))}`;
    removal.hidden = !kept && !first;
  }

  async function start() {
    const mine = (stopper = new AbortController());
    const { signal } = mine;
    const total = sizeOf(plan.files);
    removal.hidden = true;
    bar.hidden = false;
    bar.value = 0;
    action.textContent = phrase`Cancel`;
    said.textContent = phrase`Keeping the course`;
    try {
      const { quota = Infinity, usage = 0 } = await navigator.storage.estimate();
      if (quota - usage < total) throw new DOMException(bytes(quota - usage), 'QuotaExceededError');
      void navigator.storage.persist?.().catch(() => {});
      await workOffline();
      await keep(id, plan, {
        signal,
        report(loaded) {
          bar.value = loaded / total;
        },
      });
      stopper = undefined;
      await show();
    } catch (error) {
      const { name } = /** @type {Error} */ (error);
      stopper = undefined;
      await show(
        signal.aborted
          ? phrase`Cancelled: what has come is not fetched again.`
          : name === 'QuotaExceededError'
            ? phrase`There is not enough room on this device.`
            : phrase`The connection broke off: what has come is not fetched again.`,
      );
    }
  }

  action.addEventListener('click', () => {
    if (stopper) stopper.abort();
    else start();
  });
  removal.addEventListener('click', async () => {
    await remove(id, plan.files);
    await show();
    removal.hidden = true;
  });
  try {
    plan = await planOf(id);
    await show();
  } catch {
    said.textContent = phrase`This takes a connection.`;
  }
}
