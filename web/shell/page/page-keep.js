// SPDX-License-Identifier: MIT
// Keeps the files of a course for visits without a connection: pages in all languages, scripts, models. Scripts and pages are in the cache
// of the service worker (sw.js), models in that of the library; a list in a third cache prevents both from being dropped.
// @ts-check
import { fastest } from '../../lib/workers/simd.js';
import { make } from './dom.js';
import { fault } from './fault.js';
import { COURSES, workOffline } from './offline.js';
import { phrase } from './phrase.js';
import { bytes } from './words.js';

/** @typedef {[address: string, bytes: number, tag: string]} CourseFile  two files with the same name and tag are identical */
/**
 * @typedef {object} Kept
 * @property {string} release
 * @property {CourseFile[]} files
 * @property {string[]} [ids]  all courses of this release
 */

const [FILES, MODELS] = ['nextpixel-page', 'nextpixel'];
/** Number of parallel downloads. */
const AT_ONCE = 4;
/** Name of the lock under which a page stores or deletes files: an unfinished download is in no list, so a removal elsewhere would delete its files. */
const LOCK = 'nextpixel-courses';
/** Matches folders whose files never change. */
const FIXED = /\/(dist|weights)-[0-9a-f]{12}\//;

/** Address of the folder web/. */
const web = new URL('../../', import.meta.url).href;

const isModel = (/** @type {string} */ url) => url.endsWith('.gguf');
const cacheOf = (/** @type {string} */ url) => caches.open(isModel(url) ? MODELS : FILES);
const sizeOf = (/** @type {CourseFile[]} */ files) => files.reduce((sum, [, size]) => sum + size, 0);
/** Identifies a file and its contents independently of the release. @param {CourseFile} file */
const versionOf = ([url, , tag]) => `${url.replace(FIXED, '/$1/')} ${tag}`;

/** Runs a task while no other page or box stores or deletes files. @param {() => Promise<void>} task @param {{ signal?: AbortSignal }} [how] */
const alone = (task, how = {}) => (navigator.locks ? navigator.locks.request(LOCK, how, task) : task());

/** Returns whether a task must wait for another one. */
const isTaken = async () => (await navigator.locks?.query())?.held?.some(({ name }) => name === LOCK) ?? false;

/** Returns the builds of the library that this browser uses. */
function builds() {
  const best = fastest();
  const names = ['', ...(best === 'baseline' ? [] : [`-${best}`])];
  return [...names, ...(crossOriginIsolated ? names.map((name) => `-threads${name}`) : [])].map((name) => `/nextpixel${name}.wasm`);
}

/** An answer of the host other than the file. */
class HostError extends Error {
  /** @param {string} url @param {number} status */
  constructor(url, status) {
    super(`${url}: ${status}`);
    this.file = new URL(url).pathname.replace(/.*\/(?=.)/, '');
    this.status = status;
  }
}

/** Distinguishes a lost connection from every other failure. @template T @param {Promise<T>} answer @returns {Promise<T>} */
const fromHost = (answer) =>
  answer.catch((cause) => {
    throw cause instanceof TypeError ? new DOMException(cause.message, 'NetworkError') : cause;
  });

/** Returns the current courses of the site, by their ids. @returns {Promise<Record<string, Kept>>} */
async function currentCourses() {
  const url = `${web}courses.json`;
  const answer = await fromHost(fetch(url, { cache: 'no-cache' }));
  if (!answer.ok) throw new HostError(url, answer.status);
  const { release, courses } = await fromHost(answer.json());
  const used = builds();
  const ids = Object.keys(courses);
  return Object.fromEntries(
    Object.entries(/** @type {Record<string, { files: CourseFile[] }>} */ (courses)).map(([id, { files }]) => {
      const whole = files.map(([address, size, tag]) => /** @type {CourseFile} */ ([new URL(address, web).href, size, tag]));
      return [id, { release, ids, files: whole.filter(([url]) => !url.endsWith('.wasm') || used.some((name) => url.endsWith(name))) }];
    }),
  );
}

/** Returns the names of the pages in a list of files. @param {CourseFile[]} files */
const pagesIn = (files) => [...new Set(files.flatMap(([url]) => /\/pages\/([^/]+)\/(?:\w+\/)?$/.exec(url)?.[1] ?? []))];

/**
 * Returns the id under which the site now has a stored course: its own, or, after it was renamed, that of a new course with most of its pages.
 * @param {string} id
 * @param {Kept | undefined} kept
 * @param {Record<string, Kept>} courses
 */
function currentId(id, kept, courses) {
  if (Object.hasOwn(courses, id)) return id;
  const pages = pagesIn(kept?.files ?? []);
  return Object.keys(courses).find((other) => {
    if (kept?.ids?.includes(other)) return false; // existed beside the stored course
    const theirs = pagesIn(courses[other].files);
    return 2 * pages.filter((page) => theirs.includes(page)).length > pages.length;
  });
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
 * @param {{ signal?: AbortSignal, report?: (loaded: number) => void, earlier?: Kept }} [how]  earlier: an earlier release of the course, perhaps under
 *   another name
 */
async function keep(id, { release, files, ids }, { signal, report, earlier } = {}) {
  const before = await keptOf(id);
  const had = new Map((earlier ?? before)?.files.map((file) => [versionOf(file), file[0]]));
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
    const answer = await fromHost(fetch(url, { signal: stopper.signal, cache: 'no-cache', headers: { 'x-nextpixel-keep': '1' } }));
    if (!answer.ok || !answer.body) throw new HostError(url, answer.status);
    const counted = answer.body.pipeThrough(
      new TransformStream({
        transform(chunk, controller) {
          count(chunk.length);
          controller.enqueue(chunk);
        },
      }),
    );
    await fromHost(cache.put(url, new Response(counted, { headers: answer.headers })));
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
  await (await caches.open(COURSES)).put(recordOf(id), new Response(JSON.stringify({ release, files, ids })));
  if (before) await drop(before.files);
}

/** Deletes a course and the files that belong to no other course. @param {string} id @param {CourseFile[]} [files]  further files, of an interrupted download */
async function remove(id, files = []) {
  const before = await keptOf(id);
  await (await caches.open(COURSES)).delete(recordOf(id));
  await drop([...(before?.files ?? []), ...files]);
  if ((await allKept()).length === 0) await caches.delete(COURSES);
}

/** Updates every stored course to the current release. A course that the site no longer has stays: only the visitor removes it. */
export async function refresh() {
  if (/** @type {any} */ (navigator).connection?.saveData) return; // later, by hand
  const ids = await allKept();
  const courses = await currentCourses();
  for (const id of ids) {
    try {
      await alone(async () => {
        const kept = await keptOf(id);
        if (!kept) return; // removed since
        const now = currentId(id, kept, courses);
        if (now === undefined || (now === id && kept.release === courses[id].release)) return;
        await keep(now, courses[now], { earlier: kept });
        if (now !== id) await remove(id);
      });
    } catch {
      // This course stays as it is, and its box offers the update; the others are updated.
    }
  }
}

/** Returns whether pages can be stored here: neither from file: nor in a sandboxed frame, where reading `caches` throws. */
function canStore() {
  try {
    return Boolean(globalThis.caches && navigator.serviceWorker);
  } catch {
    return false;
  }
}

/** Returns what went wrong, for people. @param {unknown} error */
function reason(error) {
  if (error instanceof HostError) return phrase`The host answered ${error.status} for ${error.file}.`;
  const { name } = /** @type {Error} */ (error);
  if (name === 'QuotaExceededError') return phrase`There is not enough room on this device.`;
  if (name === 'NetworkError') return phrase`There is no connection to the host.`;
  return phrase`The browser reported an error: ${fault(error)}`;
}

/**
 * Shows the size of a course in a box, whether it is stored, and the buttons to store or delete it.
 * @param {HTMLElement} box  its data-course is the id
 * @param {HTMLElement} said  its status line
 */
export async function fill(box, said) {
  const id = String(box.dataset.course);
  if (!canStore()) {
    said.textContent = phrase`This needs a page from https: or from the address localhost.`;
    return;
  }
  const bar = make('progress', { max: '1', value: '0', 'aria-label': phrase`Keeping the course`, hidden: '' });
  const action = make('button', { type: 'button', class: 'button', hidden: '' });
  const removal = make('button', { type: 'button', class: 'button', hidden: '' }, phrase`Remove`);
  const others = make('div');
  box.append(make('div', { class: 'take-tools' }, bar, action, removal), others);
  said.tabIndex = -1;

  /** The course as the site has it now. @type {Kept | undefined} */
  let plan;
  /** @type {AbortController | undefined} */
  let stopper;
  /** Whether files of an interrupted download are stored. */
  let partial = false;

  /** Shows the state of the course. @param {string} [first]  text to show first */
  async function show(first = '') {
    const kept = await keptOf(id);
    const focused = [action, removal].find((button) => button === document.activeElement);
    const current = kept?.release === plan?.release;
    const state = !kept
      ? ''
      : plan && !current
        ? phrase`Kept, but there is a newer release.`
        : phrase`Kept: the course works without a connection.`;
    const shown = kept ?? plan;
    said.textContent = [first, state, shown ? sizesOf(shown.files) : ''].filter(Boolean).join(' ');
    bar.hidden = true;
    action.hidden = plan !== undefined && current;
    action.textContent = !plan ? phrase`Try again` : kept ? phrase`Update` : phrase`Keep ${bytes(sizeOf(plan.files))}`;
    removal.hidden = !kept && !partial;
    if (focused?.hidden) [action, removal].find(({ hidden }) => !hidden)?.focus();
  }

  /** @param {CourseFile[]} files */
  function sizesOf(files) {
    const [models, rest] = [true, false].map((wanted) => bytes(sizeOf(files.filter(([url]) => isModel(url) === wanted))));
    return phrase`${pagesIn(files).length} pages with their translations: ${rest} of pages and scripts, ${models} of models.`;
  }

  /** Lists the stored courses that the site no longer has: no other box can remove them. @param {Record<string, Kept>} courses */
  async function showDropped(courses) {
    const entries = [];
    for (const other of await allKept()) {
      const kept = await keptOf(other);
      if (!kept || currentId(other, kept, courses)) continue;
      const name = other.replace(/^course-/, '').replaceAll('-', ' ');
      const button = make('button', { type: 'button', class: 'button' }, phrase`Remove “${name}”`);
      const line = phrase`“${name}” is also kept on this device (${bytes(sizeOf(kept.files))}), but is no longer a course of this site.`;
      const entry = make('div', {}, make('p', {}, line), make('div', { class: 'take-tools' }, button));
      button.addEventListener('click', () =>
        tryTo(async () => {
          await sayIfTaken();
          await alone(() => remove(other));
          const focused = entry.contains(document.activeElement);
          entry.remove();
          await show();
          if (focused) said.focus({ preventScroll: true }); // not another button, which a second press of Enter would press
        }),
      );
      entries.push(entry);
    }
    others.replaceChildren(...entries);
    enableOthers();
  }

  /** A download and the removal of another course exclude each other. */
  const enableOthers = () => {
    for (const button of others.querySelectorAll('button')) button.disabled = stopper !== undefined;
  };

  /** Says so if this box must wait for another one. */
  async function sayIfTaken() {
    if (await isTaken()) said.textContent = phrase`Waiting until another course is stored or removed.`;
  }

  /** Does this, and shows why it failed. @param {() => Promise<void>} task */
  async function tryTo(task) {
    try {
      await task();
    } catch (error) {
      await show(reason(error)).catch(() => {
        said.textContent = reason(error); // the store itself cannot be read
      });
    }
  }

  /** Compares the course with the site. */
  const measure = () =>
    tryTo(async () => {
      const courses = await currentCourses();
      plan = Object.hasOwn(courses, id) ? courses[id] : undefined;
      await show(plan ? '' : phrase`The site no longer has this course under this name: reload the page.`);
      await showDropped(courses);
    });

  /** @param {Kept} wanted */
  async function start(wanted) {
    const { signal } = (stopper = new AbortController());
    enableOthers();
    const total = sizeOf(wanted.files);
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
      await sayIfTaken();
      const report = (/** @type {number} */ loaded) => {
        bar.value = loaded / total;
      };
      await alone(
        async () => {
          said.textContent = phrase`Keeping the course`;
          partial = true;
          await keep(id, wanted, { signal, report });
          partial = false;
        },
        { signal },
      );
      stopper = undefined;
      await show();
    } catch (error) {
      stopper = undefined;
      const why = signal.aborted ? phrase`Cancelled.` : reason(error);
      await show(partial ? `${why} ${phrase`Models and scripts that have arrived are not fetched again.`}` : why);
    } finally {
      enableOthers();
    }
  }

  action.addEventListener('click', () => {
    if (stopper) stopper.abort();
    else if (plan) void tryTo(() => start(/** @type {Kept} */ (plan)));
    else void measure();
  });
  removal.addEventListener('click', () =>
    tryTo(async () => {
      await sayIfTaken();
      await alone(() => remove(id, plan?.files));
      partial = false;
      await show();
    }),
  );
  await measure();
}
